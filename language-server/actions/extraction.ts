/**
 * Refactoring: moves a literal from a statement to its parameters. Needs a known column, for the placeholder's type.
 */
import { CodeActionKind } from '../protocol.js';
import { rangeAt } from '../../language/source/document.js';
import { LITERAL } from '../../language/strings/literal.js';
import { addItems, addMembers } from '../../language/source/edit-json.js';
import { toDocumentOffset } from '../../language/source/escapes.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { findMember } from '../../language/source/tree.js';
import { statementAt } from '../queries/query-context.js';
import { toWorkspaceEdit } from './workspace-edit.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export function extractionActions(asked: ActionSourceInput): CodeActionOffer[] {
  const { view, range, server } = asked;
  const site = view.getCursorContext(view.offsetAt(range.start));
  const query = statementAt(view, site);
  const { inside } = site;
  const binds = query?.field.meta.binds;
  if (query === null || inside === null || binds === undefined || !inside.isClosed) return [];
  const { doc, around, list, parameters } = query;
  if (around === null || (list === null && findMember(around, binds) !== undefined)) return [];
  const scan = scanSql(inside.text);
  const n = parameters.length + 1;
  if (scan.faults.length > 0 || Math.max(0, ...scan.placeholders.map((one) => one.n)) !== parameters.length) return [];
  const token = scan.tokens.find(({ start, end }) => start <= inside.offset && inside.offset <= end && isValue(start));
  const value = token === undefined ? null : parseSqlLiteral(inside.text.slice(token.start, token.end));
  if (token === undefined || value === null) return [];
  const after = `${inside.text.slice(0, token.start)}$${n}${inside.text.slice(token.end)}`;
  const met = scanSql(after).placeholders.find((one) => one.n === n);
  // A cast converts from text, so the literal may have to stay text.
  if (met === undefined || met.column === null || met.cast !== null) return [];
  const json = typeof value === 'string' ? `{ "${LITERAL}": ${JSON.stringify(value)} }` : String(value);
  const edit = toWorkspaceEdit(asked, doc, [
    list === null ? addMembers(doc, around, [[binds, `[${json}]`]]) : addItems(doc, list, [json]),
  ]);
  const toFileOffset = (decoded: number): number => toDocumentOffset(view.doc, inside, decoded);
  edit.changes?.[server.toClientUri(view.name)]?.push({
    range: rangeAt(view.doc, toFileOffset(token.start), toFileOffset(token.end)),
    newText: `$${n}`,
  });
  return [{ title: `Bind it as $${n}`, edit, fixes: [], kind: CodeActionKind.RefactorExtract }];

  function isValue(start: number): boolean {
    return scan.tokens.some((one) => one.start === start && (one.type === 'number' || one.type === 'string'));
  }
}

/** Returns null for literals with escapes. */
function parseSqlLiteral(source: string): string | number | null {
  if (/^(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(source)) return Number(source);
  const text = /^'((?:[^'\\]|'')*)'$/.exec(source)?.[1]?.replaceAll("''", "'");
  return text ?? null;
}
