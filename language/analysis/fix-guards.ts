/** A fix must not remove a guard, nor let the client send what a token, a row or a rule determines. */
import { asText } from '../../contract/json.js';
import type { FindingEdit } from '../../contract/plugin.js';
import { listAccessors } from '../strings/accessor.js';
import { findNode, toJsonObject, type LocatedNode } from '../source/tree.js';
import { hasMissingClaim, type Issuer } from './checks/claims.js';
import { isCoveredByItem, isProtected } from './checks/protections.js';
import { listClaimReaders, listPayloadReaders } from './checks/readers.js';
import type { LinkedResource } from './linked-resource.js';
import { memoizeWith } from './memoize.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import { isInside } from './report.js';
import { isWord, getRootName } from './sources.js';

/** True if a guard of the resource identifies callers. */
export const hasIdentifyingGuard = (registry: Registry, { definition }: Pick<LinkedResource, 'definition'>): boolean =>
  isIdentifying(definition, registry);

const isIdentifying = memoizeWith(({ finds, node: root }: Definition, { plugins }: Registry): boolean =>
  finds.places.some(({ plugin, node }) => node === root && plugins.get(plugin)?.facts?.identifies === true),
);

/** `node`: the object that the paths of the edits are relative to; `listIssuers`: of all tokens. */
export function hasSafeEdits(
  resource: LinkedResource,
  { registry, listIssuers }: { readonly registry: Registry; readonly listIssuers: () => readonly Issuer[] },
  node: LocatedNode,
  edits: readonly FindingEdit[],
): boolean {
  return edits.every((edit) => {
    // If its tokens lack the claims, a guard is intended for other tokens.
    if ('put' in edit && node === resource.definition.node) {
      const holder = { ...toJsonObject(node), [edit.at.slice(1)]: edit.put };
      return !hasMissingClaim(resource, listIssuers(), registry, holder);
    }
    if ('add' in edit) {
      const items = edit.add.filter((item) => typeof item === 'string');
      return (
        items.every((item) => isSafeParameter(resource, registry, item)) &&
        isEachProtectedUsed(resource, registry, node, items)
      );
    }
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

/** False if the actionable protects a value that is not used: it may be the missing one. */
function isEachProtectedUsed(
  { definition, actions }: LinkedResource,
  registry: Registry,
  node: LocatedNode,
  items: readonly string[],
): boolean {
  const action = actions.find((one) => isInside(node, one.node));
  if (action === undefined) return true;
  const { references, texts } = definition.finds;
  const sealed = references.filter((one) => isProtected(one) && isInside(one.node, action.node));
  const names = new Set(sealed.map((one) => one.node));
  const own = texts.filter((one) => isInside(one, action.node) && !names.has(one)).map(({ scalar }) => asText(scalar));
  const readers = listPayloadReaders(registry);
  return sealed.every(({ name }) => [...own, ...items].some((text) => isCoveredByItem(text, String(name), readers)));
}

/** True if the node contains a rule, a claim, or a reference to a name. */
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
