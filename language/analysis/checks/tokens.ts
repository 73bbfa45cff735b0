/**
 * Checks that some resource issues the tokens that a guard demands, and some guard accepts those that a resource
 * issues. External tokens are not checked.
 */
import type { CredentialMismatch } from '../../../contract/plugin.js';
import { findNode } from '../../source/tree.js';
import { findNearest } from '../../source/suggest.js';
import type { PluginUsage } from '../facts.js';
import type { LinkedResource } from '../linked-resource.js';
import { memoizeWith } from '../memoize.js';
import type { Registry } from '../registry.js';
import { formatHint, type Report, type SourceLocation } from '../report.js';
import type { Blocks } from '../stage-cache.js';
import { findAcceptance, listIssuersIn, listUsages, type Issuer } from './claims.js';

interface Guard {
  readonly resource: LinkedResource;
  readonly place: PluginUsage;
}

interface Mismatch extends CredentialMismatch {
  readonly issuer: Issuer;
  readonly guard: Guard;
}

const listGuards = memoizeWith((block: readonly LinkedResource[], registry: Registry): readonly Guard[] =>
  block.flatMap((resource) =>
    listUsages(resource).flatMap((place) =>
      place.sound && registry.plugins.get(place.plugin)?.findMismatch !== undefined ? [{ resource, place }] : [],
    ),
  ),
);

export function checkTokens(
  resources: readonly LinkedResource[],
  blocks: Blocks<LinkedResource>,
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): void {
  const guards = blocks.flatMap((block) => listGuards(block, registry));
  const issuers = guards.length === 0 ? [] : blocks.flatMap((block) => listIssuersIn(block, registry));
  const reported = new Set<Issuer>();
  for (const guard of guards) {
    if (issuers.some((issuer) => findAcceptance(guard.resource, issuer, registry) !== false)) continue;
    const mismatches = issuers.flatMap((issuer) => findMismatch(guard, issuer, registry));
    // A guard may demand a foreign issuer; a name that resembles one of these is a mistake.
    const near = mismatches.find(({ field, demanded, issued }) => field !== 'issuer' || isNear(demanded, issued));
    if (near === undefined) continue;
    for (const { issuer } of mismatches) reported.add(issuer);
    const same = mismatches.filter(({ field }) => field === near.field);
    const names = [...new Set(same.flatMap(({ issued }) => issued ?? []))];
    report.add('LNK_TOKEN_NONE', locateNode(guard.resource, guard.place, near.at ?? ''), {
      field: near.field,
      demanded: formatNames(near.demanded),
      issued: formatNames(names),
      hint: formatHint(near.demanded.map((name) => findNearest(name, names)).find((name) => name !== undefined)),
    });
  }
  for (const issuer of issuers) {
    if (reported.has(issuer)) continue;
    if (guards.some(({ resource }) => findAcceptance(resource, issuer, registry) !== false)) continue;
    const mismatches = guards.flatMap((guard) => findMismatch(guard, issuer, registry));
    // Tokens for another system are not accepted here.
    const near = mismatches.find(({ demanded, issued }) => isNear(demanded, issued));
    if (near === undefined || near.issued === null) continue;
    const owner = resources.find(({ definition }) => definition.node === issuer.place.node);
    if (owner === undefined) continue;
    report.add('LNK_TOKEN_UNUSED', locateNode(owner, issuer.place, near.issuedAt), {
      field: near.field,
      issued: near.issued,
      hint: formatHint(findNearest(near.issued, near.demanded)),
    });
  }
}

const isNear = (demanded: readonly string[], issued: string | null): boolean =>
  issued !== null && findNearest(issued, demanded) !== undefined;

function findMismatch(guard: Guard, issuer: Issuer, registry: Registry): Mismatch[] {
  const { place } = guard;
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  const found = issuer.place.sound
    ? registry.plugins.get(place.plugin)?.findMismatch?.({ ...place, facts: findFacts }, issuer.issued)
    : null;
  return found === null || found === undefined ? [] : [{ ...found, issuer, guard }];
}

const formatNames = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');

function locateNode({ definition: { doc, node } }: LinkedResource, place: PluginUsage, at: string): SourceLocation {
  const { start, end } = (at === '' ? null : findNode(place.node, at)?.node) ?? findNode(node, '/id')?.node ?? node;
  return { doc, start, end };
}
