/**
 * The text of one file with its line index: offsets to positions and back. Knows nothing of JSON. A part of a file (a
 * window) is a document too: its offsets count from its own beginning, its positions are those of the file.
 */
import type { Position, Range } from '../contract/problem.js';

export interface Document {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
  /** Where a window begins, and in what; null for whole files. */
  readonly within: Within | null;
}

export interface Within {
  readonly doc: Document;
  /** Offset of the window in that document. */
  readonly start: number;
}

/** A part of a file. It moves when lines above it come and go: `within` always says where it is now. */
export interface Window extends Document {
  within: Within;
}

/** A leading byte order mark is kept in the text, so that offsets stay those of the file. */
export function document(file: string, text: string): Document {
  return { file, text, lineStarts: lineStartsOf(text), within: null };
}

/** The characters of `doc` from `start` to `end`. */
export function windowOf(doc: Document, start: number, end: number): Window {
  // A copy: a mere slice would keep every text alive that the file ever had.
  const text = JSON.parse(JSON.stringify(doc.text.slice(start, end))) as string;
  return { file: doc.file, text, lineStarts: lineStartsOf(text), within: { doc, start } };
}

function lineStartsOf(text: string): number[] {
  const lineStarts = [0];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
    return lineStarts;
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) lineStarts.push(i + 1);
  }
  return lineStarts;
}

/** Offset in the file of an offset of the document; what lies outside the document is moved to its edge. */
export function offsetInFile(doc: Document, offset: number): number {
  const at = Math.max(0, Math.min(offset, doc.text.length));
  return doc.within === null ? at : offsetInFile(doc.within.doc, doc.within.start + at);
}

/** In the file, for windows as well. */
export function positionAt(doc: Document, offset: number): Position {
  const at = Math.max(0, Math.min(offset, doc.text.length));
  if (doc.within !== null) return positionAt(doc.within.doc, doc.within.start + at);
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
