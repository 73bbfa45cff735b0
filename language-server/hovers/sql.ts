/** Hover in SQL: placeholders, tables, columns, functions. */
import { isolationsIn } from '../../language/analysis/isolation.js';
import type { IsolationNeed, RowLock } from '../../contract/plan.js';
import { sourcesAt, type SqlSource } from '../../language/strings/sql-sources.js';
import { sqlPieces, type SqlPiece } from '../../language/strings/sql-names.js';
import { significant } from '../../language/strings/sql-read.js';
import { SQL_FUNCTIONS } from '../../language/strings/sql-words.js';
import { scanSql, type SqlScan } from '../../language/strings/sql.js';
import { spanInside } from '../inside.js';
import { analysedSite, type HoverSource } from './source.js';
import { placeholderMarkdown } from '../queries/parameters.js';
import { statementAt, type QuerySite } from '../queries/query-site.js';
import { columnMarkdown, columnsIn, tableMarkdown, tablesOf } from '../queries/tables.js';
import type { View } from '../view.js';

export const sqlHover: HoverSource = (view, site) => {
  // Parameters and tables come from the analysis.
  const query = statementAt(view, site) && statementAt(view, analysedSite(view, site));
  const { inside } = site;
  if (query === null || inside === null) return null;
  const scan = scanSql(inside.text);
  const pieces = sqlPieces(scan);
  const i = pieces.findIndex(({ start, end }) => start <= inside.offset && inside.offset < end);
  const piece = pieces[i] ?? pieces.find(({ end }) => end === inside.offset);
  if (piece === undefined) return null;
  const markdown = piece === pieces[0] ? isolationWords(view, query) : wordsOf(view, query, scan, piece);
  if (markdown === '') return null;
  return { markdown, ...spanInside(view, inside, piece.start, piece.end) };
};

/** For the statement's verb: how it is isolated from concurrent requests. */
function isolationWords({ analysis, registry }: View, { resource, action }: QuerySite): string {
  if (resource === null || action === null) return '';
  const need = isolationsIn(analysis, registry).get(resource.id)?.get(action.key);
  if (need === undefined)
    return 'Commits by itself and runs as it is written: other requests may change what it has read.';
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

function wordsOf(view: View, query: QuerySite, scan: SqlScan, piece: SqlPiece): string {
  const { role, name } = piece;
  switch (role) {
    case 'placeholder':
      return placeholderMarkdown(Number(scan.text.slice(piece.start + 1, piece.end)), query, view.registry);
    case 'table': {
      const model = tablesOf(view).modelOf(name);
      return model === undefined ? '' : tableMarkdown(view, model);
    }
    case 'source':
    case 'column':
      return nameWords(view, scan, piece);
    case 'function': {
      const known = SQL_FUNCTIONS.find((one) => one.name === name);
      return known === undefined ? '' : `\`${known.form}\`\n\n${known.doc}`;
    }
    default:
      return '';
  }
}

function nameWords(view: View, scan: SqlScan, { role, name, start }: SqlPiece): string {
  const tables = tablesOf(view);
  const words = significant(scan.text, scan.tokens);
  const i = words.findIndex((word) => word.start === start);
  const sources = sourcesAt(words, i);
  const of = (alias: string): SqlSource | undefined => sources.find((source) => source.alias === alias);
  if (role === 'source') {
    const source = of(name);
    if (source === undefined) return '';
    const model = source.table === null ? undefined : tables.modelOf(source.table);
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
