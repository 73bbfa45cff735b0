/** Text edits of accepted completions. Knows only JSON. */
import type { TextEdit } from 'vscode-languageserver';
import { findNextCharacter } from '../../language/source/cursor.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

/** Escapes the characters `$`, `}` and backslash for snippets. */
export const escapeSnippet = (text: string): string => text.replace(/[\\$}]/g, (character) => `\\${character}`);

/** The snippet's text after insertion; of a choice, the first. */
export const toPlainText = (snippet: string): string =>
  snippet
    .replace(/(?<!\\)\$\{\d+\|((?:[^,|\\]|\\.)*)(?:[^|\\]|\\.)*\|\}/g, '$1')
    .replace(/(?<!\\)\$\{\d+:((?:[^}\\]|\\.)*)\}/g, '$1')
    .replace(/(?<!\\)\$\d+/g, '')
    .replace(/\\([\\$}|,])/g, '$1');

export function replaceToken(view: DocumentContext, { cursor }: CursorContext, text: string): TextEdit {
  const { token, offset } = cursor;
  return { range: view.range(token?.start ?? offset, tokenEnd(view, cursor) ?? offset), newText: text };
}

/** An unterminated string ends with its word instead of the line, and not before the cursor. */
function tokenEnd(view: DocumentContext, { token, offset }: CursorContext['cursor']): number | null {
  if (token === null) return null;
  const { text } = view.doc;
  if (token.isClosed) return token.end;
  let end = token.start + 1;
  while (end < token.end && /[\w.$-]/.test(text[end] ?? '')) end++;
  return Math.min(token.end, Math.max(end, offset));
}

/** The comma needed if another member or item follows. */
export function commaAfter(view: DocumentContext, { cursor }: CursorContext): string {
  const next = findNextCharacter(view.doc.text, tokenEnd(view, cursor) ?? cursor.offset);
  return next === '' || next === '}' || next === ']' || next === ',' || next === ':' ? '' : ',';
}

/** True if a colon follows already, as when a name is changed. */
export const hasColon = (view: DocumentContext, { cursor }: CursorContext): boolean =>
  findNextCharacter(view.doc.text, tokenEnd(view, cursor) ?? cursor.offset) === ':';

export function commaBefore(view: DocumentContext, { cursor }: CursorContext): TextEdit[] {
  return cursor.comma === null ? [] : [{ range: view.range(cursor.comma, cursor.comma), newText: ',' }];
}
