/**
 * Checks the claims that resources read against the tokens that resources issue: a missing claim fails every request.
 * External tokens are not checked.
 */
import type { IssuedCredentials } from '../../../contract/plugin.js';
import { hasOverlap, splitPath } from '../../strings/path.js';
import { findNearest } from '../../source/suggest.js';
import { locateInString } from '../../source/escapes.js';
import type { PluginUsage } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { createLazy, memoize, memoizeWith } from '../memoize.js';
import type { Registry } from '../registry.js';
import { formatHint, isInside, type Report, type SourceLocation } from '../report.js';
import type { Blocks } from '../stage-cache.js';
import { listValueReads } from '../value-reads.js';
import { listClaimReaders } from './readers.js';
import { flatMapInSteps, type Steps } from '../steps.js';

type Path = readonly string[];

interface ClaimRead {
  /** Null for a plugin of the resource itself. */
  readonly action: LinkedAction | null;
  readonly path: Path;
  readonly spot: SourceLocation;
  /** As written in the definition. */
  readonly text: string;
}

export interface Issuer {
  readonly id: string;
  readonly place: PluginUsage;
  readonly issued: IssuedCredentials;
}

interface ClaimContext {
  readonly registry: Registry;
  readonly report: Report;
}

export function* checkClaims(blocks: Blocks<LinkedResource>, { registry, report }: ClaimContext): Steps<void> {
  const readings = yield* flatMapInSteps(blocks, (block) => listReadings(block, registry));
  if (readings.every(({ reads }) => reads.length === 0)) return;
  const issuers = blocks.flatMap((block) => listIssuersIn(block, registry));
  const owners = createLazy(
    () => new Map(readings.flatMap((one) => one.resource.actions.map(({ key }) => [key, one] as const))),
  );
  for (const { resource, reads } of readings) {
    reportMissingClaim(resource, reads, issuers, { registry, report });
    const reached = resource.actions.flatMap(({ edges }) => edges);
    for (const { to, spot } of reached) {
      const other = owners().get(to);
      if (other === undefined || other.resource === resource || !hasGuard(resource, registry)) continue;
      const read = other.reads.find(
        ({ action, path }) => action?.key === to && !isCovered(path, listExtractedClaims(resource)),
      );
      if (read !== undefined)
        report.add('LNK_CLAIM_REACHED', spot, { name: read.path.join('.'), target: other.resource.id });
    }
  }
}

/** Of resources that read claims or have a guard. */
const listReadings = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  block.flatMap((resource) => {
    const reads = listClaimReads(resource, registry);
    return reads.length > 0 || hasGuard(resource, registry) ? [{ resource, reads }] : [];
  }),
);

function reportMissingClaim(
  resource: LinkedResource,
  reads: readonly ClaimRead[],
  issuers: readonly Issuer[],
  { registry, report }: ClaimContext,
): void {
  if (reads.length === 0) return;
  const { certain, possible } = findAcceptedIssuers(resource, issuers, registry);
  if (certain.length === 0) return;
  const own = certain.flatMap(({ issued }) => issued.claims);
  const names = [...new Set([...own, ...certain.flatMap(({ issued }) => issued.standard)])];
  for (const { path, spot, text } of reads) {
    const lacking = certain.filter(({ issued }) => !isCovered(path, listClaims(issued)));
    if (lacking.length === 0) continue;
    const params = { claim: path.join('.'), ids: quoteNames(lacking.map(({ id }) => id)) };
    if (possible.some(({ issued }) => isCovered(path, listClaims(issued)))) {
      report.add('LNK_CLAIM_SOMETIMES', spot, params);
      continue;
    }
    const near = findNearest(params.claim, names);
    const isReadable = near !== undefined && isCovered(splitPath(near), listExtractedClaims(resource));
    const right = isReadable ? text.replace(params.claim, near) : null;
    const fix = right === null ? {} : { fix: { title: `change to ${right}`, text: right } };
    report.add('LNK_CLAIM_ABSENT', spot, { ...params, claims: quoteNames(names), hint: formatHint(near) }, fix);
  }
}

