/** A mutation: one change on one line of one source. */
import { createHash } from 'node:crypto';

export type MutationKind =
  | 'compare'
  | 'logic'
  | 'guard'
  | 'condition'
  | 'negation'
  | 'await'
  | 'call'
  | 'throw'
  | 'return'
  | 'number'
  | 'string'
  | 'pattern'
  | 'arithmetic'
  | 'math'
  | 'slice'
  | 'member'
  | 'boolean'
  | 'chain'
  | 'statement';

export interface Mutation {
  readonly id: string;
  readonly kind: MutationKind;
  /** `kernel/http/body.ts`. */
  readonly file: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The line without and with the change. */
  readonly before: string;
  readonly after: string;
}

export type MutationPlace = Pick<Mutation, 'kind' | 'start' | 'end' | 'replacement'>;

/** Null if the change is not on one line, or changes nothing. */
export function createMutation(file: string, text: string, place: MutationPlace): Mutation | null {
  const { kind, start, end, replacement } = place;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', start);
  const lineEnd = next === -1 ? text.length : next;
  if (end > lineEnd || replacement.includes('\n') || text.slice(start, end) === replacement) return null;
  const line = text.slice(0, lineStart).split('\n').length;
  const column = start - lineStart + 1;
  const id = createHash('sha256').update([file, line, column, kind, replacement].join(':')).digest('hex').slice(0, 8);
  const before = text.slice(lineStart, lineEnd).trim();
  const after = (text.slice(lineStart, start) + replacement + text.slice(end, lineEnd)).trim();
  return { id, kind, file, line, column, start, end, replacement, before, after };
}

export const applyMutation = (text: string, { start, end, replacement }: Mutation): string =>
  text.slice(0, start) + replacement + text.slice(end);
