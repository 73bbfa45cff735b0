/** The path parameters that a resource and its dependencies read, for guards that only check the body. */
import { listPathParameters } from '../strings/route.js';
import type { LinkedResource } from './linked-resource.js';
import type { Registry } from './registry.js';
import { isInside } from './report.js';
import { getRootName } from './sources.js';
import { listValueReads } from './value-reads.js';

type Owners = ReadonlyMap<string, LinkedResource>;

/** By the key of the actionable. */
export const mapOwners = (linked: readonly LinkedResource[]): Owners =>
  new Map(linked.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));

export function listPathReads(resource: LinkedResource, owners: Owners, registry: Registry): readonly string[] {
  const names = listPathParameters(resource.path);
  if (names.length === 0) return names;
  const read = new Set(listFieldsRead(resource, null, registry));
  for (const key of listReachedActions(resource, owners)) {
    const other = owners.get(key);
    if (other !== undefined && other !== resource)
      listFieldsRead(other, key, registry).forEach((name) => read.add(name));
  }
  return read.has(ALL) ? names : names.filter((name) => read.has(name));
}

const ALL = '*';

/** `key`: only the fields that this actionable reads. */
function listFieldsRead(resource: LinkedResource, key: string | null, registry: Registry): string[] {
  const { actions, definition } = resource;
  const within = key === null ? definition.node : actions.find((action) => action.key === key)?.node;
  if (within === undefined) return [];
  const values = listValueReads(resource, registry).flatMap(({ node, path, source }) =>
    isInside(node, within) && (source === null || source.sort === 'payload') ? [path[0] ?? ALL] : [],
  );
  // Names that are hashed, encrypted or compared.
  const covered = definition.finds.references.flatMap(({ refers, node, name }) =>
    refers.symbol === 'payload-field' && isInside(node, within) ? [getRootName(String(name))] : [],
  );
  return [...values, ...covered];
}

/** Resources that the names of this one may come from, with itself; none where it extracts nothing. */
export function listReachedResources(resource: LinkedResource, owners: Owners): readonly LinkedResource[] {
  if (resource.names.size === 0 && resource.actions.every(({ repeat }) => repeat === null)) return [];
  const others = [...listReachedActions(resource, owners)].flatMap((key) => owners.get(key) ?? []);
  return [...new Set([resource, ...others])];
}

function listReachedActions({ actions }: LinkedResource, owners: Owners): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (keys: readonly string[]): void => {
    for (const key of keys) {
      if (reached.has(key)) continue;
      reached.add(key);
      visit(
        owners
          .get(key)
          ?.actions.find((action) => action.key === key)
          ?.edges.map(({ to }) => to) ?? [],
      );
    }
  };
  visit(actions.map(({ key }) => key));
  return reached;
}