/** True if each accepted token lacks a claim that the resource reads. */
export function hasMissingClaim(
  resource: LinkedResource,
  issuers: readonly Issuer[],
  registry: Registry,
  holder: PluginUsage['holder'],
): boolean {
  const { certain, possible } = findAcceptedIssuers(resource, issuers, registry, holder);
  if (certain.length === 0) return false;
  return listClaimReads(resource, registry).some(
    ({ path }) => !possible.some(({ issued }) => isCovered(path, listClaims(issued))),
  );
}

function findAcceptedIssuers(
  resource: LinkedResource,
  issuers: readonly Issuer[],
  registry: Registry,
  holder?: PluginUsage['holder'],
): { readonly certain: readonly Issuer[]; readonly possible: readonly Issuer[] } {
  const results = issuers.map((issuer) => ({ issuer, accepted: findAcceptance(resource, issuer, registry, holder) }));
  return {
    certain: results.flatMap(({ issuer, accepted }) => (accepted === true ? [issuer] : [])),
    possible: results.flatMap(({ issuer, accepted }) => (accepted === false ? [] : [issuer])),
  };
}

const listClaims = ({ claims, standard }: IssuedCredentials): readonly string[] => [...claims, ...standard];

const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** True if one path contains the other. */
const isCovered = (path: Path, names: readonly string[]): boolean =>
  names.some((name) => hasOverlap(path, splitPath(name)));

const listExtractedClaims = ({ definition }: LinkedResource): string[] =>
  definition.finds.declarations.flatMap(({ symbol, name }) => (symbol === 'claim' ? [name] : []));

/** Scheduled actionables have no token and are skipped. */
const listClaimReads = memoizeWith((resource: LinkedResource, registry: Registry): readonly ClaimRead[] => {
  const { definition, actions } = resource;
  if (resource.claims.size === 0) return [];
  const readers = listClaimReaders(registry);
  const byKey = new Map(actions.map((action) => [action.key, action]));
  const written = definition.finds.accessors.flatMap(({ node, parts }) =>
    parts.flatMap(({ root, tail, start, end }): ClaimRead[] => {
      if (!readers.includes(root) || !isCovered(tail, listExtractedClaims(resource))) return [];
      const action = actions.find((one) => isInside(node, one.node)) ?? null;
      const spot = locateInString(definition.doc, node, { start, end });
      return [{ action, path: tail, spot, text: [`$${root}`, ...tail].join('.') }];
    }),
  );
  const bare = listValueReads(resource, registry).flatMap(({ source, action, path, spot }): ClaimRead[] =>
    source?.sort === 'claim'
      ? [{ action: byKey.get(action ?? '') ?? null, path, spot, text: JSON.stringify(path.join('.')) }]
      : [],
  );
  return [...written, ...bare].filter(({ action }) => action?.timing.scheduled !== true);
});

type WithDefinition = Pick<LinkedResource, 'definition'>;

export const listUsages = memoize(({ definition: { finds, node } }: WithDefinition): readonly PluginUsage[] =>
  finds.places.filter((place) => place.node === node),
);

const hasGuard = (resource: LinkedResource, registry: Registry): boolean =>
  listUsages(resource).some(({ plugin }) => registry.plugins.get(plugin)?.facts?.identifies === true);

export const listIssuers = memoizeWith((resource: WithDefinition & { readonly id: string }, registry: Registry) =>
  listUsages(resource).flatMap((place): Issuer[] => {
    const issued = registry.plugins.get(place.plugin)?.issues?.(place) ?? null;
    return issued === null ? [] : [{ id: resource.id, place, issued }];
  }),
);

export const listIssuersIn = memoizeWith((block: readonly LinkedResource[], registry: Registry): readonly Issuer[] =>
  block.flatMap((resource) => listIssuers(resource, registry)),
);

/** Null if the environment decides. `holder`: the fields of the resource, if not those of its definition. */
export function findAcceptance(
  resource: WithDefinition,
  { place: by, issued }: Issuer,
  registry: Registry,
  holder?: PluginUsage['holder'],
): boolean | null {
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  const answers = listUsages(resource).flatMap((place) => {
    const accepts = registry.plugins.get(place.plugin)?.accepts;
    if (accepts === undefined) return [];
    const input = { ...place, ...(holder && { holder }), facts: findFacts };
    return [place.sound && by.sound ? accepts(input, issued) : null];
  });
  if (answers.length === 0 || answers.includes(false)) return false;
  return answers.includes(null) ? null : true;
}
