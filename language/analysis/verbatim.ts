/** Recognises literal entries of parameter lists (`language/literal.ts`) in a located tree. */
import type { Json } from '../../contract/json.js';
import { LITERAL, unwrapLiteral } from '../strings/literal.js';
import { Slot } from '../../contract/slot.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { toJson, type LocatedNode } from '../source/tree.js';

export const isVerbatim = ({ type, members }: LocatedNode): boolean =>
  type === 'object' && members.length === 1 && members[0]?.key === LITERAL && members[0].value !== null;

/** The fields of `{"$any": "uuid"}`, in what tests expect. */
export const MATCHER: FieldNode = Object.freeze({
  ...EMPTY_OBJECT,
  meta: { doc: 'A matcher.' },
  parts: [Slot.MATCHER],
});

/** True for matchers, and for an empty object, which may become one. */
export const canBeMatcher = ({ type, members }: LocatedNode): boolean =>
  type === 'object' && members.every(({ key }) => key.startsWith('$'));

/** Returns the value without its literal wrapper. */
export const getLiteralValue = (node: LocatedNode): Json => unwrapLiteral(toJson(node));
