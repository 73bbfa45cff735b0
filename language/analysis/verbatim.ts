/** Recognises literal entries of parameter lists (`language/literal.ts`) in a located tree. */
import type { Json } from '../../contract/json.js';
import { LITERAL, unwrapLiteral } from '../strings/literal.js';
import { toJson, type LocatedNode } from '../source/tree.js';

export const isVerbatim = ({ type, members }: LocatedNode): boolean =>
  type === 'object' && members.length === 1 && members[0]?.key === LITERAL && members[0].value !== null;

/** Returns the value without its literal wrapper. */
export const getLiteralValue = (node: LocatedNode): Json => unwrapLiteral(toJson(node));
