/**
 * Audits secrets across resources: unhashed passwords, hashes in responses, guards with a key that no issuer of the same tokens
 * uses, and rows of one caller that are broadcast to all clients.
 */
import { asText } from '../../../contract/json.js';
import { findNode } from '../../source/tree.js';
import { isCovered } from '../checks/protections.js';
import { listPayloadReaders } from '../checks/readers.js';
import { hasIdentifyingGuard } from '../fix-guards.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { addRenamed } from '../renamed-columns.js';
import { isInside, type Report, type SourceLocation } from '../report.js';
import type { Access } from './access.js';

export interface SecretsAudit {
  readonly registry: Registry;
  readonly report: Report;
  readonly resources: readonly LinkedResource[];
  readonly accesses: readonly Access[];
  /** Encrypted fields with a blind index. */
  readonly blindIn: (model: string) => readonly string[];
}

const PASSWORD = /^(?:user_?)?(?:pass(?:word|wd|code|phrase)?|pwd)(?:_?(?:hash|digest))?$/i;

export type HashedColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** Hashed columns by model. */
export function findHashedColumns(registry: Registry, resources: readonly LinkedResource[]): HashedColumns {
  const hashed = new Map<string, Set<string>>();
  for (const resource of resources)
    for (const action of resource.actions)
      for (const name of listHashedNames(registry, resource, action))
        for (const model of action.secretModels) hashed.set(model, (hashed.get(model) ?? new Set()).add(name));
  return hashed;
}

export function auditSecrets(audit: SecretsAudit, hashed: HashedColumns): void {
  for (const access of audit.accesses) auditPassword(audit, access, hashed.get(access.model));
  for (const resource of audit.resources) auditResponse(audit, resource, hashed);
  auditKeys(audit);
}

/** The last segment of a hashed property is also the name of its column. */
function listHashedNames({ plugins }: Registry, { definition }: LinkedResource, action: LinkedAction): string[] {
  const { places, declarations, references } = definition.finds;
  const hashing = places.filter(
    ({ plugin, node }) => isInside(node, action.node) && plugins.get(plugin)?.facts?.['conceals'] !== undefined,
  );
  const own = declarations.filter(
    ({ symbol, spot }) =>
      symbol === 'secret' &&
      hashing.some(({ node }) => isInside(spot, node)) &&
      references.some(({ refers, spot: at }) => refers.named === true && at.start === spot.start),
  );
  return own.map(({ name }) => name.slice(name.lastIndexOf('.') + 1));
}

function auditPassword(
  audit: SecretsAudit,
  { resource, action, model, meetings }: Access,
  hashed?: ReadonlySet<string>,
): void {
  const blind = audit.blindIn(model);
  const readers = listPayloadReaders(audit.registry);
  const sealed = resource.definition.finds.references.filter(
    ({ refers, spot }) =>
      refers.symbol === 'payload-field' && refers.named === true && isInside(spot, resource.definition.node),
  );
  for (const { column, writes, from, node } of meetings) {
    const isPassword = hashed?.has(column) === true || PASSWORD.test(column);
    if (from !== 'payload' || !isPassword || blind.includes(column)) continue;
    const text = asText(node.scalar);
    const isProtectedName = (name: string): boolean =>
      isCovered(text, name, readers) || isCovered(text, name.slice(name.indexOf('.') + 1), readers);
    if (sealed.some(({ name }) => isProtectedName(String(name))) || action.secrets.includes(column)) continue;
    audit.report.add(writes ? 'AUD_PASSWORD_CLEAR' : 'AUD_PASSWORD_COMPARED', toLocation(resource, node), { column });
  }
}

/** Uses the response fields of the resource, or those of its actionables if it has none. */
function auditResponse(
  { report, registry, accesses }: SecretsAudit,
  resource: LinkedResource,
  hashed: HashedColumns,
): void {
  const { references, statements, places } = resource.definition.finds;
  const own = resource.actions.flatMap((action) => listHashedNames(registry, resource, action));
  const touched = resource.actions.flatMap(({ models, behind }) =>
    [...models, ...behind.models].flatMap((model) => [...(hashed.get(model) ?? [])]),
  );
  const objects = resource.actions.flatMap(({ behind }) => behind.objects);
  const names = addRenamed([...touched, ...own], statements, undefined, objects);
  const listed = references.filter(({ refers }) => refers.symbol === 'value' && refers.extracted !== true);
  const isInAction = ({ node }: (typeof listed)[number]): boolean =>
    resource.actions.some((one) => isInside(node, one.node));
  const outer = listed.filter((one) => !isInAction(one));
  for (const { name, spot } of outer.length > 0 ? outer : listed) {
    const last = String(name).split('.').at(-1) ?? '';
    if (names.has(last)) report.add('AUD_HASH_ANSWERED', spot, { name: last });
  }
  if (!hasIdentifyingGuard(registry, resource)) return;
  for (const { plugin, node } of places) {
    if (registry.plugins.get(plugin)?.facts?.['everybody'] !== true) continue;
    const action = resource.actions.find((one) => isInside(node, one.node));
    const isOfCaller = accesses.some(
      (one) => one.action === action && one.meetings.some(({ from }) => from === 'claim'),
    );
    if (isOfCaller) report.add('AUD_TO_EVERYBODY', toLocation(resource, node));
  }
}

function auditKeys({ report, registry, resources }: SecretsAudit): void {
  const found = resources.flatMap((resource) =>
    resource.definition.finds.places.flatMap((place) => {
      const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
      const tokens = registry.plugins.get(place.plugin)?.getTokenKeys?.({ ...place, facts: findFacts });
      return tokens === undefined || place.node !== resource.definition.node ? [] : [{ resource, place, ...tokens }];
    }),
  );
  for (const { resource, place, sort, takes, at } of found) {
    const given = found.filter((one) => one.gives !== null);
    const same = given.filter((one) => one.sort === sort);
    // Tokens of another type with the same key have a row of their own.
    const compared = same.length > 0 ? same : given;
    const [first] = compared;
    if (takes === null || first === undefined || compared.some(({ gives }) => gives === takes)) continue;
    const node = findNode(place.node, at)?.node ?? place.node;
    const other = findNode(first.place.node, first.at)?.node ?? first.place.node;
    const related = [
      { message: `"${first.resource.id}" gives out tokens with this key`, spot: toLocation(first.resource, other) },
    ];
    report.add('AUD_OTHER_KEY', toLocation(resource, node), {}, { related });
  }
}

const toLocation = (
  { definition: { doc } }: LinkedResource,
  { start, end }: { start: number; end: number },
): SourceLocation => ({
  doc,
  start,
  end,
});
