/**
 * The analysis pipeline: texts in, model and problems out. Pure: it must not read disk, network or environment.
 * An analyser reuses earlier results (`memory.ts`, `read.ts`) and returns exactly what a new one would.
 */
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import { isSub0 } from '../../contract/profile.js';
import type { SqlParser } from '../strings/sql-parser.js';
import type { LocatedNode } from '../source/tree.js';
import { ACKNOWLEDGE, acknowledged } from './acknowledge.js';
import { askedIn } from './asked.js';
import { answersOf } from './changes.js';
import { checkAccessors, type EnvFacts } from './checks/accessors.js';
import { checkBlindModels } from './checks/blind.js';
import { checkCanonical } from './checks/canonical.js';
import { checkClaims } from './checks/claims.js';
import { checkClearWrites } from './checks/clear-writes.js';
import { checkCollections } from './checks/collections.js';
import { checkForeign } from './checks/foreign.js';
import { checkModels } from './checks/models.js';
import { checkRooms } from './checks/rooms.js';
import { checkPurposes } from './checks/purposes.js';
import { checkRealms } from './checks/realms.js';
import { reportRefusals, type Refusals } from './checks/refusals.js';
import { checkStatements, type Answers } from './checks/statements.js';
import { checkTemplates } from './checks/templates.js';
import type { Meetings } from './checks/types.js';
import { auditSet } from './audit/index.js';
import { brokenDefinitions } from './broken.js';
import type { Given } from './config.js';
import type { SqlText } from './finds.js';
import { modelsOf } from './finish.js';
import { BESIDE_FIELDS, ROOT_FIELDS } from './grammar.js';
import { groupsOf, idOf, pathOf } from './groups.js';
import { judgeOwners, judgeUses, linkGroup, type LinkedGroup, type Queries, type WholeSet } from './link-group.js';
import { type LinkedResource } from './linked.js';
import { reportTaken } from './double.js';
import { createMemory, type Memory, type Read } from './memory.js';
import type { Analysis, Definition } from './model.js';
import { once } from './once.js';
import { readFile, type FileRead, type SourceFile } from './read.js';
import { checkAllPlugins } from './plugin-stage.js';
import type { Registry } from './registry.js';
import { byPlace, createReport, problemsIn, type Report } from './report.js';
import { catalogueOf, type Catalogue } from './sql/catalogue.js';
import type { ColumnUse } from './sql/meetings.js';
import type { StatementNames } from './sql/names.js';
import { resolveStores, type Stores } from './stores.js';
import { linkModelReferences, resolveTables, type TableNames } from './tables.js';
import { addTimestamps, timestampsIn } from './timestamps.js';
import { collectUniques } from './uniques.js';
import { walk } from './walk.js';

export type { SourceFile } from './read.js';

export interface AnalyseOptions {
  /** The environment variables that are set; null when the environment is unknown. */
  readonly env: EnvFacts | null;
  /** Without it, statements are only scanned, not validated against the models. */
  readonly sql?: SqlParser | undefined;
  /** Null or absent when no config is known. */
  readonly given?: Given | null;
  /** Errors that databases returned for statements of an earlier analysis. */
  readonly refusals?: Refusals;
}

/** Locations in an analysis are valid until the next one. */
export interface Analyser {
  analyse(files: readonly SourceFile[], options: AnalyseOptions): Analysis;
  /** Returns the problems of one file that hold in any set; the next analysis reuses this work. */
  glance(file: SourceFile): readonly Problem[];
}

export function analyse(files: readonly SourceFile[], registry: Registry, options: AnalyseOptions): Analysis {
  return createAnalyser(registry).analyse(files, options);
}

