/** The uid namespace of a message. Realms are hashed, because a definition may contain a key. */
import { BootError } from '../../contract/boot-error.js';
import type { UidNamespace } from '../../contract/delivery.js';
import type { PluginUsage } from './facts.js';
import type { ActionModel, ResourceModel } from './model.js';
import { hasGuard, resolveMessageRealm, findRealm, listRealms } from './realms.js';
import type { Registry } from './registry.js';

type HashRealm = (realm: string) => string;

export function resolveReachedRealm(
  registry: Registry,
  places: readonly PluginUsage[],
  hashRealm: HashRealm,
): string | null {
  const own = findRealm(registry, places);
  return own?.reached === true ? hashRealm(own.realm) : null;
}

interface Around {
  readonly resources: Pick<ReadonlyMap<string, ResourceModel>, 'get'>;
  /** Of all resources, with the id of one that has it. */
  readonly listRealms: () => ReadonlyMap<string, string>;
  readonly registry: Registry;
}

/** `guarded`: id of the resource with the addressed callers. The checker has reported the errors already. */
export function resolveUidNamespace(
  { resources, registry, ...whole }: Around,
  owner: ResourceModel,
  action: ActionModel | null,
  guarded: string | null,
  hashRealm: HashRealm,
): UidNamespace {
  const places = listGuards(guarded === null ? owner : resources.get(guarded));
  const own = findRealm(registry, places);
  if (guarded !== null && own === null) throw new BootError('LNK_NO_REALM', { target: guarded });
  const trusted = action?.timing.scheduled === true || hasGuard(registry, places);
  const realms = whole.listRealms();
  const messageRealm = resolveMessageRealm(own, trusted, realms);
  if (messageRealm === null)
    throw new BootError('LNK_REALM', { field: 'broadcast_guard', ids: [...realms.values()].join('", "') });
  return Object.freeze({
    realm: messageRealm.realm === null ? null : hashRealm(messageRealm.realm),
    open: messageRealm.open,
  });
}

export const listResourceRealms = (
  registry: Registry,
  resources: readonly ResourceModel[],
): ReadonlyMap<string, string> =>
  listRealms(
    registry,
    resources.map((one) => ({ id: one.id, places: listGuards(one) })),
  );

const listGuards = (resource: ResourceModel | undefined): readonly PluginUsage[] =>
  resource?.places.filter(({ node }) => node === resource.definition.node) ?? [];
