/** Reads request values for URLs and headers. An invalid one is rejected by name, never altered. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault } from '../../../contract/fault.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { formatPointer } from '../../../contract/json.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { parseTemplate, type AccessorPart, type TemplatePart } from '../../../language/strings/accessor.js';
import { isFixed } from './http-syntax.light.js';

export interface Value {
  readonly name: string;
  readonly read: Reader;
  /** Rejects the request because of this value. */
  readonly rejectValue: (what: string) => never;
}

export type Piece = string | Value;

export function compilePieces(parts: readonly TemplatePart[], tools: PlanTools): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts) {
    const piece =
      typeof part === 'string'
        ? part
        : isFixed(part)
          ? readConstantText(formatAccessor(part), tools)
          : createValue(part, tools);
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  }
  return pieces;
}

export const parsePieces = (text: string, tools: PlanTools): readonly Piece[] =>
  compilePieces(parseTemplate(text), tools);

const formatAccessor = ({ root, tail }: AccessorPart): string => [`$${root}`, ...tail].join('.');

function createValue(part: AccessorPart, tools: PlanTools): Value {
  const name = formatAccessor(part);
  const [first, ...rest] = part.tail;
  const isSent = part.root === 'PAYLOAD' && first !== undefined && tools.slot(first) === null;
  const path = isSent ? formatPointer([first, ...rest]) : null;
  const rejectValue = (what: string): never => {
    const issues = path === null ? [] : [{ pointer: path, code: 'OUT_VALUE', detail: what }];
    throw createFault('OUT_VALUE', { name, what }, { issues });
  };
  return { name, read: tools.value(name), rejectValue };
}

export const PLAIN = 'must be text, a number or a boolean';

/** Text of a scalar value; null where it is missing. */
export function readValueText(frame: Frame, { read, rejectValue: refuse }: Value): string | null {
  const value = read(frame);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return value.toString();
  if (value === null || value === undefined) return null;
  return refuse(PLAIN);
}
