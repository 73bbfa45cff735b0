/** Client text in patterns is escaped. */
import type { Json } from '../../../contract/json.js';
import type { Frame } from '../../../contract/plan.js';
import { parseTemplate } from '../../../language/strings/accessor.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import {
  createConstantNode,
  createDynamicNode,
  createQueryError,
  type Dynamic,
  type Leaf,
  type Node,
} from './template.js';
import { createBadValueFault } from './values.js';

const SPECIAL = /[\\^$.*+?()[\]{}|\-#\s]/g;

export const readSentText = ({ read, field }: Dynamic, frame: Frame): string => {
  const sent = read(frame);
  if (typeof sent !== 'string') throw createBadValueFault(field, 'must be text');
  if (sent.includes('\0')) throw createBadValueFault(field, 'must not hold a NUL character');
  return sent;
};

/** Client values in the definition's pattern are escaped. */
export function compilePattern(json: Json, leaf: Leaf): Node {
  if (typeof json !== 'string') throw createQueryError('a pattern is text that the definition writes out');
  const whole = parsePlaceholder(json) === null ? null : leaf(json);
  const parts = whole === null ? parseTemplate(json) : [];
  const readers = parts.map((part) => (typeof part === 'string' ? part : leaf(json.slice(part.start, part.end))));
  const all = whole === null ? readers.filter((part) => part !== null) : [whole];
  if (all.every((part) => typeof part === 'string')) return createConstantNode(json);
  return createDynamicNode((frame) =>
    all
      .map((part) => (typeof part === 'string' ? part : readSentText(part, frame).replaceAll(SPECIAL, String.raw`\$&`)))
      .join(''),
  );
}
