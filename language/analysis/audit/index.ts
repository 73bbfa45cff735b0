/** Audits row ownership, deleted rows and secrets across all definitions, after linking. */
import { asText, isObject } from '../../../contract/json.js';
import { toJsonObject } from '../../source/tree.js';
import { joinLists } from '../blocks.js';
import { spreadOverSet, type LinkedGroup, type Queries } from '../link-group.js';
import type { LinkedResource } from '../linked-resource.js';
import type { Blocks, Lookups, StageCache } from '../stage-cache.js';
import { type Steps, flatMapInSteps } from '../steps.js';
import { memoize } from '../memoize.js';
import type { Definition } from '../model.js';
import { mapOwners } from '../path-reads.js';
import type { Registry } from '../registry.js';
import type { Report } from '../report.js';
import { recordTables, type TableNames } from '../tables.js';
import { listAccesses, type Access } from './access.js';
import { auditDeletedRows } from './deleted-rows.js';
import { auditRows } from './rows.js';
import { auditSecrets, findHashedColumns, listHashedNamesIn, type HashedColumns } from './secrets.js';

const NO_MEETINGS: Queries['columnUses'] = new Map();
/** The primary key of a model that declares none. */
const KEY = 'id';

export interface AuditedSet {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly tables: TableNames;
}

export interface AuditedDefinitions {
  readonly definitions: readonly Definition[];
  readonly resources: Blocks<LinkedResource>;
  readonly groups: Blocks<LinkedGroup>;
}

export function* auditSet(set: AuditedSet, { definitions, resources, groups }: AuditedDefinitions): Steps<void> {
  const { registry, memory, report, tables } = set;
  const models = definitions.filter(({ sort }) => sort === 'model');
  const found = yield* memory.getOrLookUpAll(groups, report, {
    name: 'accesses',
    reads: [],
    source: tables,
    compute: ({ linked, queries }, lookups: Lookups<TableNames>): readonly (readonly Access[])[] => {
      const context = { registry, tables: recordTables(lookups), owners: mapOwners(linked) };
      return linked.map((one) => listAccesses(one, queries.get(one.definition)?.columnUses ?? NO_MEETINGS, context));
    },
  });
  const spread = spreadOverSet(resources, groups, (at) => joinLists(found[at] ?? []));
  const accesses = memory.reuseBlocks('accesses', spread).map(joinLists);
  yield* flatMapInSteps(resources, (block) => listHashedNamesIn(block, registry));
  const runAudit = (own: Report): void => {
    const given = { registry, report: own, resources, accesses };
    const hashed = findHashedColumns(registry, resources);
    const callers = new Map(models.map((model) => [model.name, listCallerFields(model, tables, hashed)]));
    auditRows({ ...given, callers, keys: new Map(models.map((model) => [model.name, getPrimaryKey(model)])) });
    auditDeletedRows(resources, tables, own);
    auditSecrets({ ...given, blindIn: (model) => tables.listBlindFields(model) }, hashed);
  };
  memory.getOrCompute(registry, report, {
    name: 'audit',
    reads: [resources, accesses, models, tables],
    compute: runAudit,
  });
}

function listCallerFields({ node }: Definition, tables: TableNames, hashed: HashedColumns): string[] {
  if (hashed.size === 0) return [];
  return node.members.flatMap(({ key, value }) => {
    const reference = value === null ? null : toJsonObject(value)['foreign_key'];
    const model = isObject(reference) ? tables.findModel(asText(reference['of'])) : undefined;
    return model !== undefined && hashed.has(model) ? [key] : [];
  });
}

const getPrimaryKey = memoize(
  ({ node }: Definition): string =>
    node.members.find(({ value }) => value !== null && toJsonObject(value)['primary_key'] === true)?.key ?? KEY,
);
