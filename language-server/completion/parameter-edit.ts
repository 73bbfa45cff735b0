/** Creates the edit that adds values to a query's parameter list, or creates the list. */
import type { TextEdit } from 'vscode-languageserver';
import { rangeAt } from '../../language/source/document.js';
import { findMember } from '../../language/source/tree.js';
import type { QueryContext } from '../queries/query-context.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

/** None if the list has a name without a value, or the text at the cursor is unterminated. */
export function addParameters(
  view: DocumentContext,
  site: CursorContext,
  query: QueryContext,
  values: readonly string[],
): TextEdit[] {
  const { doc, around, list, field } = query;
  const { binds } = field.meta;
  if (values.length === 0 || binds === undefined) return [];
  const written = values.map((value) => JSON.stringify(value)).join(', ');
  if (list !== null) {
    const last = list.items.at(-1);
    const at = last?.end ?? list.start + 1;
    return [{ range: rangeAt(doc, at, at), newText: last === undefined ? written : `, ${written}` }];
  }
  if (around !== null && findMember(around, binds) !== undefined) return [];
  // Creates the list only next to SQL text; for other queries its place is unclear.
  if (field.meta.language !== 'sql' || site.inside?.isClosed !== true) return [];
  const { end } = site.inside;
  return [{ range: view.range(end, end), newText: `,${gapBefore(view, site)}${JSON.stringify(binds)}: [${written}]` }];
}

/** Keeps members on separate lines. */
function gapBefore(view: DocumentContext, { inside }: CursorContext): string {
  const before = view.doc.text.slice(0, inside?.start ?? 0);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  const indent = /^(\s*)"(?:[^"\\]|\\.)*"\s*:\s*$/.exec(line)?.[1];
  if (indent === undefined || line.length === before.length) return ' ';
  return `${view.doc.text.includes('\r\n') ? '\r\n' : '\n'}${indent}`;
}
