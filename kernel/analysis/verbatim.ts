/** Entries of lists of values that say that they are values (`language/literal.ts`), in a located tree. */
import type { Json } from '../contract/json.js';
import { LITERAL, valueOf } from '../language/literal.js';
import { toJson, type LocatedNode } from '../source/tree.js';

export const isVerbatim = ({ type, members }: LocatedNode): boolean =>
  type === 'object' && members.length === 1 && members[0]?.key === LITERAL && members[0].value !== null;

/** The value that an entry is, without the object around it. */
export const valueAt = (node: LocatedNode): Json => valueOf(toJson(node));
