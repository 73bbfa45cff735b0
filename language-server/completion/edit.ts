/**
 * What an accepted completion writes: a member with its colon, a value for it, the comma behind it, or text inside a string.
 * Knows JSON, nothing of the language.
 */
import type { TextEdit } from 'vscode-languageserver';
import { nextSignificant } from '../../kernel/source/cursor.js';
import type { Site, View } from '../view.js';

/** Text of a snippet: `$`, `}` and the backslash mean something there. */
export const snippetText = (text: string): string => text.replace(/[\\$}]/g, (character) => `\\${character}`);

/** A snippet as it stands when it has been inserted: of a choice the first. */
export const plainText = (snippet: string): string =>
  snippet
    .replace(/(?<!\\)\$\{\d+\|((?:[^,|\\]|\\.)*)(?:[^|\\]|\\.)*\|\}/g, '$1')
    .replace(/(?<!\\)\$\{\d+:((?:[^}\\]|\\.)*)\}/g, '$1')
    .replace(/(?<!\\)\$\d+/g, '')
    .replace(/\\([\\$}|,])/g, '$1');

/** Replaces the token at the caret (quotes and all), or stands at the caret where there is none. */
export function replacing(view: View, { cursor }: Site, text: string): TextEdit {
  const { token, offset } = cursor;
  return { range: view.range(token?.start ?? offset, tokenEnd(view, cursor) ?? offset), newText: text };
}

/** A string that nobody has closed ends where its word ends, not at the end of the line; never in front of the caret. */
function tokenEnd(view: View, { token, offset }: Site['cursor']): number | null {
  if (token === null) return null;
  const { text } = view.doc;
  if (token.isClosed) return token.end;
  let end = token.start + 1;
  while (end < token.end && /[\w.$-]/.test(text[end] ?? '')) end++;
  return Math.min(token.end, Math.max(end, offset));
}

/** The comma that has to stand behind what is inserted, when something follows. */
export function commaBehind(view: View, { cursor }: Site): string {
  const next = nextSignificant(view.doc.text, tokenEnd(view, cursor) ?? cursor.offset);
  return next === '' || next === '}' || next === ']' || next === ',' || next === ':' ? '' : ',';
}

/** Whether a colon follows already, as it does where a name is changed. */
export const hasColon = (view: View, { cursor }: Site): boolean =>
  nextSignificant(view.doc.text, tokenEnd(view, cursor) ?? cursor.offset) === ':';

/** The comma that was forgotten in front of what is inserted. */
export function commaBefore(view: View, { cursor }: Site): TextEdit[] {
  return cursor.comma === null ? [] : [{ range: view.range(cursor.comma, cursor.comma), newText: ',' }];
}
