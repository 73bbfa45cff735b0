/**
 * The analysis pipeline: texts in, model and problems out. Pure. An analyser reuses earlier results
 * (`stage-cache.ts`, `read.ts`) and returns what a new one would.
 */
import type { StatementParser } from '../../contract/query-language.js';
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import { isSub0 } from '../../contract/profile.js';
import { listCheckableQueries, listCheckableStatements } from './checkable-statements.js';
import { checkAccessors, recordEnv, type EnvFacts } from './checks/accessors.js';
import { checkBlindModels } from './checks/blind-index.js';
import { checkCollections } from './checks/collections.js';
import { checkModels } from './checks/models.js';
import { checkPurposes } from './checks/variable-purposes.js';
import type { QueryRejections, StatementRejections } from './checks/rejections.js';
import { checkSet, type SetChecks, type VerifiedFindings } from './check-set.js';
import { checkTemplates } from './checks/templates.js';
import type { AnalysisSettings } from './config.js';
import { buildModels } from './build-models.js';
import { groupResources, getResourceId, getResourcePath, listResources } from './resource-groups.js';
import { createResultNames, linkGroups, listResultColumns, orderBySet, type WholeSet } from './link-group.js';
import { joinLists } from './blocks.js';
import { readQueries } from './read-queries.js';
import { isSame } from './lookups.js';
import { createSingleRun } from './single-run.js';
import { createStageCache, type Blocks, type Lookups, type StageCache, type StageInput } from './stage-cache.js';
import type { Analysis } from './analysis.js';
import type { Definition } from './model.js';
import { createLazy, memoize } from './memoize.js';
import { readFile, type FileRead, type SourceFile } from './read.js';
import type { Registry } from './registry.js';
import { compareByPlace, createReport, toProblems, type Report } from './report.js';
import { createCatalogue } from './catalogue.js';
import { createStoredObjects, type StoredObjects } from './stored-objects.js';
import { resolveStores } from './stores.js';
import { listModels, listNaming, recordTables, resolveTables, type TableNames } from './tables.js';
import { linkModelReferences, checkForeign } from './model-references.js';
import { addTimestamps, findTimestamps } from './timestamps.js';
import { collectUniques } from './uniques.js';
import { walkDefinition } from './walk-definition.js';

export type { VerifiedFindings } from './check-set.js';
export type { SourceFile } from './read.js';

export interface AnalyseOptions {
  /** The variables that are set; null when the environment is unknown. */
  readonly env: EnvFacts | null;
  /** Without it, statements are only scanned, not validated against the models. */
  readonly sql?: StatementParser | undefined;
  /** Null or absent when no config is known. */
  readonly given?: AnalysisSettings | null;
  /** Errors that databases returned for statements of an earlier analysis. */
  readonly refusals?: StatementRejections;
  /** The same for document queries. */
  readonly refusedQueries?: QueryRejections;
  /** SQL of the project, which may create views and functions. */
  readonly scripts?: readonly string[];
  /** The views and functions of stores, as statements that create them. */
  readonly stored?: readonly string[];
  /** The findings of an analysis with the same inputs: only what is served is computed. */
  readonly verified?: VerifiedFindings | undefined;
}

/** Locations in an analysis are valid until the next one. */
export interface Analyser {
  analyseAll(files: readonly SourceFile[], options: AnalyseOptions): Analysis;
  /** The problems of one file that hold in any set; the next analysis reuses them. */
  scanFile(file: SourceFile): readonly Problem[];
}

export function analyseFiles(files: readonly SourceFile[], registry: Registry, options: AnalyseOptions): Analysis {
  return createAnalyser(registry, createSingleRun(registry.codes)).analyseAll(files, options);
}

