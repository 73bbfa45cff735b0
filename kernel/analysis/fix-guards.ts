/** A fix must not remove a guard, nor let the client send a value that a token, a row or a rule determines. */
import { asText } from '../contract/json.js';
import type { FindingEdit } from '../contract/plugin.js';
import { accessorsIn } from '../language/accessor.js';
import { nodeAt, objectOf, type LocatedNode } from '../source/tree.js';
import { lacksClaims, type Issuer } from './checks/claims.js';
import { isProtected, mayCover } from './checks/protections.js';
import { claimReaders, payloadReaders } from './checks/readers.js';
import type { LinkedResource } from './linked.js';
import type { Registry } from './registry.js';
import { inside } from './report.js';
import { isWord, rootOf } from './sources.js';

/** True if a guard of the resource identifies callers. */
export const tellsCallersApart = (registry: Registry, { definition }: Pick<LinkedResource, 'definition'>): boolean =>
  definition.finds.places.some(
    ({ plugin, node }) => node === definition.node && registry.plugins.get(plugin)?.facts?.['identifies'] === true,
  );

/** `node`: the object that the paths of the edits are relative to; `issuers`: of all tokens. */
export function keepsGuards(
  resource: LinkedResource,
  { registry, issuers }: { readonly registry: Registry; readonly issuers: readonly Issuer[] },
  node: LocatedNode,
  edits: readonly FindingEdit[],
): boolean {
  return edits.every((edit) => {
    // The guard is meant for other tokens.
    if ('put' in edit && node === resource.definition.node)
      return !lacksClaims(resource, issuers, registry, { ...objectOf(node), [edit.at.slice(1)]: edit.put });
    if ('add' in edit) {
      const items = edit.add.filter((item) => typeof item === 'string');
      return (
        items.every((item) => mayBeSent(resource, registry, item)) && usesProtected(resource, registry, node, items)
      );
    }
    if (!('remove' in edit)) return true;
    const gone = nodeAt(node, edit.at)?.node;
    return gone === undefined || !decides(resource, registry, gone);
  });
}

/** An undeclared word becomes a payload field, but may be intended as the caller's id. */
function mayBeSent(resource: LinkedResource, registry: Registry, text: string): boolean {
  if (!isWord(text) || !tellsCallersApart(registry, resource)) return true;
  const { names, generated, payloadFields, claims } = resource;
  return [names, generated, payloadFields, claims].some((known) => known.has(rootOf(text)));
}

/** False if the actionable around `node` protects a value that neither its texts nor `items` use: the missing value may be it. */
function usesProtected(
  { definition, actions }: LinkedResource,
  registry: Registry,
  node: LocatedNode,
  items: readonly string[],
): boolean {
  const action = actions.find((one) => inside(node, one.node));
  if (action === undefined) return true;
  const { references, texts } = definition.finds;
  const sealed = references.filter((one) => isProtected(one) && inside(one.node, action.node));
  const names = new Set(sealed.map((one) => one.node));
  const own = texts.filter((one) => inside(one, action.node) && !names.has(one)).map(({ scalar }) => asText(scalar));
  const readers = payloadReaders(registry);
  return sealed.every(({ name }) => [...own, ...items].some((text) => mayCover(text, String(name), readers)));
}

/** True if the node contains a rule, a claim, or a reference to a name or a claim. */
function decides({ definition, names, claims }: LinkedResource, registry: Registry, gone: LocatedNode): boolean {
  const { declarations, accessors, references } = definition.finds;
  const readers = claimReaders(registry);
  return (
    declarations.some(
      ({ spot, symbol }) => ['payload-field', 'name', 'claim'].includes(symbol) && inside(spot, gone),
    ) ||
    accessors.some(({ node, parts }) => inside(node, gone) && parts.some(({ root }) => readers.includes(root))) ||
    references.some(({ refers, node, name }) => {
      if (refers.symbol !== 'name' || !inside(node, gone) || accessorsIn(String(name)).length > 0) return false;
      return names.has(rootOf(String(name))) || claims.has(rootOf(String(name)));
    })
  );
}
