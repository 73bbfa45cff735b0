/**
 * Reports UPDATE and DELETE in authenticated resources that do not depend on the caller. Skips writes after a read of
 * a claim, and guards without claims.
 */
import { listAccessors } from '../../strings/accessor.js';
import { locateInString } from '../../source/escapes.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { SqlText } from '../facts.js';
import type { Registry } from '../registry.js';
import { findChange } from '../query-changes.js';
import { hasIdentifyingGuard } from '../fix-guards.js';
import { type Report, type SourceLocation, isInside } from '../report.js';
import { listClaimReaders } from './readers.js';

const WRITES = ['UPDATE', 'DELETE'];

export function checkOwners(registry: Registry, report: Report, resources: readonly LinkedResource[]): void {
  const readers = listClaimReaders(registry);
  const owners = new Map(resources.flatMap((one) => one.actions.map((action) => [action.key, one] as const)));
  for (const resource of resources) {
    if (!hasIdentifyingGuard(registry, resource)) continue;
    for (const action of resource.actions) {
      const writes = listWrites(registry, resource, action);
      // Scheduled runs have no caller.
      if (action.timing.scheduled || writes.length === 0 || isCallerDependent(resource, action, readers, owners))
        continue;
      for (const { verb, spot } of writes) report.add('SEC_NO_OWNER', spot, { verb });
    }
  }
}

interface Write {
  readonly verb: string;
  readonly spot: SourceLocation;
}

function listWrites(registry: Registry, resource: LinkedResource, action: LinkedAction): Write[] {
  const { definition } = resource;
  const { statements, documents } = definition.finds;
  return [
    ...statements
      .filter(({ node, scan }) => isInside(node, action.node) && WRITES.includes(scan.verb))
      .map(({ node, scan }) => ({ verb: scan.verb, spot: locateVerb(resource, scan, node) })),
    ...documents.flatMap((query) => {
      const change = isInside(query.node, action.node) ? findChange(definition, query, registry) : null;
      if (change === null) return [];
      const { start, end } = change.node;
      return [{ verb: change.verb, spot: { doc: definition.doc, start, end } }];
    }),
  ];
}

export function isCallerDependent(
  resource: LinkedResource,
  action: LinkedAction,
  readers: readonly string[],
  owners: ReadonlyMap<string, LinkedResource>,
): boolean {
  if (resource.actions.some((one) => one.index <= action.index && hasClaimRead(resource, one, readers))) return true;
  return action.edges.some(({ to }) => {
    const owner = owners.get(to);
    const target = owner?.actions.find(({ key }) => key === to);
    return owner !== undefined && target !== undefined && hasClaimRead(owner, target, readers);
  });
}

function hasClaimRead({ definition }: LinkedResource, action: LinkedAction, readers: readonly string[]): boolean {
  if ([...action.parameters.values()].some(({ from }) => from === 'claim')) return true;
  return definition.finds.texts.some(
    (node) =>
      isInside(node, action.node) && listAccessors(String(node.scalar)).some(({ root }) => readers.includes(root)),
  );
}

function locateVerb(
  { definition: { doc } }: LinkedResource,
  scan: SqlText['scan'],
  node: SqlText['node'],
): SourceLocation {
  const token = scan.tokens.find(
    ({ type, start, end }) => type === 'word' && scan.text.slice(start, end).toUpperCase() === scan.verb,
  );
  if (token === undefined) return { doc, start: node.start, end: node.end };
  return locateInString(doc, node, token);
}
