/** A fix must not remove a guard, nor let the client send a value that a token, a row or a rule determines. */
import type { FindingEdit } from '../../contract/plugin.js';
import { listAccessors } from '../strings/accessor.js';
import { findNode, type LocatedNode } from '../source/tree.js';
import { listClaimReaders } from './checks/readers.js';
import type { LinkedResource } from './linked-resource.js';
import type { Registry } from './registry.js';
import { isInside } from './report.js';
import { isWord, getRootName } from './sources.js';

/** True if a guard of the resource identifies callers. */
export const hasIdentifyingGuard = (registry: Registry, { definition }: Pick<LinkedResource, 'definition'>): boolean =>
  definition.finds.places.some(
    ({ plugin, node }) => node === definition.node && registry.plugins.get(plugin)?.facts?.['identifies'] === true,
  );

/** `node`: the object that the paths of the edits are relative to. */
export function hasSafeEdits(
  resource: LinkedResource,
  registry: Registry,
  node: LocatedNode,
  edits: readonly FindingEdit[],
): boolean {
  return edits.every((edit) => {
    if ('add' in edit)
      return edit.add.every((item) => typeof item !== 'string' || isSafeParameter(resource, registry, item));
    if (!('remove' in edit)) return true;
    const gone = findNode(node, edit.at)?.node;
    return gone === undefined || !hasRuleOrClaim(resource, registry, gone);
  });
}

/** An undeclared word becomes a payload field, but may be intended as the caller's id. */
function isSafeParameter(resource: LinkedResource, registry: Registry, text: string): boolean {
  if (!isWord(text) || !hasIdentifyingGuard(registry, resource)) return true;
  const { names, generated, payloadFields, claims } = resource;
  return [names, generated, payloadFields, claims].some((known) => known.has(getRootName(text)));
}

/** True if the node contains a rule, a claim, or a reference to a name or a claim. */
function hasRuleOrClaim({ definition, names, claims }: LinkedResource, registry: Registry, gone: LocatedNode): boolean {
  const { declarations, accessors, references } = definition.finds;
  const readers = listClaimReaders(registry);
  return (
    declarations.some(
      ({ spot, symbol }) => ['payload-field', 'name', 'claim'].includes(symbol) && isInside(spot, gone),
    ) ||
    accessors.some(({ node, parts }) => isInside(node, gone) && parts.some(({ root }) => readers.includes(root))) ||
    references.some(({ refers, node, name }) => {
      if (refers.symbol !== 'name' || !isInside(node, gone) || listAccessors(String(name)).length > 0) return false;
      return names.has(getRootName(String(name))) || claims.has(getRootName(String(name)));
    })
  );
}
