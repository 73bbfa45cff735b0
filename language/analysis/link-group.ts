/**
 * Links the resources of one group and runs its checks; cached per group.
 * Every read outside the group must be listed in `reads`.
 */
import { CHAINS, checkChains } from './chains.js';
import { checkBlind } from './checks/blind.js';
import { checkGivenNames } from './checks/given-names.js';
import { checkNames } from './checks/names.js';
import { checkProtections } from './checks/protections.js';
import { checkEveryRow } from './checks/every-row.js';
import { checkOwners } from './checks/owners.js';
import { checkPaths } from './checks/paths-inside.js';
import { checkScheduled } from './checks/scheduled.js';
import type { Answers } from './checks/statements.js';
import { checkTypes, type Meetings } from './checks/types.js';
import { checkUses } from './checks/uses.js';
import type { EnvFacts } from './checks/accessors.js';
import type { Given } from './config.js';
import { checkGraph } from './graph.js';
import type { Group } from './groups.js';
import { linkResources } from './link.js';
import type { LinkedResource } from './linked.js';
import { questions, toldTheSame, type Memory, type Read } from './memory.js';
import type { Definition } from './model.js';
import { linkParameters } from './parameters.js';
import type { Registry } from './registry.js';
import { linkRepeats } from './repeats.js';
import type { Report } from './report.js';
import { linkSecrets } from './secret-names.js';
import type { StatementNames } from './sql/names.js';
import type { TableNames } from './tables.js';
import type { LocatedNode } from '../source/tree.js';

export interface Queries {
  readonly answers: Answers;
  readonly meetings: Meetings;
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
}

export interface WholeSet {
  readonly registry: Registry;
  readonly memory: Memory;
  readonly report: Report;
  readonly env: EnvFacts | null;
  readonly given: Given | null;
  readonly tables: TableNames;
  /** Replaced whenever any table changes. */
  readonly tablesKey: object;
  readonly queries: ReadonlyMap<Definition, Queries>;
  readonly paths: ReadonlyMap<string, string>;
  /** True if any query returns this column. */
  readonly answered: (column: string) => boolean;
}

export interface LinkedGroup {
  readonly linked: readonly LinkedResource[];
}

/** The cache key of an empty group. */
const NOBODY = Object.freeze({});

export function linkGroup(set: WholeSet, { definitions, dangling }: Group): LinkedGroup {
  const { registry, memory, report, given, tables, tablesKey, paths } = set;
  const queries = definitions.map((definition) => set.queries.get(definition));
  const reads: Read[] = [definitions, tablesKey, queries, given, dangling ? paths : null];
  const work = (own: Report): LinkedGroup => {
    const meetings: Meetings = new Map(queries.flatMap((one) => [...(one?.meetings ?? [])]));
    const linked = linkResources(definitions, { tables, registry, paths }, own);
    linkSecrets(linked, tables);
    linkRepeats(linked, registry, own);
    linkParameters(linked, { registry, report: own, meetings, profile: given?.profile ?? null });
    checkTypes(linked, meetings, { registry, report: own });
    checkGraph(linked, registry, own);
    checkChains(linked, given?.chains ?? CHAINS, own);
    checkNames(linked, registry, own);
    checkProtections(linked, registry, own);
    checkBlind(linked, { tables, registry, report: own });
    checkGivenNames(linked, registry, own);
    checkPaths(linked, registry, own);
    checkScheduled(linked, registry, own);
    return { linked };
  };
  return memory.remember(definitions[0] ?? NOBODY, report, { name: 'link', reads, work });
}

export function judgeOwners({ registry, memory, report }: WholeSet, group: LinkedGroup): void {
  const work = (own: Report): void => {
    checkOwners(registry, own, group.linked);
    checkEveryRow(registry, own, group.linked);
  };
  memory.remember(group, report, { name: 'owners', reads: [], work });
}

export function judgeUses(set: WholeSet, group: LinkedGroup, broken: ReadonlySet<Definition>): void {
  const { registry, memory, report, answered } = set;
  const definitions = group.linked.map(({ definition }) => definition);
  const queries = definitions.map((definition) => set.queries.get(definition));
  const work = (own: Report): ReadonlyMap<string, boolean> => {
    const { ask, told } = questions(answered);
    const answers: Answers = new Map(queries.flatMap((one) => [...(one?.answers ?? [])]));
    checkUses({ registry, report: own, answers, answered: ask, broken }, group.linked);
    return told;
  };
  const holds = (told: ReadonlyMap<string, boolean>): boolean => toldTheSame(told, answered);
  const reads: Read[] = [queries, definitions.map((definition) => broken.has(definition))];
  memory.remember(group, report, { name: 'uses', reads, work, holds });
}
