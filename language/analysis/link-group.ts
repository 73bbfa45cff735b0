/** Links the resources of one group and checks them; cached per group. Reads outside the group must be in `reads`. */
import type { StatementNames } from '../../contract/statement-text.js';
import { CHAINS, type ChainLimits } from './config-schema.js';
import { listInRunningOrder } from './running-order.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import { listShared } from './blocks.js';
import { checkBlind } from './checks/blind-index.js';
import { checkProducedNames } from './checks/produced-names.js';
import { checkNames } from './checks/names.js';
import { checkProtections } from './checks/protections.js';
import { hasGuard } from './realms.js';
import { isInside, type Report } from './report.js';
import { locateInString } from '../source/escapes.js';
import { checkOwners } from './checks/row-owners.js';
import { checkPaths } from './checks/paths-inside.js';
import { checkScheduled } from './checks/scheduled.js';
import type { ResultColumns } from './checks/statements.js';
import { checkTypes, type ColumnUsesByStatement } from './checks/types.js';
import { checkUses } from './checks/uses.js';
import type { EnvFacts } from './checks/accessors.js';
import type { AnalysisSettings } from './config.js';
import { checkGraph } from './graph.js';
import type { ResourceGroups } from './resource-groups.js';
import { linkResources } from './link-resources.js';
import type { LinkedResource, LinkedAction } from './linked-resource.js';
import type { Blocks, Lookups, StageCache, StageInput } from './stage-cache.js';
import type { Steps } from './steps.js';
import { createLazy, memoize } from './memoize.js';
import type { Definition } from './model.js';
import { linkParameters } from './parameters.js';
import type { Registry } from './registry.js';
import { linkRepeats } from './repeats.js';
import { linkSecrets } from './secret-names.js';
import type { StoredObjects } from './stored-objects.js';
import { recordTables, type TableNames } from './tables.js';

export interface Queries {
  readonly answers: ResultColumns;
  readonly columnUses: ColumnUsesByStatement;
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
}

/** Of all definitions. */
export interface QueryResults {
  get(definition: Definition): Queries | undefined;
  /** In blocks, for each definition. */
  readonly lists: Blocks<Queries>;
}

export interface ResultNames {
  /** True if any query returns this column. */
  has(column: string): boolean;
}

/** Builds the set at the first call. */
export function createResultNames(lists: readonly ReadonlySet<string>[]): ResultNames {
  const all = createLazy(() => new Set(lists.flatMap((names) => [...names])));
  return { has: (name) => all().has(name) };
}

export const listResultColumns = memoize(
  (block: readonly Queries[]): ReadonlySet<string> =>
    new Set(block.flatMap(({ answers }) => [...answers.values()].flatMap((columns) => columns ?? []))),
);

export interface WholeSet {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly env: EnvFacts | null;
  readonly given: AnalysisSettings | null;
  /** Replaced whenever any table changes. */
  readonly tables: TableNames;
  readonly queries: QueryResults;
  /** Returns the earlier value if `content` is unchanged. */
  readonly reuseUnchanged: <T>(name: string, content: readonly StageInput[], value: T) => T;
  readonly paths: ReadonlyMap<string, string>;
  readonly objects: StoredObjects;
  readonly answered: ResultNames;
  readonly verified?: object | null | undefined;
}

/** The same object as long as its inputs have not changed. */
export interface LinkedGroup {
  readonly linked: readonly LinkedResource[];
  readonly queries: ReadonlyMap<Definition, Queries>;
}

const printChains = memoize((chains: AnalysisSettings['chains']): string => JSON.stringify(chains));

