/** Checks messages addressed to a uid: it must be certain which guard issues the uid. */
import { nodeAt } from '../../source/tree.js';
import type { PluginPlace } from '../finds.js';
import type { LinkedResource } from '../linked.js';
import { isJudged, meantBy, realmOf, realmsIn } from '../realms.js';
import type { Registry } from '../registry.js';
import { changesOf, repair } from '../repairs.js';
import { inside, type Report, type Spot } from '../report.js';

export function checkRealms(registry: Registry, report: Report, resources: readonly LinkedResource[]): void {
  const senders = resources.flatMap((resource) =>
    sendersIn(registry, resource.definition).map((sender) => ({ ...sender, resource })),
  );
  if (senders.length === 0) return;
  const guarded = resources.map(({ id, definition }) => ({ id, places: guardsOf(definition) }));
  const byId = new Map(guarded.map((one) => [one.id, one.places]));
  const realms = realmsIn(registry, guarded);
  for (const { resource, place, field } of senders) {
    const { doc } = resource.definition;
    const named = place.value[field];
    if (typeof named === 'string') {
      const places = byId.get(named);
      if (places === undefined || realmOf(registry, places) !== null) continue;
      const { start, end } = nodeAt(place.node, `/${field}`)?.node ?? place.node;
      report.add('LNK_NO_REALM', { doc, start, end }, { target: named });
      continue;
    }
    const own = guardsOf(resource.definition);
    const meant = meantBy(realmOf(registry, own), isTrusted(registry, resource, place), realms);
    const spot: Spot = { doc, start: place.node.start, end: place.node.start + 1 };
    const [first = ''] = realms.values();
    const fix = repair(
      `add "${field}": "${first}"`,
      changesOf(doc, place.node, [{ at: `/${field}`, put: first }]) ?? [],
      true,
    );
    if (meant === null) report.add('LNK_REALM', spot, { field, ids: [...realms.values()].join('", "') }, fix);
    else if (meant.realm !== null && meant.open) report.add('LNK_REALM_OPEN', spot, { field, target: first }, fix);
  }
}

interface Sender {
  readonly place: PluginPlace;
  /** Names the resource that has the guard. */
  readonly field: string;
}

/** Definitions do not change after reading, and an analyser has one registry. */
const known = new WeakMap<LinkedResource['definition'], readonly Sender[]>();

function sendersIn(registry: Registry, definition: LinkedResource['definition']): readonly Sender[] {
  const seen = known.get(definition);
  if (seen !== undefined) return seen;
  const found = definition.finds.places.flatMap((place) => {
    const field = registry.plugins.get(place.plugin)?.facts?.['realm'];
    return typeof field === 'string' && place.sound ? [{ place, field }] : [];
  });
  known.set(definition, found);
  return found;
}

const guardsOf = ({ finds, node }: LinkedResource['definition']): readonly PluginPlace[] =>
  finds.places.filter((place) => place.node === node);

function isTrusted(registry: Registry, { definition, actions }: LinkedResource, place: PluginPlace): boolean {
  const action = actions.find(({ node }) => inside(place.node, node));
  return action?.timing.scheduled === true || isJudged(registry, guardsOf(definition));
}
