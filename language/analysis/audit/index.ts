/** Audits row ownership and secrets across all definitions. Runs after linking and parsing of statements. */
import { asText, isObject } from '../../../contract/json.js';
import { toJsonObject } from '../../source/tree.js';
import type { Queries } from '../link-group.js';
import type { LinkedResource } from '../linked-resource.js';
import type { Lookups, StageCache } from '../stage-cache.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import type { Report } from '../report.js';
import { recordTables, type TableNames } from '../tables.js';
import { listAccesses, type Access } from './access.js';
import { auditRows } from './rows.js';
import { auditSecrets, findHashedColumns, type HashedColumns } from './secrets.js';

const NO_MEETINGS: Queries['meetings'] = new Map();
/** The primary key of a model that declares none. */
const KEY = 'id';

export interface AuditedSet {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly tables: TableNames;
  readonly queries: ReadonlyMap<Definition, Queries>;
}

export function auditSet(
  set: AuditedSet,
  definitions: readonly Definition[],
  resources: readonly LinkedResource[],
): void {
  const { registry, memory, report, tables, queries } = set;
  const models = definitions.filter(({ sort }) => sort === 'model');
  const accesses = resources.flatMap((resource): readonly Access[] => {
    const queried = queries.get(resource.definition);
    const computeAccesses = (lookups: Lookups<TableNames>): readonly Access[] =>
      listAccesses(resource, queried?.meetings ?? NO_MEETINGS, { registry, tables: recordTables(lookups) });
    return memory.getOrLookUp(resource, report, {
      name: 'accesses',
      reads: [queried],
      source: tables,
      compute: computeAccesses,
    });
  });
  const runAudit = (own: Report): void => {
    const given = { registry, report: own, resources, accesses };
    const hashed = findHashedColumns(registry, resources);
    const callers = new Map(models.map((model) => [model.name, listCallerFields(model, tables, hashed)]));
    auditRows({ ...given, callers, keys: new Map(models.map((model) => [model.name, getPrimaryKey(model)])) });
    auditSecrets({ ...given, blindIn: (model) => tables.listBlindFields(model) }, hashed);
  };
  memory.getOrCompute(registry, report, {
    name: 'audit',
    reads: [resources, accesses, models, tables],
    compute: runAudit,
  });
}

/** Fields that refer to a model of callers, that is, one with hashed columns. */
function listCallerFields({ node }: Definition, tables: TableNames, hashed: HashedColumns): string[] {
  return node.members.flatMap(({ key, value }) => {
    const reference = value === null ? null : toJsonObject(value)['foreign_key'];
    const model = isObject(reference) ? tables.findModel(asText(reference['of'])) : undefined;
    return model !== undefined && hashed.has(model) ? [key] : [];
  });
}

const getPrimaryKey = ({ node }: Definition): string =>
  node.members.find(({ value }) => value !== null && toJsonObject(value)['primary_key'] === true)?.key ?? KEY;
