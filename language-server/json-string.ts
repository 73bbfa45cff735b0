/** Converts ranges in the decoded string at the cursor to ranges in the file. */
import type { Span } from '../language/analysis/report.js';
import { toDocumentOffset } from '../language/source/escapes.js';
import type { CursorContext, DocumentContext } from './document-context.js';

export const toFileSpan = (
  { doc }: DocumentContext,
  inside: NonNullable<CursorContext['inside']>,
  from: number,
  to: number,
): Span => ({
  start: toDocumentOffset(doc, inside, from),
  end: toDocumentOffset(doc, inside, to),
});

/** Escapes text for a JSON string, without quotes. */
export const escapeJsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
