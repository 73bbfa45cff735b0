/**
 * Links the resources of one group and runs its checks; cached per group.
 * Every read outside the group must be listed in `reads`.
 */
import { CHAINS, checkChains } from './accessor-paths.js';
import { checkBlind } from './checks/blind-index.js';
import { checkProducedNames } from './checks/produced-names.js';
import { checkNames } from './checks/names.js';
import { checkProtections } from './checks/protections.js';
import { checkEveryRow } from './checks/every-row.js';
import { checkOwners } from './checks/row-owners.js';
import { checkPaths } from './checks/paths-inside.js';
import { checkScheduled } from './checks/scheduled.js';
import type { ResultColumns } from './checks/statements.js';
import { checkTypes, type ColumnUsesByStatement } from './checks/types.js';
import { checkUses } from './checks/uses.js';
import type { EnvFacts } from './checks/accessors.js';
import type { AnalysisSettings } from './config.js';
import { checkGraph } from './graph.js';
import type { ResourceGroup } from './resource-groups.js';
import { linkResources } from './link-resources.js';
import type { LinkedResource } from './linked-resource.js';
import type { Lookups, StageCache, StageInput } from './stage-cache.js';
import type { Definition } from './model.js';
import { linkParameters } from './parameters.js';
import type { Registry } from './registry.js';
import { linkRepeats } from './repeats.js';
import type { Report } from './report.js';
import { linkSecrets } from './secret-names.js';
import type { SqlObjects } from './sql-objects.js';
import type { StatementNames } from './sql/names.js';
import { recordTables, type TableNames } from './tables.js';
import type { LocatedNode } from '../source/tree.js';

export interface Queries {
  readonly answers: ResultColumns;
  readonly meetings: ColumnUsesByStatement;
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
}

export interface ResultNames {
  /** True if any query returns this column. */
  has(column: string): boolean;
}

export interface WholeSet {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly env: EnvFacts | null;
  readonly given: AnalysisSettings | null;
  /** Replaced whenever any table changes. */
  readonly tables: TableNames;
  readonly queries: ReadonlyMap<Definition, Queries>;
  /** Returns the earlier value if `content` is unchanged; later stages compare by identity. */
  readonly reuseUnchanged: <T>(name: string, content: readonly StageInput[], value: T) => T;
  readonly paths: ReadonlyMap<string, string>;
  readonly objects: SqlObjects;
  readonly answered: ResultNames;
}

export interface LinkedGroup {
  readonly linked: readonly LinkedResource[];
}

/** The cache key of an empty group. */
const NOBODY = Object.freeze({});

export function linkGroup(set: WholeSet, { definitions, dangling }: ResourceGroup): LinkedGroup {
  const { registry, memory, report, given, paths } = set;
  const queries = definitions.map((definition) => set.queries.get(definition));
  const [profile, chains] = [given?.profile ?? null, given?.chains ?? CHAINS];
  const reads: StageInput[] = [set.objects, definitions, queries, profile, JSON.stringify(chains)];
  if (dangling) reads.push(paths);
  const linkDefinitions = (lookups: Lookups<TableNames>, own: Report): LinkedGroup => {
    const tables = recordTables(lookups);
    const meetings: ColumnUsesByStatement = new Map(queries.flatMap((one) => [...(one?.meetings ?? [])]));
    const linked = linkResources(definitions, { tables, registry, paths }, own);
    linkSecrets(linked, tables, set.objects);
    linkRepeats(linked, registry, own);
    linkParameters(linked, { registry, report: own, meetings, profile });
    checkTypes(linked, meetings, { registry, report: own });
    checkGraph(linked, registry, own);
    checkChains(linked, chains, own);
    checkNames(linked, registry, own);
    checkProtections(linked, registry, own);
    checkBlind(linked, { tables, registry, report: own });
    checkProducedNames(linked, registry, own);
    checkPaths(linked, registry, own);
    checkScheduled(linked, registry, own);
    return { linked };
  };
  return memory.getOrLookUp(definitions[0] ?? NOBODY, report, {
    name: 'link',
    reads,
    source: set.tables,
    compute: linkDefinitions,
  });
}

export function checkGroupOwners({ registry, memory, report }: WholeSet, group: LinkedGroup): void {
  const runOwnerChecks = (own: Report): void => {
    checkOwners(registry, own, group.linked);
    checkEveryRow(registry, own, group.linked);
  };
  memory.getOrCompute(group, report, { name: 'owners', reads: [], compute: runOwnerChecks });
}

const recordNames =
  ({ readAnswer }: Lookups<ResultNames>) =>
  (column: string): boolean =>
    readAnswer(column, (from) => from.has(column));

export function checkGroupUses(set: WholeSet, group: LinkedGroup, broken: ReadonlySet<Definition>): void {
  const { registry, memory, report, answered } = set;
  const definitions = group.linked.map(({ definition }) => definition);
  const queries = definitions.map((definition) => set.queries.get(definition));
  const runUseChecks = (lookups: Lookups<ResultNames>, own: Report): void => {
    const answers: ResultColumns = new Map(queries.flatMap((one) => [...(one?.answers ?? [])]));
    checkUses({ registry, report: own, answers, answered: recordNames(lookups), broken }, group.linked);
  };
  const reads: StageInput[] = [queries, definitions.map((definition) => broken.has(definition))];
  memory.getOrLookUp(group, report, { name: 'uses', reads, source: answered, compute: runUseChecks });
}
