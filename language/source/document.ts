/**
 * The text of a file, or of a part of it (a window), with its line index. Offsets are relative to a window, positions
 * to the file.
 */
import type { Position, Range } from '../../contract/problem.js';

export interface Document {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
  /** Location of a window; null for whole files. */
  readonly within: WindowOrigin | null;
}

export interface WindowOrigin {
  readonly doc: Document;
  /** Offset of the window in that document. */
  readonly start: number;
}

/** A part of a file. When the text before it changes, `within` is updated. */
export interface Window extends Document {
  within: WindowOrigin;
}

/** A byte order mark stays, so that offsets match. */
export function createDocument(file: string, text: string): Document {
  return { file, text, lineStarts: findLineStarts(text), within: null };
}

export function createWindow(doc: Document, start: number, end: number): Window {
  // A slice would keep the whole text of every version.
  const text = JSON.parse(JSON.stringify(doc.text.slice(start, end))) as string;
  return { file: doc.file, text, lineStarts: findLineStarts(text), within: { doc, start } };
}

function findLineStarts(text: string): number[] {
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

/** Offsets outside the document are clamped. */
export function offsetInFile(doc: Document, offset: number): number {
  const at = Math.max(0, Math.min(offset, doc.text.length));
  return doc.within === null ? at : offsetInFile(doc.within.doc, doc.within.start + at);
}

/** In the file, for windows too. */
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

/** Replaces the characters `[start, end)`. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