/** In blocks, by the first resource of each group. */
export function* linkGroups(set: WholeSet, { heads, joined }: ResourceGroups): Steps<Blocks<LinkedGroup>> {
  const { registry, memory, report, given, paths } = set;
  const [profile, chains] = [given?.profile ?? null, given?.chains ?? CHAINS];
  const isVerified = (set.verified ?? null) !== null;
  const linkDefinitions = (
    definitions: readonly Definition[],
    queries: ReadonlyMap<Definition, Queries>,
    lookups: Lookups<TableNames>,
    own: Report,
  ): LinkedGroup => {
    const tables = recordTables(lookups);
    const columnUses: ColumnUsesByStatement = new Map(
      isVerified ? [] : [...queries.values()].flatMap((one) => [...one.columnUses]),
    );
    const linked = linkResources(definitions, { tables, registry, paths }, own);
    linkSecrets(linked, tables, set.objects);
    linkRepeats(linked, registry, own);
    linkParameters(linked, { registry, report: own, columnUses, profile });
    if (isVerified) return { linked, queries };
    checkTypes(linked, columnUses, { registry, report: own });
    checkGraph(linked, registry, own);
    checkChains(linked, chains, own);
    checkNames(linked, registry, own);
    checkProtections(linked, registry, own);
    checkBlind(linked, { tables, registry, report: own });
    checkProducedNames(linked, registry, own);
    checkPaths(linked, registry, own);
    checkScheduled(linked, registry, own);
    return { linked, queries };
  };
  const listQueries = (definitions: readonly Definition[]): (readonly [Definition, Queries])[] =>
    definitions.flatMap((one) => {
      const found = set.queries.get(one);
      return found === undefined ? [] : [[one, found] as const];
    });
  const listMembers = (head: Definition): readonly Definition[] => joined.get(head)?.definitions ?? [head];
  const listReads = (head: Definition): StageInput => [
    listQueries(listMembers(head)),
    joined.get(head)?.dangling === true ? paths : null,
  ];
  return yield* memory.getOrLookUpAll(heads, report, {
    name: 'link',
    reads: [set.objects, profile, printChains(chains), isVerified],
    readsOf: listReads,
    readsOfBlock: (at) => {
      const block = heads[at] ?? [];
      return joined.size > 0 && block.some((head) => joined.has(head)) ? block.map(listReads) : set.queries.lists[at];
    },
    source: set.tables,
    compute: (head, lookups: Lookups<TableNames>, own) => {
      const definitions = listMembers(head);
      return linkDefinitions(definitions, new Map(listQueries(definitions)), lookups, own);
    },
  });
}

const listLinked = memoize((block: readonly LinkedGroup[]) => block.flatMap(({ linked }) => linked));

const isEachAlone = memoize((block: readonly LinkedGroup[]) => block.every(({ linked }) => linked.length === 1));

/** The linked resources in the order of the set, in blocks like those of the definitions. */
export function orderBySet(
  { memory }: WholeSet,
  resources: Blocks<Definition>,
  groups: Blocks<LinkedGroup>,
): Blocks<LinkedResource> {
  const all = createLazy(
    () => new Map(groups.flatMap((block) => listLinked(block).map((one) => [one.definition, one] as const))),
  );
  const ordered = resources.map((block, at) => {
    const own = groups[at] ?? [];
    return isEachAlone(own) && own.length === block.length
      ? listLinked(own)
      : block.flatMap((one) => all().get(one) ?? []);
  });
  return memory.reuseBlocks('linked resources', ordered);
}

/**
 * What was found for the resources of groups, in the blocks of `orderBySet`. `find` returns a value for each resource of the
 * groups at this place, and the same list as before while the values are the same.
 */
export function spreadOverSet<R>(
  resources: Blocks<LinkedResource>,
  groups: Blocks<LinkedGroup>,
  find: (at: number) => readonly R[],
): Blocks<R> {
  const all = createLazy(
    () => new Map(groups.flatMap((block, at) => listLinked(block).map((one, i) => [one, find(at)[i] as R] as const))),
  );
  return resources.map((block, at) => {
    const own = groups[at] ?? [];
    return isEachAlone(own) && own.length === block.length ? find(at) : block.map((one) => all().get(one) as R);
  });
}

export function* checkGroupOwners({ registry, memory, report }: WholeSet, groups: Blocks<LinkedGroup>): Steps<void> {
  yield* memory.getOrLookUpAll(groups, report, {
    name: 'owners',
    reads: [],
    source: registry,
    compute: ({ linked }, _lookups, own) => {
      checkOwners(registry, own, linked);
      checkEveryRow(registry, own, linked);
    },
  });
}

