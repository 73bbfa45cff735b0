/** Hover in SQL: placeholders, tables, columns, functions. */
import type { StatementText } from '../../contract/statement-text.js';
import { getIsolations } from '../../language/analysis/isolation.js';
import type { IsolationNeed, RowLock } from '../../contract/plan.js';
import { listSourcesAt, type SqlSource } from '../../plugins/queries/sql/text/sources.js';
import { classifyTokens, type SqlPiece } from '../../plugins/queries/sql/text/names.js';
import { toLexemes } from '../../plugins/queries/sql/text/read.js';
import { findSignature } from '../../plugins/queries/sql/editing/signatures.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { toFileSpan } from '../json-string.js';
import { toAnalysedContext, type HoverSource } from './hover-source.js';
import { describePlaceholderType, describeStatementTypes } from '../queries/database-types.js';
import { placeholderMarkdown } from '../queries/parameters.js';
import { statementAt, type QueryContext } from '../queries/query-context.js';
import { columnMarkdown, columnsIn, tableMarkdown, getTables } from '../queries/tables.js';
import type { DocumentContext } from '../document-context.js';

export const hoverSql: HoverSource = (view, site) => {
  // Parameters and tables come from the analysis.
  const query = statementAt(view, site) && statementAt(view, toAnalysedContext(view, site));
  const { inside } = site;
  if (query === null || inside === null) return null;
  const scan = scanSql(inside.text);
  const pieces = classifyTokens(scan);
  const i = pieces.findIndex(({ start, end }) => start <= inside.offset && inside.offset < end);
  const piece = pieces[i] ?? pieces.find(({ end }) => end === inside.offset);
  if (piece === undefined) return null;
  const { offset } = site.cursor;
  const markdown =
    piece === pieces[0]
      ? joinParagraphs(describeIsolation(view, query), describeStatementTypes(view, offset))
      : describePiece(view, query, scan, piece, offset);
  if (markdown === '') return null;
  return { markdown, ...toFileSpan(view, inside, piece.start, piece.end) };
};

/** For the statement's verb: how it is isolated from concurrent requests. */
function describeIsolation({ analysis, registry }: DocumentContext, { resource, action }: QueryContext): string {
  if (resource === null || action === null) return '';
  const need = getIsolations(analysis, registry).get(resource.id)?.get(action.key);
  if (need === undefined) return 'Commits on its own without isolation: other requests may change what it has read.';
  const { level, lock, why, among } = need;
  const watched =
    among && level !== 'serializable' ? ', serializable where the database watches only such transactions' : '';
  const locks = lock === null ? '' : `\n\nLocks what it reads: ${LOCKS[lock]}.`;
  return `**${LEVELS[level]}**${watched}\n\n${why}${locks}`;
}

const LEVELS: Readonly<Record<IsolationNeed['level'], string>> = {
  statement: 'A transaction by itself',
  locks: 'Read committed, with locks',
  snapshot: 'Repeatable read',
  serializable: 'Serializable',
};
/** Descriptions in neutral terms, because each database has its own syntax. */
const LOCKS: Readonly<Record<RowLock, string>> = {
  update: 'others wait before they lock or change it',
  share: 'others may lock it so too, and wait before they change it',
};

const joinParagraphs = (...all: readonly string[]): string => all.filter((one) => one !== '').join('\n\n');

function describePiece(
  view: DocumentContext,
  query: QueryContext,
  scan: StatementText,
  piece: SqlPiece,
  offset: number,
): string {
  const { role, name } = piece;
  switch (role) {
    case 'placeholder': {
      const n = Number(scan.text.slice(piece.start + 1, piece.end));
      return joinParagraphs(placeholderMarkdown(n, query, view.registry), describePlaceholderType(view, offset, n));
    }
    case 'table': {
      const model = getTables(view).findModel(name);
      return model === undefined ? '' : tableMarkdown(view, model);
    }
    case 'source':
    case 'column':
      return describeSqlName(view, scan, piece);
    case 'function': {
      const known = findSignature(name);
      return known === undefined ? '' : `\`${known.form}: ${known.result}\`\n\n${known.doc}`;
    }
    default:
      return '';
  }
}

function describeSqlName(view: DocumentContext, scan: StatementText, { role, name, start }: SqlPiece): string {
  const tables = getTables(view);
  const words = toLexemes(scan.text, scan.tokens);
  const i = words.findIndex((word) => word.start === start);
  const sources = listSourcesAt(words, i);
  const of = (alias: string): SqlSource | undefined => sources.find((source) => source.alias === alias);
  if (role === 'source') {
    const source = of(name);
    if (source === undefined) return '';
    const model = source.table === null ? undefined : tables.findModel(source.table);
    if (model !== undefined) return `\`${name}\` is \`${source.table ?? ''}\`\n\n${tableMarkdown(view, model)}`;
    const columns = columnsIn(tables, source).map((column) => `\`${column.name}\``);
    return columns.length === 0 ? '' : `\`${name}\`, a sub-query with ${columns.join(', ')}`;
  }
  const qualifier = words[i - 1]?.type === 'dot' ? (words[i - 2]?.text ?? '').replaceAll('"', '').toLowerCase() : null;
  const searched = qualifier === null ? sources : [of(qualifier) ?? []].flat();
  // For SET and the column list of INSERT, the target is the first source.
  for (const source of searched) {
    const column = columnsIn(tables, source).find((one) => one.name === name || one.name.toLowerCase() === name);
    if (column !== undefined) return columnMarkdown(view, column);
  }
  return '';
}
