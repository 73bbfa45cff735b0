/** The foldable ranges of a JSON text: multi-line objects, lists and comments. Accepts invalid JSON. */
import { createScanner } from 'jsonc-parser';
import { positionAt, type Document } from './document.js';

/** Zero-based lines; `end` is the last hidden line. */
export interface Fold {
  readonly start: number;
  readonly end: number;
  readonly comment: boolean;
}

/** Of the scanner's `const enum`, which cannot be imported. */
const Kind = {
  OPEN_BRACE: 1,
  CLOSE_BRACE: 2,
  OPEN_BRACKET: 3,
  CLOSE_BRACKET: 4,
  LINE: 12,
  BLOCK: 13,
  EOF: 17,
} as const;

export function findFolds(doc: Document): Fold[] {
  const scanner = createScanner(doc.text, false);
  const open: { readonly kind: number; readonly line: number }[] = [];
  const folds: Fold[] = [];
  let comments: { start: number; end: number } | null = null;
  const add = (start: number, end: number, comment: boolean): void => {
    if (end > start) folds.push({ start, end, comment });
  };
  for (;;) {
    const kind = scanner.scan() as number;
    if (kind === Kind.EOF) break;
    const line = positionAt(doc, scanner.getTokenOffset()).line;
    const end = scanner.getTokenOffset() + scanner.getTokenLength();
    if (kind === Kind.OPEN_BRACE || kind === Kind.OPEN_BRACKET) open.push({ kind, line });
    else if (kind === Kind.CLOSE_BRACE || kind === Kind.CLOSE_BRACKET) {
      // Drops unclosed brackets.
      while (open.length > 0 && open.at(-1)?.kind !== kind - 1) open.pop();
      const from = open.pop();
      // The line of the closing bracket stays visible.
      if (from !== undefined) add(from.line, line - 1, false);
    } else if (kind === Kind.BLOCK) add(line, positionAt(doc, end).line, true);
    else if (kind === Kind.LINE) {
      if (comments !== null && comments.end === line - 1) comments.end = line;
      else {
        if (comments !== null) add(comments.start, comments.end, true);
        comments = { start: line, end: line };
      }
    }
  }
  if (comments !== null) add(comments.start, comments.end, true);
  return folds.sort((a, b) => a.start - b.start || b.end - a.end);
}