export function createAnalyser(registry: Registry): Analyser {
  const memory = createMemory(registry.codes);
  let shelf = new Map<string, FileRead>();
  let byShape = false;
  const read = (source: SourceFile, before: FileRead | undefined, report: Report): FileRead => {
    const found = readFile(source, before, { codes: registry.codes, byShape });
    report.append(found.rows);
    return found;
  };
  return {
    analyse(files, { env, sql, given = null, refusals }) {
      const report = createReport(registry.codes);
      const reads = new Map<string, FileRead>();
      const isTold = isSub0(given?.profile ?? null);
      if (isTold !== byShape) shelf = new Map();
      byShape = isTold;
      const all = files.map((source) => {
        // A second file of the same name has no cached read.
        const found = read(source, reads.has(source.file) ? undefined : shelf.get(source.file), report);
        reads.set(source.file, found);
        return found;
      });
      shelf = reads;
      const same = <T>(name: string, content: readonly Read[], value: T): T =>
        memory.remember(registry, report, { name, reads: content, work: () => value });
      const facts = [...(env ?? [])].flatMap(([name, { length, bytes, blank }]) => [name, length, bytes, blank]);
      const run: Run = {
        registry,
        memory,
        report,
        same,
        env: same('env', [env?.size, facts], env),
        sql,
        given: same('given', [given && JSON.stringify(given)], given),
        refusals,
      };
      const definitions = all.flatMap((one) => one.definitions);
      const faulty = new Set(all.flatMap((one) => (one.faulty ? [one.source.file] : [])));
      const documents = new Map(all.map(({ source, doc }) => [source.file, doc]));
      return analyseDefinitions(run, definitions, { faulty, documents });
    },
    glance(source) {
      const report = createReport(registry.codes);
      const found = read(source, shelf.get(source.file), report);
      shelf.set(source.file, found);
      // Only these are models under each profile, and the next config may select another one.
      const certain = found.definitions.filter(({ sort, name }) => sort === 'resource' || name.startsWith('_'));
      walked({ registry, memory, report }, certain);
      return problemsIn(report)
        .filter(({ code }) => code !== 'DEF_NO_KIND')
        .sort(byPlace);
    },
  };
}

interface Start {
  readonly registry: Registry;
  readonly memory: Memory;
  readonly report: Report;
}

interface Run extends Start {
  readonly env: EnvFacts | null;
  readonly sql: SqlParser | undefined;
  readonly given: Given | null;
  readonly refusals: Refusals | undefined;
  /** Returns the earlier value if `content` is unchanged; later stages compare by identity. */
  readonly same: <T>(name: string, content: readonly Read[], value: T) => T;
}