export function createAnalyser(registry: Registry, memory = createStageCache(registry.codes)): Analyser {
  let shelf = new Map<string, FileRead>();
  let byShape = false;
  let last: { readonly inputs: readonly StageInput[]; readonly analysis: Analysis } | null = null;
  const read = (source: SourceFile, before: FileRead | undefined, report: Report): FileRead => {
    const found = readFile(source, before, { codes: registry.codes, byShape });
    report.merge(found.rows);
    return found;
  };
  return {
    analyseAll(files, { env, sql, given = null, refusals, refusedQueries, scripts = [], stored = [], verified }) {
      const report = createReport(registry.codes);
      const reuseUnchanged = <T>(name: string, content: readonly StageInput[], value: T): T =>
        memory.getOrCompute(registry, report, { name, reads: content, compute: () => value });
      const facts = [...(env ?? [])].flatMap(([name, fact]) => [
        name,
        fact.length,
        fact.bytes,
        fact.blank,
        fact.sameAs,
      ]);
      const run: AnalysisRun = {
        registry,
        memory,
        report,
        reuseUnchanged,
        env: reuseUnchanged('env', [env?.size, facts], env),
        sql,
        given: reuseUnchanged('given', [given && JSON.stringify(given)], given),
        refusals,
        refusedQueries,
        verified,
        objects: memory.getOrCompute(registry, report, {
          name: 'scripts',
          reads: [...scripts, null, ...stored],
          compute: () => createStoredObjects([...registry.languages.values()], scripts, stored),
        }),
      };
      const inputs = [[...files], run.env, sql, run.given, refusals, refusedQueries, run.objects, verified];
      if (last !== null && isSame(last.inputs, inputs)) return last.analysis;
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
      const found = all.flatMap((one) => one.definitions);
      const [definitions, tests] = [found.filter((one) => !isTest(one)), found.filter(isTest)];
      last = { inputs, analysis: analyseDefinitions(run, definitions, tests, all) };
      return last.analysis;
    },
    scanFile(source) {
      const report = createReport(registry.codes);
      const found = read(source, shelf.get(source.file), report);
      shelf.set(source.file, found);
      // Only these are models under each profile.
      const certain = found.definitions.filter(({ sort, name }) => sort !== 'model' || name.startsWith('_'));
      walkDefinitions({ registry, memory, report }, certain);
      return toProblems(report, new Set(found.repaired ? [source.file] : []))
        .filter(({ code }) => code !== 'DEF_NO_KIND')
        .sort(compareByPlace);
    },
  };
}

const isTest = ({ sort }: Definition): boolean => sort === 'test';

interface AnalysisStart {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly verified?: VerifiedFindings | undefined;
}

interface AnalysisRun extends AnalysisStart, Pick<SetChecks, 'refusals' | 'refusedQueries'> {
  readonly env: EnvFacts | null;
  readonly sql: StatementParser | undefined;
  readonly given: AnalysisSettings | null;
  readonly objects: StoredObjects;
  /** Returns the earlier value if `content` is unchanged. */
  readonly reuseUnchanged: <T>(name: string, content: readonly StageInput[], value: T) => T;
}

const listFileNames = (files: readonly FileRead[], key: 'faulty' | 'repaired'): ReadonlySet<string> =>
  new Set(files.filter((one) => one[key]).map(({ source }) => source.file));

/** Also finds the plugins that accessors use. */
function checkTexts({ registry, memory, report, env, given, verified }: AnalysisRun, blocks: Blocks<Definition>): void {
  const isLenient = isSub0(given?.profile ?? null);
  memory.getOrLookUpAll(blocks, report, {
    name: 'accessors',
    reads: [env === null, isLenient, verified === undefined],
    source: env ?? NO_VARIABLES,
    compute: (definition, lookups: Lookups<EnvFacts>, own) => {
      checkAccessors({ registry, report: own, env: env && recordEnv(lookups, getItself) }, definition);
      if (verified === undefined) checkTemplates(registry, own, definition, isLenient);
    },
  });
  if (verified === undefined) checkPurposes({ registry, report, env }, blocks);
}

