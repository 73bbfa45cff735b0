/** Applies text edits. */
import type { Position, Range } from '../../contract/problem.js';
import { document } from './document.js';

export interface Edit {
  readonly range: Range;
  readonly newText: string;
}

/** The ranges refer to the original text and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const { lineStarts } = document('', text);
  const offsetOf = ({ line, character }: Position): number => (lineStarts[line] ?? text.length) + character;
  return edits
    .map(({ range, newText }) => ({ start: offsetOf(range.start), end: offsetOf(range.end), newText }))
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, newText }) => result.slice(0, start) + newText + result.slice(end), text);
}
