/** `{"literal": "new"}`: a value of a list whose bare strings are names, written so that it can be nothing else. */
import { isObject, type Json } from '../contract/json.js';
import { toJson, type LocatedNode } from '../source/tree.js';

/** The only member of such an object. */
export const LITERAL = 'literal';

export const isVerbatim = ({ type, members }: LocatedNode): boolean =>
  type === 'object' && members.length === 1 && members[0]?.key === LITERAL && members[0].value !== null;

/** The value that an entry is, without the object around it. */
export const valueOf = (json: Json): Json =>
  isObject(json) && Object.keys(json).length === 1 && json[LITERAL] !== undefined ? json[LITERAL] : json;

export const valueAt = (node: LocatedNode): Json => valueOf(toJson(node));
