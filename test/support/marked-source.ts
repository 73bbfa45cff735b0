/**
 * Texts with marks for tests of the editor: `‸` is the caret, `«1:...»` a numbered range. JSON and SQL use the usual
 * pipe themselves, so these characters replace it. Also applies the edits of a server.
 */
import type { Position, Range, TextEdit } from 'vscode-languageserver-protocol';
import { createDocument, positionAt } from '../../language/source/document.js';

export interface MarkedSource {
  readonly text: string;
  /** Null without a caret. */
  readonly caret: Position | null;
  readonly offset: number | null;
  readonly ranges: ReadonlyMap<string, Range>;
}

export function parseMarked(source: string): MarkedSource {
  let text = '';
  let offset: number | null = null;
  const open: { name: string; start: number }[] = [];
  const spans: { name: string; start: number; end: number }[] = [];
  let copied = 0;
  for (const mark of source.matchAll(/‸|«(\w+):|»/g)) {
    text += source.slice(copied, mark.index);
    copied = mark.index + mark[0].length;
    if (mark[0] === '‸') offset = text.length;
    else if (mark[1] !== undefined) open.push({ name: mark[1], start: text.length });
    else {
      const { name, start } = open.pop() ?? { name: '?', start: 0 };
      spans.push({ name, start, end: text.length });
    }
  }
  text += source.slice(copied);
  const doc = createDocument('', text);
  const ranges = spans.map(
    ({ name, start, end }) => [name, { start: positionAt(doc, start), end: positionAt(doc, end) }] as const,
  );
  return { text, offset, caret: offset === null ? null : positionAt(doc, offset), ranges: new Map(ranges) };
}

/** The text after the edits; places of snippets are left as `‸`. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const doc = createDocument('', text);
  const toOffset = ({ line, character }: Position): number => (doc.lineStarts[line] ?? text.length) + character;
  return [...edits]
    .map(({ range, newText }) => ({ start: toOffset(range.start), end: toOffset(range.end), newText }))
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((result, { start, end, newText }) => result.slice(0, start) + newText + result.slice(end), text);
}

/** A snippet right after it was accepted: `${1:name}` is `name`, `${1|a,b|}` is `a`, `$0` and `$1` are `‸`. */
export const renderSnippet = (snippet: string): string =>
  snippet
    .replace(/(?<!\\)\$\{\d+\|((?:[^|\\]|\\.)*?)(?:,(?:[^|\\]|\\.)*)?\|\}/g, '$1')
    .replace(/(?<!\\)\$\{\d+:((?:[^}\\]|\\.)*)\}/g, '$1')
    .replace(/(?<!\\)\$(?:\d+|\{\d+\})/g, '‸')
    .replace(/\\([\\$}|,])/g, '$1');

/** The text with the caret after the first letter of `word`, where it follows `before`. */
export function putCaret(text: string, before: string, word: string): string {
  const at = text.indexOf(before + word);
  if (at === -1) throw new Error(`the text lacks ${JSON.stringify(before + word)}`);
  const caret = at + before.length + 1;
  return `${text.slice(0, caret)}‸${text.slice(caret)}`;
}
