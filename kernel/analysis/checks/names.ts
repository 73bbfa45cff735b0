/** A name that an actionable extracts or generates must exist by then: used earlier, it would silently be null. */
import type { Params } from '../../contract/problem.js';
import { offsetInString } from '../../source/escapes.js';
import { Slot } from '../../contract/slot.js';
import { inside, type LinkedAction, type LinkedResource } from '../link.js';
import { runningOrder } from '../order.js';
import type { Registry } from '../registry.js';
import type { Report, Spot } from '../report.js';

export function checkNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const owners = new Map(resources.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));
  const early = (owner: LinkedResource, order: readonly LinkedAction[]): Use[] =>
    order
      .filter((user) => owners.get(user.key) === owner)
      .flatMap((user) => usesOf(owner, user, registry))
      .filter((use) => !isInTime(owner, use, order));
  for (const resource of resources) {
    const order = runningOrder(resource.actions, waitsFor);
    for (const use of early(resource, order)) report.add('LNK_TOO_EARLY', use.spot, paramsOf(resource, use));
    // What runs here for another resource finds only the names that are made here too.
    const others = new Set(order.flatMap(({ key }) => owners.get(key) ?? []));
    others.delete(resource);
    for (const other of others) {
      const known = new Set(early(other, runningOrder(other.actions, waitsFor)).map(({ spot }) => spot.start));
      const edge = resource.actions.flatMap(({ edges }) => edges).find(({ to }) => owners.get(to) === other);
      const [use] = edge === undefined ? [] : early(other, order).filter(({ spot }) => !known.has(spot.start));
      if (edge !== undefined && use !== undefined) report.add('LNK_TOO_EARLY', edge.spot, paramsOf(other, use));
    }
  }
}

interface Use {
  readonly user: LinkedAction;
  readonly name: string;
  readonly made: 'extracted' | 'generated';
  readonly spot: Spot;
}

/** Bare names in lists of parameters, and accessors that find names. */
function usesOf(resource: LinkedResource, user: LinkedAction, registry: Registry): Use[] {
  const { definition, names, generated } = resource;
  if (names.size + generated.size === 0) return [];
  const { doc, finds } = definition;
  const bare = finds.references
    .filter(({ refers, node }) => refers.symbol === 'name' && inside(node, user.node))
    .flatMap(({ name, node, spot }): Use[] => {
      const made = user.parameters.get(node.pointer)?.from;
      if (made !== 'extracted' && made !== 'generated') return [];
      return [{ user, name: String(name).split('.')[0] ?? '', made, spot }];
    });
  const kind = registry.kindsIn(Slot.ACCESSOR)[0]?.kind ?? '';
  const read = finds.accessors
    .filter(({ node }) => inside(node, user.node))
    .flatMap(({ node, parts }) =>
      parts.flatMap(({ root, tail: [name], start, end }): Use[] => {
        if (name === undefined || !(names.has(name) || generated.has(name))) return [];
        if (registry.plugin(kind, root)?.facts?.['reads'] !== 'payload') return [];
        const spot = { doc, start: offsetInString(doc, node, start), end: offsetInString(doc, node, end) };
        return [{ user, name, made: names.has(name) ? 'extracted' : 'generated', spot }];
      }),
    );
  return [...bare, ...read];
}

interface Producer {
  readonly action: LinkedAction;
  /** The name has its value only when the actionable has run. */
  readonly late: boolean;
}

const SYMBOLS = { extracted: 'name', generated: 'generated' } as const;

function producersOf({ definition, actions }: LinkedResource, { name, made }: Use): Producer[] {
  const found = definition.finds.declarations.filter((one) => one.symbol === SYMBOLS[made] && one.name === name);
  return found.flatMap((one) => {
    const action = actions.find((candidate) => inside(one.spot, candidate.node));
    return action === undefined ? [] : [{ action, late: one.late && !action.edges.some(({ feeds }) => feeds) }];
  });
}

function isInTime(owner: LinkedResource, use: Use, order: readonly LinkedAction[]): boolean {
  const { user } = use;
  const position = order.indexOf(user);
  return producersOf(owner, use).some(({ action, late }) => {
    const at = order.indexOf(action);
    if (at === -1) return false;
    if (action === user) return !late;
    return at < position && !areAtOnce(order.slice(at, position + 1));
  });
}

const paramsOf = (owner: LinkedResource, use: Use): Params => ({
  name: use.name,
  made: use.made,
  producer: producersOf(owner, use)[0]?.action.id,
  user: use.user.id,
});

/** Parallel neighbours run at the same time, whatever stands first. */
const areAtOnce = (neighbours: readonly LinkedAction[]): boolean => neighbours.every(({ parallel }) => parallel);
