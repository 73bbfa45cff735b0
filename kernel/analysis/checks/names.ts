/** A name that another actionable extracts must exist by then: used earlier, it would silently be null. */
import { offsetInString } from '../../source/escapes.js';
import { Slot } from '../../contract/slot.js';
import { inside, type LinkedAction, type LinkedResource } from '../link.js';
import { runningOrder } from '../order.js';
import type { Registry } from '../registry.js';
import type { Report, Spot } from '../report.js';

export function checkNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  for (const resource of resources) {
    if (resource.names.size === 0) continue;
    const order = runningOrder(resource.actions, waitsFor);
    for (const user of resource.actions) {
      if (!order.includes(user)) continue;
      for (const use of usesOf(resource, user, registry)) reportEarly(resource, use, order, report);
    }
  }
}

interface Use {
  readonly user: LinkedAction;
  readonly name: string;
  readonly spot: Spot;
}

/** Bare names in lists of parameters, and accessors that find names. */
function usesOf({ definition, names }: LinkedResource, user: LinkedAction, registry: Registry): Use[] {
  const { doc, finds } = definition;
  const bare = finds.references
    .filter(({ node }) => user.parameters.get(node.pointer)?.from === 'extracted')
    .map(({ name, spot }) => ({ user, name: String(name).split('.')[0] ?? '', spot }));
  const kind = registry.kindsIn(Slot.ACCESSOR)[0]?.kind ?? '';
  const read = finds.accessors
    .filter(({ node }) => inside(node, user.node))
    .flatMap(({ node, parts }) =>
      parts.flatMap(({ root, tail: [name], start, end }): Use[] => {
        if (name === undefined || !names.has(name)) return [];
        if (registry.plugin(kind, root)?.facts?.['names'] !== true) return [];
        const spot = { doc, start: offsetInString(doc, node, start), end: offsetInString(doc, node, end) };
        return [{ user, name, spot }];
      }),
    );
  return [...bare, ...read];
}

function reportEarly(
  { definition, actions }: LinkedResource,
  { user, name, spot }: Use,
  order: readonly LinkedAction[],
  report: Report,
): void {
  const found = definition.finds.declarations.filter((one) => one.symbol === 'name' && one.name === name);
  const producers = found.flatMap((one) => {
    const action = actions.find((candidate) => inside(one.spot, candidate.node));
    return action === undefined ? [] : [{ action, late: one.late && !action.edges.some(({ feeds }) => feeds) }];
  });
  const position = order.indexOf(user);
  const inTime = producers.some(({ action, late }) => {
    const at = order.indexOf(action);
    if (at === -1) return false;
    if (action === user) return !late;
    return at < position && !areAtOnce(order.slice(at, position + 1));
  });
  if (inTime) return;
  const producer = producers[0]?.action.id;
  report.add('LNK_TOO_EARLY', spot, { name, producer, user: user.id });
}

/** Parallel neighbours run at the same time, whatever stands first. */
const areAtOnce = (neighbours: readonly LinkedAction[]): boolean => neighbours.every(({ parallel }) => parallel);