/** `faulty`: files with syntax errors. */
function analyseDefinitions(
  run: Run,
  definitions: readonly Definition[],
  { faulty, documents }: { readonly faulty: ReadonlySet<string>; readonly documents: Analysis['documents'] },
): Analysis {
  const { registry, memory, report, env, given } = run;
  walked(run, definitions);
  const isLenient = isSub0(given?.profile ?? null);
  const judgeTexts = (definition: Definition, own: Report): void => {
    checkAccessors({ registry, report: own, env }, definition);
    checkTemplates(registry, own, definition, isLenient);
  };
  memory.rememberAll(definitions, report, { name: 'accessors', reads: [env, isLenient], work: judgeTexts });
  checkPurposes({ registry, memory, report }, definitions);
  const defined = definitions.filter(({ sort }) => sort === 'model');
  const plain = resolveTables(definitions, report);
  const content = (names: TableNames): Read[] =>
    defined.map(({ name }) => [name, names.fieldsOf(name), names.blindIn(name)]);
  const plainKey = run.same('plain tables', content(plain), {});
  const wanted = memory.rememberAll(definitions, report, {
    name: 'timestamps',
    reads: [plainKey],
    work: (definition) => timestampsIn(definition, plain, registry),
  });
  const tables = addTimestamps(wanted.flat(), plain, report);
  const tablesKey = run.same('tables', content(tables), {});
  const uniques = collectUniques(definitions, tables, report);
  const stores = resolveStores({ definitions, tables, registry, memory, report, given });
  linkModelReferences(definitions, { tables, report, stores, registry });
  checkForeign({ definitions, tables, registry, stores, report });
  checkBlindModels({ definitions, registry, stores, report });
  checkModels({ definitions, tables, uniques, registry, report });
  checkCollections({ definitions, tables, stores, report });
  const names = defined.map(({ name }) => tables.tableOf(name));
  const catalogue = run.same('catalogue', [defined, names], catalogueOf(definitions, tables));
  const queries = new Map(definitions.map((one) => [one, readQueries(run, one, { catalogue, stores, faulty })]));
  const resources = definitions.filter(({ sort }) => sort === 'resource');
  const set: WholeSet = {
    ...run,
    tables,
    tablesKey,
    queries,
    paths: new Map(resources.map((one) => [idOf(one), pathOf(one)])),
    answered: isIn(() => [...queries.values()].map(columnsIn)),
  };
  const groups = groupsOf(resources).map((group) => linkGroup(set, group));
  const linked = inOrder(resources, groups);
  reportTaken(linked, report);
  checkAllPlugins(set, definitions, linked, uniques);
  for (const group of groups) judgeOwners(set, group);
  checkRealms(registry, report, linked);
  checkCanonical({ registry, report, tables }, linked);
  checkClearWrites({ registry, report, tables }, groups);
  // An unreadable file may contain the resource that issues the tokens.
  if (faulty.size === 0) checkClaims(linked, { registry, report });
  auditSet(set, definitions, linked);
  const suspect = brokenDefinitions(definitions, report.rows);
  if (suspect.size === 0 && given?.websocket.enabled !== false) checkRooms(registry, report, linked);
  for (const group of groups) judgeUses(set, group, suspect);
  if (run.refusals !== undefined) reportRefusals(report, definitions, run.refusals);
  const broken = brokenDefinitions(definitions, report.rows);
  const { rows, silenced } = acknowledged({ definitions, rows: report.rows, registry, broken, isWhole: env !== null });
  const named = { ...tables, uniques, stores };
  const models = modelsOf({ definitions, linked, tables: named, queries, broken, memory, report });
  // Lazy: few callers read these, and they are expensive for large sets.
  const uses = lazily(() => new Set<PluginId>(definitions.flatMap(({ finds }) => [...finds.uses])));
  const spoken = lazily(() => new Map([...queries.values()].flatMap((one) => [...one.names])));
  const asked = lazily(() => askedIn(definitions, linked, stores, report.rows));
  return {
    definitions,
    documents,
    ...models,
    problems: problemsIn({ rows }).sort(byPlace),
    acknowledged: silenced.length,
    get uses() {
      return uses();
    },
    get names() {
      return spoken();
    },
    get asked() {
      return asked();
    },
  };
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

function walked({ registry, memory, report }: Start, definitions: readonly Definition[]): void {
  const work = (definition: Definition, own: Report): void => walkDefinition(definition, registry, own);
  memory.rememberAll(definitions, report, { name: 'walk', reads: [], work });
}

export function walkDefinition(definition: Definition, registry: Registry, report: Report): void {
  const { sort, doc, node, acknowledge, finds } = definition;
  walk({ doc, registry, report, finds }, node, ROOT_FIELDS[sort], `this ${sort}`);
  const field = BESIDE_FIELDS.fields[ACKNOWLEDGE];
  if (acknowledge !== null && field !== undefined)
    walk({ doc, registry, report, finds }, acknowledge, field, `"${ACKNOWLEDGE}"`);
}

function readQueries(
  { registry, memory, report, sql }: Run,
  definition: Definition,
  around: { readonly catalogue: Catalogue; readonly stores: Stores; readonly faulty: ReadonlySet<string> },
): Queries {
  const { catalogue, stores, faulty } = around;
  const { documents } = definition.finds;
  // A text with syntax errors may end in the middle of a statement.
  const half = faulty.has(definition.doc.file);
  const work = (own: Report): Queries => {
    const answers: Answers = new Map();
    const meetings: Meetings = new Map();
    const names = new Map<LocatedNode, StatementNames>();
    const uses = (statement: SqlText): ColumnUse[] => {
      const list: ColumnUse[] = [];
      meetings.set(statement, list);
      return list;
    };
    if (!half) checkStatements({ registry, report: own, catalogue, sql, stores, uses, names }, definition, answers);
    for (const query of documents) answers.set(query.node, answersOf(definition, query, registry));
    return { answers, meetings, names };
  };
  return memory.remember(definition, report, {
    name: 'queries',
    reads: [catalogue, sql, half, stores.placedIn(definition)],
    work,
  });
}

/** Builds the set at the first call. */
function isIn(lists: () => readonly (readonly string[])[]): (name: string) => boolean {
  let all: Set<string> | null = null;
  return (name) => {
    if (all === null) {
      all = new Set();
      for (const list of lists()) for (const one of list) all.add(one);
    }
    return all.has(name);
  };
}

const columnsIn = once(({ answers }: Queries) => [...answers.values()].flatMap((columns) => columns ?? []));

function inOrder(resources: readonly Definition[], groups: readonly LinkedGroup[]): LinkedResource[] {
  const all = new Map(groups.flatMap(({ linked }) => linked.map((one) => [one.definition, one] as const)));
  return resources.flatMap((definition) => all.get(definition) ?? []);
}
