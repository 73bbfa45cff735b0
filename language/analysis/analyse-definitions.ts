/** The stages of an analysis of definitions, in order. */
import type { StatementParser } from '../../contract/query-language.js';
import type { PluginId } from '../../contract/plugin.js';
import { isSub0 } from '../../contract/profile.js';
import { applyAcknowledgements } from './acknowledge.js';
import { listCheckableQueries, listCheckableStatements } from './checkable-statements.js';
import { checkAccessors, recordEnv, type EnvFacts } from './checks/accessors.js';
import { checkBlindModels } from './checks/blind-index.js';
import { checkCanonical } from './checks/canonical.js';
import { checkClaims } from './checks/claims.js';
import { checkClearWrites } from './checks/clear-writes.js';
import { checkCollections } from './checks/collections.js';
import { checkModels } from './checks/models.js';
import { checkRooms } from './checks/rooms.js';
import { checkTests } from './checks/tests.js';
import { checkTokens } from './checks/tokens.js';
import { checkPurposes } from './checks/variable-purposes.js';
import { checkRealms } from './checks/realms.js';
import {
  reportQueryRejections,
  reportRejections,
  type QueryRejections,
  type StatementRejections,
} from './checks/rejections.js';
import { checkTemplates } from './checks/templates.js';
import { auditSet } from './audit/index.js';
import { findInvalidDefinitions } from './invalid-definitions.js';
import type { AnalysisSettings } from './config.js';
import { buildModels } from './build-models.js';
import { groupResources, getResourceId, getResourcePath, listResources } from './resource-groups.js';
import {
  checkGroupOwners,
  checkGroupUses,
  createResultNames,
  linkGroups,
  listResultColumns,
  orderBySet,
  type WholeSet,
} from './link-group.js';
import { joinLists } from './blocks.js';
import { reportDuplicatePaths } from './duplicates.js';
import { readQueries } from './read-queries.js';
import type { Lookups, StageCache, StageInput } from './stage-cache.js';
import type { Analysis } from './analysis.js';
import type { Definition } from './model.js';
import { createLazy, memoize } from './memoize.js';
import type { FileRead } from './read.js';
import { checkAllPlugins } from './plugin-stage.js';
import type { Registry } from './registry.js';
import { compareByPlace, toProblems, type Report } from './report.js';
import { createCatalogue } from './catalogue.js';
import type { StoredObjects } from './stored-objects.js';
import { resolveStores } from './stores.js';
import { listModels, listNaming, recordTables, resolveTables, type TableNames } from './tables.js';
import { linkModelReferences, checkForeign } from './model-references.js';
import { addTimestamps, findTimestamps } from './timestamps.js';
import { collectUniques } from './uniques.js';
import { walkDefinition } from './walk-definition.js';

export interface AnalysisStart {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
}

export interface AnalysisRun extends AnalysisStart {
  readonly env: EnvFacts | null;
  readonly sql: StatementParser | undefined;
  readonly given: AnalysisSettings | null;
  readonly refusals: StatementRejections | undefined;
  readonly refusedQueries: QueryRejections | undefined;
  readonly objects: StoredObjects;
  /** Returns the earlier value if `content` is unchanged. */
  readonly reuseUnchanged: <T>(name: string, content: readonly StageInput[], value: T) => T;
}

const listFileNames = (files: readonly FileRead[], key: 'faulty' | 'repaired'): ReadonlySet<string> =>
  new Set(files.filter((one) => one[key]).map(({ source }) => source.file));

