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
import { createAnswerRecorder, hasSameAnswers, type StageCache, type StageInput } from './stage-cache.js';
import type { Definition } from './model.js';
import { linkParameters } from './parameters.js';
import type { Registry } from './registry.js';
import { linkRepeats } from './repeats.js';
import type { Report } from './report.js';
import { linkSecrets } from './secret-names.js';
import type { SqlObjects } from './sql-objects.js';
import type { StatementNames } from './sql/names.js';
import type { TableNames } from './tables.js';
import type { LocatedNode } from '../source/tree.js';

export interface Queries {
  readonly answers: ResultColumns;
  readonly meetings: ColumnUsesByStatement;
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
}

export interface WholeSet {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly env: EnvFacts | null;
  readonly given: AnalysisSettings | null;
  readonly tables: TableNames;
  /** Replaced whenever any table changes. */
  readonly tablesKey: object;
  readonly queries: ReadonlyMap<Definition, Queries>;
  readonly paths: ReadonlyMap<string, string>;
  readonly objects: SqlObjects;
  /** True if any query returns this column. */
  readonly answered: (column: string) => boolean;
}

export interface LinkedGroup {
  readonly linked: readonly LinkedResource[];
}

/** The cache key of an empty group. */
const NOBODY = Object.freeze({});

export function linkGroup(set: WholeSet, { definitions, dangling }: ResourceGroup): LinkedGroup {
  const { registry, memory, report, given, tables, tablesKey, paths } = set;
  const queries = definitions.map((definition) => set.queries.get(definition));
  const reads: StageInput[] = [set.objects, definitions, tablesKey, queries, given, dangling ? paths : null];
  const linkDefinitions = (own: Report): LinkedGroup => {
    const meetings: ColumnUsesByStatement = new Map(queries.flatMap((one) => [...(one?.meetings ?? [])]));
    const linked = linkResources(definitions, { tables, registry, paths }, own);
    linkSecrets(linked, tables, set.objects);
    linkRepeats(linked, registry, own);
    linkParameters(linked, { registry, report: own, meetings, profile: given?.profile ?? null });
    checkTypes(linked, meetings, { registry, report: own });
    checkGraph(linked, registry, own);
    checkChains(linked, given?.chains ?? CHAINS, own);
    checkNames(linked, registry, own);
    checkProtections(linked, registry, own);
    checkBlind(linked, { tables, registry, report: own });
    checkProducedNames(linked, registry, own);
    checkPaths(linked, registry, own);
    checkScheduled(linked, registry, own);
    return { linked };
  };
  return memory.getOrCompute(definitions[0] ?? NOBODY, report, { name: 'link', reads, compute: linkDefinitions });
}

export function checkGroupOwners({ registry, memory, report }: WholeSet, group: LinkedGroup): void {
  const runOwnerChecks = (own: Report): void => {
    checkOwners(registry, own, group.linked);
    checkEveryRow(registry, own, group.linked);
  };
  memory.getOrCompute(group, report, { name: 'owners', reads: [], compute: runOwnerChecks });
}

export function checkGroupUses(set: WholeSet, group: LinkedGroup, broken: ReadonlySet<Definition>): void {
  const { registry, memory, report, answered } = set;
  const definitions = group.linked.map(({ definition }) => definition);
  const queries = definitions.map((definition) => set.queries.get(definition));
  const runUseChecks = (own: Report): ReadonlyMap<string, boolean> => {
    const { recordAnswer, recorded } = createAnswerRecorder(answered);
    const answers: ResultColumns = new Map(queries.flatMap((one) => [...(one?.answers ?? [])]));
    checkUses({ registry, report: own, answers, answered: recordAnswer, broken }, group.linked);
    return recorded;
  };
  const isUnchanged = (told: ReadonlyMap<string, boolean>): boolean => hasSameAnswers(told, answered);
  const reads: StageInput[] = [queries, definitions.map((definition) => broken.has(definition))];
  memory.getOrCompute(group, report, { name: 'uses', reads, compute: runUseChecks, isValid: isUnchanged });
}
