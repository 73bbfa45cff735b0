/** A name that an actionable extracts or generates must exist by then: used earlier, it would silently be null. */
import type { Params } from '../../contract/problem.js';
import { spotInString } from '../../source/escapes.js';
import { Slot } from '../../contract/slot.js';
import type { LinkedAction, LinkedResource } from '../linked.js';
import { runningOrder } from '../order.js';
import type { Registry } from '../registry.js';
import { type Report, type Spot, inside } from '../report.js';

export function checkNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const owners = new Map(resources.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));
  const early = (owner: LinkedResource, order: readonly LinkedAction[]): Use[] =>
    order
      .filter((user) => owners.get(user.key) === owner)
      .flatMap((user) => usesOf(owner, user, registry))
      .filter((use) => !isInTime(owner, use, order));
  const makes = ({ names, generated }: LinkedResource): boolean => names.size + generated.size > 0;
  const ownEarly = new Map<LinkedResource, ReadonlySet<number>>();
  /** What stands too early in a resource by itself; found once, however many others reach for it. */
  const knownIn = (owner: LinkedResource): ReadonlySet<number> => {
    const found =
      ownEarly.get(owner) ?? new Set(early(owner, runningOrder(owner.actions, waitsFor)).map(({ spot }) => spot.start));
    ownEarly.set(owner, found);
    return found;
  };
  for (const resource of resources) {
    // What runs here for another resource finds only the names that are made here too. It is said where that one is named.
    const others = new Map<LinkedResource, Spot>();
    for (const { to, spot } of resource.actions.flatMap(({ edges }) => edges)) {
      const other = owners.get(to);
      if (other !== undefined && other !== resource && makes(other) && !others.has(other)) others.set(other, spot);
    }
    if (!makes(resource) && others.size === 0) continue;
    const order = runningOrder(resource.actions, waitsFor);
    for (const use of early(resource, order)) report.add('LNK_TOO_EARLY', use.spot, paramsOf(resource, use));
    for (const [other, edge] of others) {
      const [use] = early(other, order).filter(({ spot }) => !knownIn(other).has(spot.start));
      if (use !== undefined) report.add('LNK_TOO_EARLY', edge, paramsOf(other, use));
    }
  }
}

interface Use {
  readonly user: LinkedAction;
  readonly name: string;
  readonly made: 'extracted' | 'generated';
  /** Where it stands is read when the user's own work is done. */
  readonly afterwards: boolean;
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
      return [{ user, name: String(name).split('.')[0] ?? '', made, afterwards: false, spot }];
    });
  const kind = registry.kindsIn(Slot.ACCESSOR)[0]?.kind ?? '';
  const read = finds.accessors
    .filter(({ node }) => inside(node, user.node))
    .flatMap(({ node, parts, afterwards = false }) =>
      parts.flatMap(({ root, tail: [name], start, end }): Use[] => {
        if (name === undefined || !(names.has(name) || generated.has(name))) return [];
        if (registry.plugin(kind, root)?.facts?.['reads'] !== 'payload') return [];
        const spot = spotInString(doc, node, { start, end });
        return [{ user, name, made: names.has(name) ? 'extracted' : 'generated', afterwards, spot }];
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
    if (action === user) return !late || use.afterwards;
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