export function analyseDefinitions(
  run: AnalysisRun,
  definitions: readonly Definition[],
  tests: readonly Definition[],
  files: readonly FileRead[],
): Analysis {
  const faulty = listFileNames(files, 'faulty');
  const { registry, memory, report, env, given } = run;
  walkDefinitions(run, [...definitions, ...tests]);
  const isLenient = isSub0(given?.profile ?? null);
  const blocks = memory.splitIntoBlocks('definitions', definitions);
  memory.getOrLookUpAll(blocks, report, {
    name: 'accessors',
    reads: [env === null, isLenient],
    source: env ?? NO_VARIABLES,
    compute: (definition, lookups: Lookups<EnvFacts>, own) => {
      checkAccessors({ registry, report: own, env: env && recordEnv(lookups, getItself) }, definition);
      checkTemplates(registry, own, definition, isLenient);
    },
  });
  checkPurposes({ registry, report, env }, blocks);
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
  const columns = queries.lists.map(listResultColumns);
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
  checkTests(run, tests, { tables, models: defined, resources: [...set.paths.keys()] });
  const groups = linkGroups(set, groupResources(resources, memory, report));
  const resourceBlocks = orderBySet(set, resources, groups);
  const linked = resourceBlocks.flat();
  reportDuplicatePaths(resourceBlocks, { memory, report });
  checkAllPlugins(set, { definitions: defined, blocks, groups, linked: resourceBlocks, uniques });
  checkGroupOwners(set, groups);
  checkRealms(registry, report, linked, resourceBlocks);
  checkCanonical({ registry, memory, report, tables }, resourceBlocks);
  checkClearWrites({ registry, memory, report, tables }, groups);
  // An unreadable file may contain the resource that issues the tokens.
  if (faulty.size === 0) {
    checkClaims(resourceBlocks, { registry, report });
    checkTokens(linked, resourceBlocks, { registry, report });
  }
  auditSet(set, { definitions: defined, resources: resourceBlocks, groups });
  const suspect = findInvalidDefinitions(definitions, report.rows);
  if (suspect.size === 0 && given?.websocket.enabled !== false) checkRooms(registry, report, resourceBlocks);
  checkGroupUses(set, groups, suspect);
  // A rejected statement is checked again, so these are the rows before.
  const unasked = run.refusals === undefined ? report.rows : [...report.rows];
  if (run.refusals !== undefined) reportRejections(report, definitions, run.refusals);
  if (run.refusedQueries !== undefined) reportQueryRejections(report, definitions, run.refusedQueries);
  const broken = findInvalidDefinitions(definitions, report.rows);
  const { rows, silenced } = applyAcknowledgements({
    definitions: blocks,
    rows: report.rows,
    registry,
    broken,
    isWhole: env !== null,
  });
  const named = { ...tables, uniques, stores };
  const models = buildModels({
    definitions: defined,
    linked: resourceBlocks,
    tables: named,
    queries,
    broken,
    memory,
    report,
  });
  // Lazy: expensive for large sets, and rarely read.
  const documents = createLazy(() => new Map(files.map(({ source, doc }) => [source.file, doc])));
  const uses = createLazy(() => new Set<PluginId>(definitions.flatMap(({ finds }) => [...finds.uses])));
  const spoken = createLazy(() => new Map(queries.lists.flatMap((block) => block.flatMap((one) => [...one.names]))));
  const askedQueries = createLazy(() => listCheckableQueries(definitions, stores, registry, unasked));
  const asked = createLazy(() => listCheckableStatements(definitions, linked, stores, unasked));
  return {
    definitions,
    tests,
    get documents() {
      return documents();
    },
    ...models,
    problems: toProblems({ rows }, listFileNames(files, 'repaired')).sort(compareByPlace),
    acknowledged: silenced.length,
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

const NO_VARIABLES: EnvFacts = new Map();
const getItself = (env: EnvFacts): EnvFacts => env;

export function walkDefinitions({ registry, memory, report }: AnalysisStart, definitions: readonly Definition[]): void {
  const walkOne = (definition: Definition, own: Report): void => walkDefinition(definition, registry, own);
  memory.getOrComputeAll(definitions, report, { name: 'walk', reads: [], compute: walkOne });
}

const listPaths = memoize((block: readonly Definition[]) =>
  block.map((one) => [getResourceId(one), getResourcePath(one)] as const),
);
