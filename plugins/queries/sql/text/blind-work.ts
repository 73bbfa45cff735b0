/** State and helpers for rewriting a statement on blind-indexed columns. */
import type { BlindFault, BlindParameter, BlindTable } from '../../../../contract/statement-text.js';
import { findElementStarts } from './placeholders.js';
import type { Lexeme } from './read.js';

export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

export interface BlindState {
  readonly words: readonly Lexeme[];
  readonly tables: readonly BlindTable[];
  readonly edits: Edit[];
  readonly faults: BlindFault[];
  /** Lexemes that are already processed. */
  readonly done: Set<number>;
  readonly marks: BlindParameter[];
}

export const TEXT_CAST = /^::\s*(?:text|varchar|character\s+varying)(?:\s*\[\s*\])?$/i;
const LIST_END = new Set(
  'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT ON RETURNING'.split(' '),
);

export const findBlindTable = ({ tables }: BlindState, name: string | null): BlindTable | undefined =>
  name === null ? undefined : tables.find(({ table }) => table.toLowerCase() === name.toLowerCase());

export function addEdit({ edits }: BlindState, at: number, insert: string, remove = 0): void {
  edits.push({ at, remove, insert });
}

export const addFault = (
  { faults }: BlindState,
  { start, end }: Pick<Lexeme, 'start' | 'end'>,
  column: string,
  what: string,
): void => void faults.push({ column, what, start, end });

/** The marker is replaced when all parameters are numbered; SQL contains no NUL. */
export function addMarker({ marks }: BlindState, parameter: BlindParameter): string {
  marks.push(parameter);
  return `\0${marks.length - 1}\0`;
}

export const getPlaceholderNumber = ({ text }: Lexeme): number => Number(text.slice(1));

function findListEnd(words: readonly Lexeme[], from: number): number {
  const depth = words[from]?.depth ?? 0;
  for (let i = from; i < words.length; i++) {
    const word = words[i];
    if (word === undefined || word.depth < depth || word.type === 'semicolon') return i;
    if (word.depth === depth && word.type === 'word' && LIST_END.has(word.text)) return i;
  }
  return words.length;
}

/** Lexeme ranges `[start, end)`. */
export function listElements(words: readonly Lexeme[], from: number): (readonly [number, number])[] {
  const starts = findElementStarts(words, from);
  const end = findListEnd(words, from);
  return starts.map((start, i) => [start, (starts[i + 1] ?? end + 1) - 1] as const);
}
