/** Applies text edits. */
import type { Position, Range } from '../../contract/problem.js';
import { createDocument } from './document.js';

export interface Edit {
  readonly range: Range;
  readonly newText: string;
}

/** The ranges refer to the original text and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const { lineStarts } = createDocument('', text);
  const toOffset = ({ line, character }: Position): number => (lineStarts[line] ?? text.length) + character;
  return edits
    .map(({ range, newText }) => ({ start: toOffset(range.start), end: toOffset(range.end), newText }))
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, newText }) => result.slice(0, start) + newText + result.slice(end), text);
}
