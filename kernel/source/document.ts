/** The text of one file with its line index: offsets to positions and back. Knows nothing of JSON. */
import type { Position, Range } from '../contract/problem.js';

export interface Document {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A leading byte order mark is kept in the text, so that offsets stay those of the file. */
export function document(file: string, text: string): Document {
  const lineStarts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) lineStarts.push(i + 1);
  }
  return { file, text, lineStarts };
}

export function positionAt(doc: Document, offset: number): Position {
  const at = Math.max(0, Math.min(offset, doc.text.length));
  let low = 0;
  let high = doc.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((doc.lineStarts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: at - (doc.lineStarts[low] ?? 0) };
}

export function rangeAt(doc: Document, start: number, end: number): Range {
  return { start: positionAt(doc, start), end: positionAt(doc, end) };
}
