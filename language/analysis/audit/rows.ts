/**
 * Audits row ownership: a column compared with a claim, or written from one, identifies the owner of a row. Clients
 * must not set it, reads must not return rows of others, and changes must be authenticated.
 */
import { hasIdentifyingGuard } from '../fix-guards.js';
import type { LinkedResource } from '../linked-resource.js';
import { memoize } from '../memoize.js';
import { hasGuard } from '../realms.js';
import type { Registry } from '../registry.js';
import type { Report, SourceLocation } from '../report.js';
import type { Blocks } from '../stage-cache.js';
import type { Access, ParameterUse } from './access.js';

export interface RowsAudit {
  readonly registry: Registry;
  readonly report: Report;
  readonly accesses: Blocks<Access>;
  /** Primary key by model. */
  readonly keys: ReadonlyMap<string, string>;
  /** Fields that refer to a caller, by model. */
  readonly callers: ReadonlyMap<string, readonly string[]>;
}

export function auditRows(audit: RowsAudit): void {
  const { registry, accesses, keys } = audit;
  const owners = findOwnerColumns(accesses, keys);
  const models = [...audit.callers].flatMap(([model, fields]) => (fields.length > 0 ? [model] : []));
  for (const model of new Set([...owners.keys(), ...models])) {
    const all = accesses.flatMap((block) => groupByModel(block).get(model) ?? []);
    const columns = owners.get(model) ?? NONE;
    const callers = audit.callers.get(model) ?? [];
    const open = all.filter(({ dependsOnCaller }) => !dependsOnCaller);
    for (const access of open) {
      const isGuarded = hasIdentifyingGuard(registry, access.resource);
      if (access.verb === 'INSERT' && isGuarded)
        reportSentOwner(audit.report, access, new Set([...columns, ...callers]));
      if (columns.size === 0) continue;
      const sort = classifyAccess(access);
      // If another statement of the kind ignores the caller, that access is public.
      if (open.some((one) => one !== access && classifyAccess(one) === sort)) continue;
      const siblings = all.filter((one) => one !== access && classifyAccess(one) === sort);
      if (siblings.length === 0) continue;
      if (sort === 'read' && isGuarded) reportAccess(audit, 'AUD_READ_ANY', access, siblings);
      const isFree = !hasGuard(registry, listUsages(access.resource)) && isDirect(access, columns, keys);
      if (sort === 'change' && isFree) reportAccess(audit, 'AUD_UNGUARDED', access, siblings);
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

function classifyAccess({ verb }: Access): 'read' | 'change' | 'new' {
  if (verb === 'UPDATE' || verb === 'DELETE') return 'change';
  return verb === 'INSERT' ? 'new' : 'read';
}

const groupByModel = memoize((block: readonly Access[]): ReadonlyMap<string, readonly Access[]> => {
  const groups = new Map<string, Access[]>();
  for (const one of block) {
    const group = groups.get(one.model);
    if (group === undefined) groups.set(one.model, [one]);
    else group.push(one);
  }
  return groups;
});

/** The primary key identifies the owner only in the table of callers. */
function findOwnerColumns(accesses: Blocks<Access>, keys: RowsAudit['keys']): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { model, column } of accesses.flatMap(listClaimColumns))
    if (column !== keys.get(model)) found.set(model, (found.get(model) ?? new Set<string>()).add(column));
  return found;
}

const listClaimColumns = memoize((block: readonly Access[]) =>
  block.flatMap(({ model, columnUses }) =>
    columnUses.flatMap(({ column, from }) => (from === 'claim' ? [{ model, column }] : [])),
  ),
);

const listUsages = ({ definition }: LinkedResource) =>
  definition.finds.places.filter(({ node }) => node === definition.node);

function reportSentOwner(report: Report, { resource, columnUses }: Access, columns: ReadonlySet<string>): void {
  for (const { column, writes, from, node } of columnUses) {
    if (!writes || from !== 'payload' || !columns.has(column)) continue;
    report.add('AUD_OWNER_SENT', toLocation(resource, node), { column });
  }
}

/** The payload alone selects the row, unrestricted by earlier actionables. */
function isDirect(
  { action, columnUses, resource }: Access,
  columns: ReadonlySet<string>,
  keys: RowsAudit['keys'],
): boolean {
  const compared = columnUses.filter(({ writes }) => !writes);
  const isFromPayload = ({ column, from }: ParameterUse): boolean =>
    from === 'payload' && (columns.has(column) || [...keys.values()].includes(column));
  const isFirst = action.edges.length === 0 && resource.actions.every(({ index }) => index >= action.index);
  return isFirst && compared.length > 0 && compared.every(isFromPayload);
}

function reportAccess(audit: RowsAudit, code: string, access: Access, siblings: readonly Access[]): void {
  const { resource, statement, model, verb } = access;
  const [sibling] = siblings;
  const { start, end } = statement.node;
  const related = sibling
    ? [
        {
          message: `"${sibling.resource.id}" depends on the caller`,
          spot: toLocation(sibling.resource, sibling.statement.node),
        },
      ]
    : [];
  audit.report.add(code, { doc: resource.definition.doc, start, end }, { model, verb }, { related });
}

const toLocation = (
  { definition: { doc } }: LinkedResource,
  { start, end }: { start: number; end: number },
): SourceLocation => ({
  doc,
  start,
  end,
});
