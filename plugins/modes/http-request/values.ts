/** Reads request values as text for URLs and headers. An invalid value is rejected by name, never altered. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { fault } from '../../../contract/fault.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { pointerOf } from '../../../contract/json.js';
import { settledText } from '../../../contract/settled.js';
import { parseTemplate, type AccessorPart, type TemplatePart } from '../../../language/strings/accessor.js';
import { isFixed } from './words.light.js';

export interface Value {
  readonly name: string;
  readonly read: Reader;
  /** Rejects the request because of this value. */
  readonly refuse: (what: string) => never;
}

export type Piece = string | Value;

export function piecesOf(parts: readonly TemplatePart[], tools: PlanTools): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts) {
    const piece =
      typeof part === 'string' ? part : isFixed(part) ? settledText(written(part), tools) : valueOf(part, tools);
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  }
  return pieces;
}

export const piecesIn = (text: string, tools: PlanTools): readonly Piece[] => piecesOf(parseTemplate(text), tools);

const written = ({ root, tail }: AccessorPart): string => [`$${root}`, ...tail].join('.');

function valueOf(part: AccessorPart, tools: PlanTools): Value {
  const name = written(part);
  const [first, ...rest] = part.tail;
  const isSent = part.root === 'PAYLOAD' && first !== undefined && tools.slot(first) === null;
  const path = isSent ? pointerOf([first, ...rest]) : null;
  const refuse = (what: string): never => {
    const issues = path === null ? [] : [{ pointer: path, code: 'OUT_VALUE', detail: what }];
    throw fault('OUT_VALUE', { name, what }, { issues });
  };
  return { name, read: tools.value(name), refuse };
}

export const PLAIN = 'must be text, a number or a boolean';

/** Text of a scalar value; null where it is missing. */
export function textOf(frame: Frame, { read, refuse }: Value): string | null {
  const value = read(frame);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return value.toString();
  if (value === null || value === undefined) return null;
  return refuse(PLAIN);
}
