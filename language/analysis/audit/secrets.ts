/**
 * Audits secrets across resources: unhashed passwords, hashes in responses, guards with a key that no issuer uses,
 * and rows of one caller broadcast to all.
 */
import { asText } from '../../../contract/json.js';
import { findNode } from '../../source/tree.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { isCovered } from '../checks/protections.js';
import { listPayloadReaders } from '../checks/readers.js';
import { hasIdentifyingGuard } from '../fix-guards.js';
import type { PluginUsage } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { memoize, memoizeWith } from '../memoize.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { addRenamed } from '../renamed-columns.js';
import { isInside, type Report, type SourceLocation } from '../report.js';
import type { Blocks } from '../stage-cache.js';
import type { Access, ParameterUse } from './access.js';

export interface SecretsAudit {
  readonly registry: Registry;
  readonly report: Report;
  readonly resources: Blocks<LinkedResource>;
  readonly accesses: Blocks<Access>;
  /** Encrypted fields with a blind index. */
  readonly blindIn: (model: string) => readonly string[];
}

const PASSWORD = /^(?:user_?)?(?:pass(?:word|wd|code|phrase)?|pwd)(?:_?(?:hash|digest))?$/i;

export type HashedColumns = ReadonlyMap<string, ReadonlySet<string>>;

export function findHashedColumns(registry: Registry, resources: Blocks<LinkedResource>): HashedColumns {
  const hashed = new Map<string, Set<string>>();
  for (const [{ secretModels }, names] of resources.flatMap((block) => listHashedNamesIn(block, registry)))
    for (const name of names)
      for (const model of secretModels) hashed.set(model, (hashed.get(model) ?? new Set()).add(name));
  return hashed;
}

export function auditSecrets(audit: SecretsAudit, hashed: HashedColumns): void {
  for (const access of audit.accesses.flatMap(listNamedPasswords))
    if (!hashed.has(access.model)) auditPassword(audit, access, NO_COLUMNS);
  if (hashed.size > 0)
    for (const access of audit.accesses.flat()) {
      const columns = hashed.get(access.model);
      if (columns !== undefined) auditPassword(audit, access, columns);
    }
  const speaking =
    hashed.size > 0 ? audit.resources.flat() : audit.resources.flatMap((block) => listAudited(block, audit.registry));
  for (const resource of speaking) auditResponse(audit, resource, hashed);
  auditKeys(audit);
}

/** Where no column is hashed, only these can contain a hash or a row of the caller. */
const listAudited = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  block.filter(
    (one) => listHashedNames(one, registry).length > 0 || listSendsToAll(one.definition, registry).length > 0,
  ),
);

export const listHashedNamesIn = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  block.flatMap((resource) => listHashedNames(resource, registry)),
);

const isNamedPassword = ({ column, from }: ParameterUse): boolean => from === 'payload' && PASSWORD.test(column);

const listNamedPasswords = memoize((block: readonly Access[]) =>
  block.filter(({ columnUses }) => columnUses.some(isNamedPassword)),
);

const listHashedNames = memoizeWith((resource: LinkedResource, registry: Registry) =>
  resource.actions.flatMap((action) => {
    const names = findHashedNames(registry, resource, action);
    return names.length === 0 ? [] : [[action, names] as const];
  }),
);

/** The last segment of a hashed property is also the name of its column. */
function findHashedNames({ plugins }: Registry, { definition }: LinkedResource, action: LinkedAction): string[] {
  const { places, declarations, references } = definition.finds;
  const hashing = places.filter(
    ({ plugin, node }) => isInside(node, action.node) && plugins.get(plugin)?.facts?.conceals !== undefined,
  );
  const own = declarations.filter(
    ({ symbol, spot }) =>
      symbol === 'secret' &&
      hashing.some(({ node }) => isInside(spot, node)) &&
      references.some(({ refers, spot: at }) => refers.named === true && at.start === spot.start),
  );
  return own.map(({ name }) => name.slice(name.lastIndexOf('.') + 1));
}

