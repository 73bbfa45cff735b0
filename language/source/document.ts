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

/** A byte order mark stays in the text, so that offsets match the file. */
export const createDocument = (file: string, text: string): Document => new IndexedText(file, text, null);

export function createWindow(doc: Document, start: number, end: number): Window {
  return new IndexedText(doc.file, copyPart(doc.text, start, end), { doc, start });
}

/** A slice keeps the whole text in memory; of most of the text it takes less than a copy. */
function copyPart(text: string, start: number, end: number): string {
  const part = text.slice(start, end);
  return part.length > text.length / 2 ? part : (JSON.parse(JSON.stringify(part)) as string);
}

/** Most documents of a project have no problem, so no position in them is asked for. */
class IndexedText<W extends WindowOrigin | null> {
  #lineStarts: readonly number[] | null = null;
  readonly file: string;
  readonly text: string;
  within: W;
  constructor(file: string, text: string, within: W) {
    this.file = file;
    this.text = text;
    this.within = within;
  }
  get lineStarts(): readonly number[] {
    return (this.#lineStarts ??= findLineStarts(this.text));
  }
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

export function offsetInFile(doc: Document, offset: number): number {
  const at = Math.max(0, Math.min(offset, doc.text.length));
  return doc.within === null ? at : offsetInFile(doc.within.doc, doc.within.start + at);
}

export const getWhole = (doc: Document): Document => (doc.within === null ? doc : getWhole(doc.within.doc));

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