function analyseDefinitions(
  run: AnalysisRun,
  definitions: readonly Definition[],
  tests: readonly Definition[],
  files: readonly FileRead[],
): Analysis {
  const faulty = listFileNames(files, 'faulty');
  const { registry, memory, report, given } = run;
  walkDefinitions(run, [...definitions, ...tests]);
  const blocks = memory.splitIntoBlocks('definitions', definitions);
  checkTexts(run, blocks);
  const defined = blocks.flatMap(listModels);
  const naming = blocks.flatMap(listNaming);
  const listTableReads = (names: TableNames): StageInput[] =>
    defined.map(({ name }) => [
      [name, names.getTable(name)],
      names.listFields(name),
      names.listBlindFields(name),
      names.listAddedFields(name),
    ]);
  const written = resolveTables(definitions, blocks, report);
  const plain = run.reuseUnchanged('plain tables', listTableReads(written), written);
  const wanted = memory.getOrLookUpAll(blocks, report, {
    name: 'timestamps',
    reads: [],
    source: plain,
    compute: (definition, lookups: Lookups<TableNames>) => findTimestamps(definition, recordTables(lookups), registry),
  });
  const grown = addTimestamps(wanted.flatMap(joinLists), plain, report);
  const tables = run.reuseUnchanged('tables', listTableReads(grown), grown);
  const uniques = collectUniques(naming, tables, report);
  const stores = resolveStores({ models: defined, blocks, tables, registry, memory, report, given });
  linkModelReferences(naming, { tables, report, stores, registry });
  checkForeign({ definitions: defined, tables, registry, stores, report });
  checkBlindModels({ definitions: defined, registry, stores, report });
  checkModels({ definitions: defined, tables, uniques, registry, report });
  checkCollections({ definitions: naming, tables, stores, report });
  const names = defined.map(({ name }) => tables.getTable(name));
  const catalogue = run.reuseUnchanged('catalogue', [defined, names], createCatalogue(defined, tables));
  const brokenModels = new Set(defined.filter(({ doc }) => faulty.has(doc.file)).map(({ name }) => name));
  // A text with syntax errors may end in the middle.
  const isHalf = (one: Definition): boolean =>
    faulty.has(one.doc.file) ||
    (brokenModels.size > 0 &&
      stores.listPlacedQueries(one).some(({ models }) => models.some((model) => brokenModels.has(model))));
  const queries = readQueries(run, blocks, { catalogue, stores, isHalf, hasHalves: faulty.size > 0 });
  const resources = blocks.map(listResources);
  const columns = run.verified === undefined ? queries.lists.map(listResultColumns) : [];
  const set: WholeSet = {
    ...run,
    tables,
    queries,
    paths: memory.getOrCompute(registry, report, {
      name: 'paths',
      reads: resources.map(listPaths),
      compute: () => new Map(resources.flatMap(listPaths)),
    }),
    answered: memory.getOrCompute(registry, report, {
      name: 'result names',
      reads: columns,
      compute: () => createResultNames(columns),
    }),
  };
  const groups = linkGroups(set, groupResources(resources, memory, report));
  const linked = orderBySet(set, resources, groups);
  const repaired = listFileNames(files, 'repaired');
  const { problems, acknowledged, broken, unasked } =
    run.verified === undefined
      ? checkSet({ ...run, ...set, definitions, tests, defined, blocks, groups, linked, uniques, faulty, repaired })
      : { ...run.verified, broken: NOTHING, unasked: [] };
  const named = { ...tables, uniques, stores };
  const models = buildModels({
    definitions: defined,
    linked,
    tables: named,
    queries,
    broken,
    memory,
    report,
  });
  // Lazy: expensive for large sets, and rarely read.
  const documents = createLazy(() => new Map(files.map(({ source, doc }) => [source.file, doc])));
  const uses = createLazy(() => new Set(blocks.flatMap(listUses)));
  const spoken = createLazy(() => new Map(queries.lists.flatMap((block) => block.flatMap((one) => [...one.names]))));
  const askedQueries = createLazy(() => listCheckableQueries(definitions, stores, registry, unasked));
  const asked = createLazy(() => listCheckableStatements(definitions, linked.flat(), stores, unasked));
  return {
    definitions,
    tests,
    get documents() {
      return documents();
    },
    ...models,
    problems,
    acknowledged,
    groups: groups.flat(),
    get uses() {
      return uses();
    },
    get names() {
      return spoken();
    },
    get checkableStatements() {
      return asked();
    },
    get checkableQueries() {
      return askedQueries();
    },
  };
}

const NOTHING: ReadonlySet<Definition> = new Set();
const listUses = memoize((block: readonly Definition[]): readonly PluginId[] => [
  ...new Set(block.flatMap(({ finds }) => [...finds.uses])),
]);
const NO_VARIABLES: EnvFacts = new Map();
const getItself = (env: EnvFacts): EnvFacts => env;

function walkDefinitions(start: AnalysisStart, definitions: readonly Definition[]): void {
  const { registry, memory, report, verified } = start;
  const isVerified = verified !== undefined;
  // A walk without the comparison finds the same in these definitions, so an analysis without `verified` may follow.
  const walkOne = (definition: Definition, own: Report): void => walkDefinition(definition, registry, own, isVerified);
  memory.getOrComputeAll(definitions, report, { name: 'walk', reads: [], compute: walkOne });
}

const listPaths = memoize((block: readonly Definition[]) =>
  block.map((one) => [getResourceId(one), getResourcePath(one)] as const),
);