function auditPassword(audit: SecretsAudit, access: Access, hashed: ReadonlySet<string>): void {
  const { resource, action, model, columnUses } = access;
  const blind = audit.blindIn(model);
  const passwords = columnUses.filter(
    (one) => one.from === 'payload' && (hashed.has(one.column) || isNamedPassword(one)) && !blind.includes(one.column),
  );
  if (passwords.length === 0) return;
  const readers = listPayloadReaders(audit.registry);
  const sealed = resource.definition.finds.references.filter(
    ({ refers, spot }) =>
      refers.symbol === 'payload-field' && refers.named === true && isInside(spot, resource.definition.node),
  );
  for (const { column, writes, node } of passwords) {
    const text = asText(node.scalar);
    const isProtectedName = (name: string): boolean =>
      isCovered(text, name, readers) || isCovered(text, name.slice(name.indexOf('.') + 1), readers);
    if (sealed.some(({ name }) => isProtectedName(String(name))) || action.secrets.includes(column)) continue;
    audit.report.add(writes ? 'AUD_PASSWORD_CLEAR' : 'AUD_PASSWORD_COMPARED', toLocation(resource, node), { column });
  }
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

function auditResponse(audit: SecretsAudit, resource: LinkedResource, hashed: HashedColumns): void {
  const own = listHashedNames(resource, audit.registry);
  const touched = hashed.size === 0 ? [] : listTouchedModels(resource).flatMap((one) => [...(hashed.get(one) ?? [])]);
  if (touched.length + own.length > 0)
    auditAnswers(audit, resource, [...touched, ...own.flatMap(([, names]) => names)]);
  const { report, registry, accesses } = audit;
  const sends = listSendsToAll(resource.definition, registry);
  if (sends.length === 0 || !hasIdentifyingGuard(registry, resource)) return;
  for (const { node } of sends) {
    const action = resource.actions.find((one) => isInside(node, one.node));
    const isOfCaller = accesses
      .flat()
      .some((one) => one.action === action && one.columnUses.some(({ from }) => from === 'claim'));
    if (isOfCaller) report.add('AUD_TO_EVERYBODY', toLocation(resource, node));
  }
}

/** Response fields of the resource, else those of its actionables. */
function auditAnswers({ report }: SecretsAudit, resource: LinkedResource, secrets: readonly string[]): void {
  const { references, statements } = resource.definition.finds;
  const objects = resource.actions.flatMap(({ behind }) => behind.objects);
  const names = addRenamed(secrets, statements, undefined, objects);
  const listed = references.filter(({ refers }) => refers.symbol === 'value' && refers.extracted !== true);
  const isInAction = ({ node }: (typeof listed)[number]): boolean =>
    resource.actions.some((one) => isInside(node, one.node));
  const outer = listed.filter((one) => !isInAction(one));
  for (const { name, spot } of outer.length > 0 ? outer : listed) {
    const last = String(name).split('.').at(-1) ?? '';
    if (names.has(last)) report.add('AUD_HASH_ANSWERED', spot, { name: last });
  }
}

const listTouchedModels = memoize(({ actions }: LinkedResource): readonly string[] =>
  actions.flatMap(({ models, behind }) => [...models, ...behind.models]),
);

const listSendsToAll = memoizeWith(({ finds }: Definition, { plugins }: Registry) =>
  finds.places.filter(({ plugin }) => plugins.get(plugin)?.facts?.everybody === true),
);

function auditKeys({ report, registry, resources }: SecretsAudit): void {
  const found = resources.flatMap((block) => listTokenKeysIn(block, registry));
  const given = collectGivenKeys(found);
  for (const { resource, place, sort, takes, at } of found) {
    const compared = given.get(sort) ?? given.get(null);
    if (takes === null || compared === undefined || compared.keys.has(takes)) continue;
    const { first } = compared;
    const node = findNode(place.node, at)?.node ?? place.node;
    const other = findNode(first.place.node, first.at)?.node ?? first.place.node;
    const related = [
      { message: `"${first.resource.id}" gives out tokens with this key`, spot: toLocation(first.resource, other) },
    ];
    report.add('AUD_OTHER_KEY', toLocation(resource, node), {}, { related });
  }
}

type TokenKeys = NonNullable<ReturnType<NonNullable<PluginSpec['getTokenKeys']>>>;

interface KeyPlace extends TokenKeys {
  readonly resource: LinkedResource;
  readonly place: PluginUsage;
}

interface GivenKeys {
  /** The first place that gives out such tokens. */
  readonly first: KeyPlace;
  readonly keys: Set<string>;
}

/** The keys that issue tokens, by type; null: of any type. */
function collectGivenKeys(places: readonly KeyPlace[]): ReadonlyMap<string | null, GivenKeys> {
  const given = new Map<string | null, GivenKeys>();
  for (const place of places) {
    if (place.gives === null) continue;
    for (const sort of [place.sort, null]) {
      const known = given.get(sort) ?? { first: place, keys: new Set<string>() };
      known.keys.add(place.gives);
      given.set(sort, known);
    }
  }
  return given;
}

const listTokenKeys = memoizeWith((resource: LinkedResource, registry: Registry): readonly KeyPlace[] => {
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  return resource.definition.finds.places.flatMap((place) => {
    if (place.node !== resource.definition.node) return [];
    const tokens = registry.plugins.get(place.plugin)?.getTokenKeys?.({ ...place, facts: findFacts });
    return tokens === undefined ? [] : [{ resource, place, ...tokens }];
  });
});

const listTokenKeysIn = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  block.flatMap((resource) => listTokenKeys(resource, registry)),
);

const toLocation = (
  { definition: { doc } }: LinkedResource,
  { start, end }: { start: number; end: number },
): SourceLocation => ({
  doc,
  start,
  end,
});
