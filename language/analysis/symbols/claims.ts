/**
 * Claims of tokens: the guards that accept the tokens of a resource, and that resource, speak of the same claims. Acceptance is
 * that of the checker (`checks/claims.ts`).
 */
import type { PluginUsage } from '../facts.js';
import { findAcceptance, listIssuers, type Issuer } from '../checks/claims.js';
import { memoize, memoizeWith } from '../memoize.js';
import type { Analysis } from '../analysis.js';
import type { Definition, ResourceModel } from '../model.js';
import type { Registry } from '../registry.js';
import type { SymbolId } from '../symbols.js';

export interface ClaimGroups {
  /** `within`: the number of a definition. */
  getId(within: string, name: string): SymbolId;
  /** The resources that issue tokens which the guard of this one accepts, or may accept. */
  listIssuersOf(resource: ResourceModel): readonly ResourceModel[];
}

export const getClaimGroups = memoizeWith((analysis: Analysis, registry: Registry) =>
  createClaimGroups(analysis, registry),
);

/** An answer holds as long as both definitions stay the same. */
const getAnswers = memoize((_issuer: PluginUsage) =>
  memoize((_guard: Definition): { isAccepted: boolean | null } => ({ isAccepted: null })),
);

function isAccepted(guard: ResourceModel, issuer: Issuer, registry: Registry): boolean {
  const answer = getAnswers(issuer.place)(guard.definition);
  return (answer.isAccepted ??= findAcceptance(guard, issuer, registry) !== false);
}

function createClaimGroups({ definitions, resources }: Analysis, registry: Registry): ClaimGroups {
  const issuers = resources.flatMap((resource) =>
    listIssuers(resource, registry).map((issuer) => ({ resource, issuer })),
  );
  const guards = resources.filter(({ places, definition: { node } }) =>
    places.some((place) => place.node === node && registry.plugins.get(place.plugin)?.accepts !== undefined),
  );
  const pairs = issuers.flatMap(({ resource, issuer }) =>
    guards.flatMap((guard) => (isAccepted(guard, issuer, registry) ? [{ guard, issuer: resource }] : [])),
  );
  const numbers = new Map(definitions.map((one, i) => [one, i]));
  const heads = new Map<number, number>();
  const findHead = (at: number): number => {
    const next = heads.get(at);
    return next === undefined ? at : findHead(next);
  };
  for (const { guard, issuer } of pairs) {
    const [a = 0, b = 0] = [guard, issuer].map(({ definition }) => findHead(numbers.get(definition) ?? 0));
    if (a !== b) heads.set(Math.max(a, b), Math.min(a, b));
  }
  const issuersOf = new Map<ResourceModel, Set<ResourceModel>>();
  for (const { guard, issuer } of pairs) {
    const found = issuersOf.get(guard) ?? new Set();
    issuersOf.set(guard, found.add(issuer));
  }
  return {
    getId: (within, name) => ({ sort: 'claim', within: String(findHead(Number(within))), name }),
    listIssuersOf: (resource) => [...(issuersOf.get(resource) ?? [])],
  };
}