const recordNames =
  ({ readAnswer }: Lookups<ResultNames>) =>
  (column: string): boolean =>
    readAnswer(column, (from) => from.has(column));

const listDefinitions = memoize(
  (block: readonly LinkedGroup[]): ReadonlySet<Definition> =>
    new Set(listLinked(block).map(({ definition }) => definition)),
);

export function* checkGroupUses(
  set: WholeSet,
  groups: Blocks<LinkedGroup>,
  broken: ReadonlySet<Definition>,
): Steps<void> {
  const { registry, memory, report, answered } = set;
  const runUseChecks = (group: LinkedGroup, lookups: Lookups<ResultNames>, own: Report): void => {
    const answers: ResultColumns = new Map([...group.queries.values()].flatMap((one) => [...one.answers]));
    checkUses({ registry, report: own, answers, answered: recordNames(lookups), broken }, group.linked);
  };
  yield* memory.getOrLookUpAll(groups, report, {
    name: 'uses',
    reads: [],
    readsOf: ({ linked }) => linked.filter(({ definition }) => broken.has(definition)),
    readsOfBlock: (at) => listShared(listDefinitions(groups[at] ?? []), broken),
    source: answered,
    compute: runUseChecks,
  });
}

/** Reports UPDATE and DELETE without WHERE in resources without authentication. */
function checkEveryRow(registry: Registry, report: Report, resources: readonly LinkedResource[]): void {
  for (const { definition, actions } of resources) {
    const { doc, finds, node } = definition;
    const places = finds.places.filter((place) => place.node === node);
    if (hasGuard(registry, places)) continue;
    const reached = actions.filter(({ timing, noOp }) => !timing.scheduled && !noOp);
    for (const statement of finds.statements) {
      if (!reached.some((action) => isInside(statement.node, action.node))) continue;
      for (const { verb, start, end } of statement.language.findUnboundedChanges(statement.scan)) {
        report.add('SQL_EVERY_ROW', locateInString(doc, statement.node, { start, end }), { verb });
      }
    }
  }
}

/** Limits the actionables of one request, and the length of their chains. */
function checkChains(resources: readonly LinkedResource[], limits: ChainLimits, report: Report): void {
  const actions = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, action])));
  const listDependencies = (action: LinkedAction): LinkedAction[] =>
    action.edges.flatMap(({ to }) => actions.get(to) ?? []);
  for (const { definition, actions: own } of resources) {
    const count = listInRunningOrder(own, listDependencies).length;
    const member = findMember(definition.node, 'actionables');
    if (count <= limits.actionables || member === undefined) continue;
    const spot = { doc: definition.doc, start: member.keyStart, end: member.keyEnd };
    report.add('LNK_CHAIN', spot, { count, max: limits.actionables });
  }
  reportDepth(actions, limits.depth, report);
}

/** The edge where the depth first exceeds the limit. */
function reportDepth(actions: ReadonlyMap<string, LinkedAction>, max: number, report: Report): void {
  const depths = new Map<string, number>();
  for (const action of actions.values()) {
    measureDepth(action, actions, depths);
    if (depths.get(action.key) !== max + 1) continue;
    const edge = action.edges.find(({ to }) => depths.get(to) === max);
    if (edge !== undefined) report.add('LNK_DEEP', edge.spot, { name: action.key, other: edge.to, max });
  }
}

/** Iterative depth-first search; edges that close a cycle count as 0. */
function measureDepth(
  start: LinkedAction,
  actions: ReadonlyMap<string, LinkedAction>,
  depths: Map<string, number>,
): void {
  const path = [start];
  const open = new Set([start.key]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.edges.find(({ to }) => actions.has(to) && !depths.has(to) && !open.has(to));
    const target = next && actions.get(next.to);
    if (target !== undefined) {
      open.add(target.key);
      path.push(target);
      continue;
    }
    depths.set(top.key, 1 + Math.max(0, ...top.edges.map(({ to }) => depths.get(to) ?? 0)));
    path.pop();
  }
}
