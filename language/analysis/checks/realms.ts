/** It must be certain which guard issues the uid of a message. */
import { findNode } from '../../source/tree.js';
import type { PluginUsage } from '../facts.js';
import type { LinkedResource } from '../linked-resource.js';
import { memoizeWith } from '../memoize.js';
import { hasGuard, resolveMessageRealm, findRealm, listRealms } from '../realms.js';
import type { Registry } from '../registry.js';
import { resolveEdits } from '../fix-factory.js';
import { isInside, type Report, type SourceLocation, createFix } from '../report.js';
import type { Blocks } from '../stage-cache.js';

export function checkRealms(
  registry: Registry,
  report: Report,
  resources: readonly LinkedResource[],
  blocks: Blocks<LinkedResource>,
): void {
  const senders = blocks.flatMap((block) => listSenders(block, registry));
  if (senders.length === 0) return;
  const guarded = resources.map(({ id, definition }) => ({ id, places: listGuards(definition) }));
  const byId = new Map(guarded.map((one) => [one.id, one.places]));
  const realms = listRealms(registry, guarded);
  for (const { resource, place, field } of senders) {
    const { doc } = resource.definition;
    const named = place.value[field];
    if (typeof named === 'string') {
      const places = byId.get(named);
      if (places === undefined || findRealm(registry, places) !== null) continue;
      const { start, end } = findNode(place.node, `/${field}`)?.node ?? place.node;
      report.add('LNK_NO_REALM', { doc, start, end }, { target: named });
      continue;
    }
    const own = listGuards(resource.definition);
    const messageRealm = resolveMessageRealm(findRealm(registry, own), isTrusted(registry, resource, place), realms);
    const spot: SourceLocation = { doc, start: place.node.start, end: place.node.start + 1 };
    const [first = ''] = realms.values();
    const fix = createFix(
      `add "${field}": "${first}"`,
      resolveEdits(doc, place.node, [{ at: `/${field}`, put: first }]) ?? [],
      true,
    );
    if (messageRealm === null) report.add('LNK_REALM', spot, { field, ids: [...realms.values()].join('", "') }, fix);
    else if (messageRealm.realm !== null && messageRealm.open)
      report.add('LNK_REALM_OPEN', spot, { field, target: first }, fix);
  }
}

interface Sender {
  readonly resource: LinkedResource;
  readonly place: PluginUsage;
  /** Names the resource that has the guard. */
  readonly field: string;
}

const listSenders = memoizeWith((block: readonly LinkedResource[], registry: Registry): readonly Sender[] =>
  block.flatMap((resource) =>
    resource.definition.finds.places.flatMap((place) => {
      const field = registry.plugins.get(place.plugin)?.facts?.realm;
      return typeof field === 'string' && place.sound ? [{ resource, place, field }] : [];
    }),
  ),
);

const listGuards = ({ finds, node }: LinkedResource['definition']): readonly PluginUsage[] =>
  finds.places.filter((place) => place.node === node);

function isTrusted(registry: Registry, { definition, actions }: LinkedResource, place: PluginUsage): boolean {
  const action = actions.find(({ node }) => isInside(place.node, node));
  return action?.timing.scheduled === true || hasGuard(registry, listGuards(definition));
}
