/** Checks that names are not read before they have a value: the read would silently return null. */
import type { Params } from '../../../contract/problem.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { listInRunningOrder } from '../running-order.js';
import type { Registry } from '../registry.js';
import { type Report, type SourceLocation, isInside } from '../report.js';
import type { Source, SourceSort } from '../model.js';
import { listValueReads } from '../value-reads.js';

export function checkNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const owners = new Map(resources.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));
  const findEarlyUses = (owner: LinkedResource, order: readonly LinkedAction[]): Use[] =>
    order
      .filter((user) => owners.get(user.key) === owner)
      .flatMap((user) => listUses(owner, user, registry))
      .filter((use) => !isInTime(owner, use, order));
  const hasProducedNames = (resource: LinkedResource): boolean =>
    listValueReads(resource, registry).some(({ source }) => source !== null && MADE.includes(source.sort));
  const ownEarly = new Map<LinkedResource, ReadonlySet<number>>();
  /** Computed once: many resources may reach it. */
  const knownIn = (owner: LinkedResource): ReadonlySet<number> => {
    const found =
      ownEarly.get(owner) ??
      new Set(findEarlyUses(owner, listInRunningOrder(owner.actions, waitsFor)).map(({ spot }) => spot.start));
    ownEarly.set(owner, found);
    return found;
  };
  for (const resource of resources) {
    // From another resource, an actionable sees only names produced there; the problem is at the reference.
    const others = new Map<LinkedResource, SourceLocation>();
    for (const { to, spot } of resource.actions.flatMap(({ edges }) => edges)) {
      const other = owners.get(to);
      if (other !== undefined && other !== resource && hasProducedNames(other) && !others.has(other))
        others.set(other, spot);
    }
    if (!hasProducedNames(resource) && others.size === 0) continue;
    const order = listInRunningOrder(resource.actions, waitsFor);
    for (const use of findEarlyUses(resource, order))
      report.add('LNK_TOO_EARLY', use.spot, createParams(resource, use));
    for (const [other, edge] of others) {
      const [use] = findEarlyUses(other, order).filter(({ spot }) => !knownIn(other).has(spot.start));
      if (use !== undefined) report.add('LNK_TOO_EARLY', edge, createParams(other, use));
    }
  }
}

interface Use {
  readonly user: LinkedAction;
  readonly source: Source;
  /** Read after the user's own work. */
  readonly afterwards: boolean;
  readonly spot: SourceLocation;
}

const MADE: readonly SourceSort[] = ['extracted', 'generated', 'output'];

const listUses = (resource: LinkedResource, user: LinkedAction, registry: Registry): Use[] =>
  listValueReads(resource, registry).flatMap(({ action, source, spot, afterwards }) =>
    action === user.key && source !== null && MADE.includes(source.sort) ? [{ user, source, afterwards, spot }] : [],
  );

interface Producer {
  readonly action: LinkedAction;
  /** The name has its value only after the actionable. */
  readonly late: boolean;
}

const SYMBOLS: Partial<Record<SourceSort, string>> = { extracted: 'name', generated: 'generated' };

function findProducers({ definition, actions }: LinkedResource, { source: { name, sort, makers } }: Use): Producer[] {
  if (sort === 'output')
    return actions.filter(({ key }) => makers.includes(key)).map((action) => ({ action, late: true }));
  const found = definition.finds.declarations.filter((one) => one.symbol === SYMBOLS[sort] && one.name === name);
  return found.flatMap((one) => {
    const action = actions.find((candidate) => isInside(one.spot, candidate.node));
    return action === undefined ? [] : [{ action, late: one.late && !action.edges.some(({ feeds }) => feeds) }];
  });
}

function isInTime(owner: LinkedResource, use: Use, order: readonly LinkedAction[]): boolean {
  const { user } = use;
  const position = order.indexOf(user);
  return findProducers(owner, use).some(({ action, late }) => {
    const at = order.indexOf(action);
    if (at === -1) return false;
    if (action === user) return !late || use.afterwards;
    return at < position && !isConcurrent(order.slice(at, position + 1));
  });
}

const createParams = (owner: LinkedResource, use: Use): Params => ({
  name: use.source.name,
  made: use.source.sort === 'output' ? 'given' : use.source.sort,
  producer: findProducers(owner, use)[0]?.action.id,
  user: use.user.id,
});

const isConcurrent = (neighbours: readonly LinkedAction[]): boolean => neighbours.every(({ parallel }) => parallel);
