/** Required fields that an object lacks. */
import { findMember, type LocatedNode } from '../source/tree.js';
import type { Expansion, OwnedField } from './registry.js';

export const listMissingFields = (
  node: LocatedNode,
  expansion: Expansion,
): readonly (readonly [string, OwnedField])[] =>
  expansion.required.filter(([name]) => {
    if (findMember(node, name) !== undefined) return false;
    if (expansion.instead.get(name)?.some((key) => findMember(node, key) !== undefined) === true) return false;
    // Written under a made-up name, which is reported separately.
    return !node.members.some(({ key }) => !expansion.fields.has(key) && getIntendedField(expansion, key) === name);
  });

export function getIntendedField({ mistaken }: Expansion, key: string): string | undefined {
  const right = mistaken.get(key);
  return right?.rename ?? right?.means;
}
