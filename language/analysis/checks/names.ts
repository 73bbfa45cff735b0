/** Checks that extracted and generated names are not read before they have a value: the read would silently return null. */
import type { Params } from '../../../contract/problem.js';
import type { LinkedAction, LinkedResource } from '../linked.js';
import { runningOrder } from '../order.js';
import type { Registry } from '../registry.js';
import { type Report, type Spot, inside } from '../report.js';
import type { Source, SourceSort } from '../sources.js';
import { valueReads } from '../value-reads.js';

export function checkNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const owners = new Map(resources.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));
  const early = (owner: LinkedResource, order: readonly LinkedAction[]): Use[] =>
    order
      .filter((user) => owners.get(user.key) === owner)
      .flatMap((user) => usesOf(owner, user, registry))
      .filter((use) => !isInTime(owner, use, order));
  const makes = (resource: LinkedResource): boolean =>
    valueReads(resource, registry).some(({ source }) => source !== null && MADE.includes(source.sort));
  const ownEarly = new Map<LinkedResource, ReadonlySet<number>>();
  /** Early reads of a resource on its own, computed once, because many resources may reach it. */
  const knownIn = (owner: LinkedResource): ReadonlySet<number> => {
    const found =
      ownEarly.get(owner) ?? new Set(early(owner, runningOrder(owner.actions, waitsFor)).map(({ spot }) => spot.start));
    ownEarly.set(owner, found);
    return found;
  };
  for (const resource of resources) {
    // An actionable reached from another resource sees only names produced there; the problem is reported at the reference.
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
  readonly source: Source;
  /** Read after the user's own work. */
  readonly afterwards: boolean;
  readonly spot: Spot;
}

const MADE: readonly SourceSort[] = ['extracted', 'generated', 'output'];

const usesOf = (resource: LinkedResource, user: LinkedAction, registry: Registry): Use[] =>
  valueReads(resource, registry).flatMap(({ action, source, spot, afterwards }) =>
    action === user.key && source !== null && MADE.includes(source.sort) ? [{ user, source, afterwards, spot }] : [],
  );

interface Producer {
  readonly action: LinkedAction;
  /** The name has its value only after the actionable. */
  readonly late: boolean;
}

const SYMBOLS: Partial<Record<SourceSort, string>> = { extracted: 'name', generated: 'generated' };

function producersOf({ definition, actions }: LinkedResource, { source: { name, sort, makers } }: Use): Producer[] {
  if (sort === 'output')
    return actions.filter(({ key }) => makers.includes(key)).map((action) => ({ action, late: true }));
  const found = definition.finds.declarations.filter((one) => one.symbol === SYMBOLS[sort] && one.name === name);
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
  name: use.source.name,
  made: use.source.sort === 'output' ? 'given' : use.source.sort,
  producer: producersOf(owner, use)[0]?.action.id,
  user: use.user.id,
});

/** Adjacent parallel actionables run concurrently. */
const areAtOnce = (neighbours: readonly LinkedAction[]): boolean => neighbours.every(({ parallel }) => parallel);
