/**
 * Audits row ownership: a column compared with a claim, or written from one, identifies the owner of a row. Clients must not set
 * it, reads must not return rows of others, and changes must be authenticated like the other changes of the table.
 */
import { isCallerDependent } from '../checks/row-owners.js';
import { listClaimReaders } from '../checks/readers.js';
import { hasIdentifyingGuard } from '../fix-guards.js';
import type { LinkedResource } from '../linked-resource.js';
import { isJudged } from '../realms.js';
import type { Registry } from '../registry.js';
import type { Report, SourceLocation } from '../report.js';
import type { Access, ParameterUse } from './access.js';

export interface RowsAudit {
  readonly registry: Registry;
  readonly report: Report;
  readonly resources: readonly LinkedResource[];
  readonly accesses: readonly Access[];
  /** Primary key by model. */
  readonly keys: ReadonlyMap<string, string>;
  /** Fields that refer to a caller, by model. */
  readonly callers: ReadonlyMap<string, readonly string[]>;
}

export function auditRows(audit: RowsAudit): void {
  const { registry, accesses, keys } = audit;
  const owners = findOwnerColumns(accesses, keys);
  const readers = listClaimReaders(registry);
  const byKey = new Map(audit.resources.flatMap((one) => one.actions.map((action) => [action.key, one] as const)));
  const asked = new Set(
    accesses.filter(({ resource, action }) => {
      return hasIdentifyingGuard(registry, resource) && isCallerDependent(resource, action, readers, byKey);
    }),
  );
  for (const [model, all] of groupBy(accesses, (access) => access.model)) {
    const columns = owners.get(model) ?? NONE;
    for (const access of all) {
      const isGuarded = hasIdentifyingGuard(registry, access.resource);
      if (access.verb === 'INSERT' && isGuarded && !asked.has(access))
        reportSentOwner(audit.report, access, new Set([...columns, ...(audit.callers.get(model) ?? [])]));
      if (columns.size === 0 || asked.has(access)) continue;
      const sort = classifyAccess(access);
      const siblings = all.filter((one) => one !== access && classifyAccess(one) === sort);
      // If a sibling statement of the same kind ignores the caller, that kind of access is public.
      if (siblings.length === 0 || siblings.some((one) => !asked.has(one))) continue;
      if (sort === 'read' && isGuarded) reportAccess(audit, 'AUD_READ_ANY', access, siblings);
      const isFree = !isJudged(registry, listUsages(access.resource)) && isDirect(access, columns, keys);
      if (sort === 'change' && isFree) reportAccess(audit, 'AUD_UNGUARDED', access, siblings);
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

function classifyAccess({ verb }: Access): 'read' | 'change' | 'new' {
  if (verb === 'UPDATE' || verb === 'DELETE') return 'change';
  return verb === 'INSERT' ? 'new' : 'read';
}

function groupBy<T>(all: readonly T[], getName: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(getName(one));
    if (group === undefined) groups.set(getName(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** Excludes the primary key, which identifies the owner only in the table of callers. */
function findOwnerColumns(accesses: readonly Access[], keys: RowsAudit['keys']): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { model, meetings } of accesses) {
    for (const { column, from } of meetings) {
      if (from !== 'claim' || column === keys.get(model)) continue;
      found.set(model, (found.get(model) ?? new Set<string>()).add(column));
    }
  }
  return found;
}

const listUsages = ({ definition }: LinkedResource) =>
  definition.finds.places.filter(({ node }) => node === definition.node);

function reportSentOwner(report: Report, { resource, meetings }: Access, columns: ReadonlySet<string>): void {
  for (const { column, writes, from, node } of meetings) {
    if (!writes || from !== 'payload' || !columns.has(column)) continue;
    report.add('AUD_OWNER_SENT', toLocation(resource, node), { column });
  }
}

/** True if the payload alone selects the row, and no earlier actionable restricts it. */
function isDirect(
  { action, meetings, resource }: Access,
  columns: ReadonlySet<string>,
  keys: RowsAudit['keys'],
): boolean {
  const compared = meetings.filter(({ writes }) => !writes);
  const isName = ({ column, from }: ParameterUse): boolean =>
    from === 'payload' && (columns.has(column) || [...keys.values()].includes(column));
  const isFirst = action.edges.length === 0 && resource.actions.every(({ index }) => index >= action.index);
  return isFirst && compared.length > 0 && compared.every(isName);
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
