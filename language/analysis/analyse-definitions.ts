/** The stages of an analysis of definitions, in order. */
import type { StatementParser } from '../../contract/query-language.js';
import type { PluginId } from '../../contract/plugin.js';
import { isSub0 } from '../../contract/profile.js';
import { listCheckableQueries, listCheckableStatements } from './checkable-statements.js';
import { checkAccessors, recordEnv, type EnvFacts } from './checks/accessors.js';
import { checkBlindModels } from './checks/blind-index.js';
import { checkCollections } from './checks/collections.js';
import { checkModels } from './checks/models.js';
import { checkPurposes } from './checks/variable-purposes.js';
import { checkSet, type SetChecks, type VerifiedFindings } from './check-set.js';
import { checkTemplates } from './checks/templates.js';
import type { AnalysisSettings } from './config.js';
import { buildModels } from './build-models.js';
import { groupResources, getResourceId, getResourcePath, listResources } from './resource-groups.js';
import { createResultNames, linkGroups, listResultColumns, orderBySet, type WholeSet } from './link-group.js';
import { joinLists } from './blocks.js';
import { readQueries } from './read-queries.js';
import type { Blocks, Lookups, StageCache, StageInput } from './stage-cache.js';
import type { Steps } from './steps.js';
import type { Analysis } from './analysis.js';
import type { Definition } from './model.js';
import { createLazy, memoize } from './memoize.js';
import type { FileRead } from './read.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
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
  readonly verified?: VerifiedFindings | undefined;
}

export interface AnalysisRun extends AnalysisStart, Pick<SetChecks, 'refusals' | 'refusedQueries'> {
  readonly env: EnvFacts | null;
  readonly sql: StatementParser | undefined;
  readonly given: AnalysisSettings | null;
  readonly objects: StoredObjects;
  readonly reuseUnchanged: <T>(name: string, content: readonly StageInput[], value: T) => T;
}

const listFileNames = (files: readonly FileRead[], key: 'faulty' | 'repaired'): ReadonlySet<string> =>
  new Set(files.filter((one) => one[key]).map(({ source }) => source.file));

/** Also finds the plugins that accessors use. */
function* checkTexts(
  { registry, memory, report, env, given, verified }: AnalysisRun,
  blocks: Blocks<Definition>,
): Steps<void> {
  const isLenient = isSub0(given?.profile ?? null);
  yield* memory.getOrLookUpAll(blocks, report, {
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

export function* analyseDefinitions(
  run: AnalysisRun,
  definitions: readonly Definition[],
  tests: readonly Definition[],
  files: readonly FileRead[],
): Steps<Analysis> {
  const faulty = listFileNames(files, 'faulty');
  const { registry, memory, report, given } = run;
  yield* walkDefinitions(run, [...definitions, ...tests]);
  const blocks = memory.splitIntoBlocks('definitions', definitions);
  yield* checkTexts(run, blocks);
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
  const wanted = yield* memory.getOrLookUpAll(blocks, report, {
    name: 'timestamps',
    reads: [],
    source: plain,
    compute: (definition, lookups: Lookups<TableNames>) => findTimestamps(definition, recordTables(lookups), registry),
  });
  const grown = addTimestamps(wanted.flatMap(joinLists), plain, report);
  const tables = run.reuseUnchanged('tables', listTableReads(grown), grown);
  const uniques = collectUniques(naming, tables, report);
  const stores = yield* resolveStores({ models: defined, blocks, tables, registry, memory, report, given });
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
  const queries = yield* readQueries(run, blocks, { catalogue, stores, isHalf, hasHalves: faulty.size > 0 });
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
  const groups = yield* linkGroups(set, groupResources(resources, memory, report));
  const linked = orderBySet(set, resources, groups);
  const repaired = listFileNames(files, 'repaired');
  const { problems, acknowledged, broken, unasked } =
    run.verified === undefined
      ? yield* checkSet({
          ...run,
          ...set,
          definitions,
          tests,
          defined,
          blocks,
          groups,
          linked,
          uniques,
          stores,
          hasSql: run.sql !== undefined,
          faulty,
          repaired,
        })
      : { ...run.verified, broken: NOTHING, unasked: [] };
  const named = { ...tables, uniques, stores };
  const models = yield* buildModels({
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

export function* walkDefinitions(start: AnalysisStart, definitions: readonly Definition[]): Steps<void> {
  const { registry, memory, report, verified } = start;
  const isVerified = verified !== undefined;
  // A walk without the comparison finds the same in these definitions, so an analysis without `verified` may follow.
  const walkOne = (definition: Definition, own: Report): void => walkDefinition(definition, registry, own, isVerified);
  yield* memory.getOrComputeAll(definitions, report, { name: 'walk', reads: [], compute: walkOne });
}

const listPaths = memoize((block: readonly Definition[]) =>
  block.map((one) => [getResourceId(one), getResourcePath(one)] as const),
);
