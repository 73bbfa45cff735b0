/**
 * SQL texts as PostgreSQL reads them: syntax, tables, columns, values of an INSERT. Gives the columns that each statement
 * answers, where they are certain. Without a parser nothing is said.
 */
import { accessorsIn } from '../../language/accessor.js';
import { quoteReserved } from '../../language/sql-reserved.js';
import type { SqlParser } from '../../language/sql-parser.js';
import type { Document } from '../../source/document.js';
import { nearest } from '../../source/suggest.js';
import type { LocatedNode } from '../../source/tree.js';
import type { SqlText } from '../finds.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { hint, type Report, type ReportOptions } from '../report.js';
import { TIMESTAMPS, type Catalogue } from '../sql/catalogue.js';
import { foreignPlaceholders } from '../sql/foreign.js';
import { placesOf, type SqlPlaces } from '../sql/places.js';
import { resolveStatement, type Resolving, type SqlFinding } from '../sql/resolve.js';
import type { Columns } from '../sql/scope.js';
import { untypedIn } from '../sql/untyped.js';
import { childOf } from '../sql/tree.js';
import { accessorFor, templatesIn } from './templates.js';

export interface StatementContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly catalogue: Catalogue;
  readonly sql: SqlParser | undefined;
}

/** Columns that a statement answers, by its node. */
export type Answers = Map<LocatedNode, Columns>;

export function checkStatements(context: StatementContext, { doc, finds }: Definition, answers: Answers): void {
  for (const statement of finds.statements) {
    if (reportTemplates(context, doc, statement) || context.sql === undefined || !isWhole(statement)) continue;
    answers.set(statement.node, checkStatement(context, context.sql, doc, statement));
  }
}

/** What is reported by others would only be said again. */
const isWhole = ({ scan }: SqlText): boolean =>
  scan.faults.length === 0 && scan.statements === 1 && accessorsIn(scan.text).length === 0;

function reportTemplates({ registry, report }: StatementContext, doc: Document, statement: SqlText): boolean {
  const { scan, binds = 'parameters' } = statement;
  const places = placesOf(doc, statement);
  const next = Math.max(0, ...scan.placeholders.map(({ n }) => n)) + 1;
  const templates = templatesIn(scan.text).filter(({ start, end }) => !isArrayText(scan, start, end));
  for (const { text, path, start, end } of templates) {
    const right = accessorFor(registry, path) ?? path.join('.');
    report.add('TPL_SQL', places.spot(start, end), { template: text, n: next, right, binds });
  }
  return templates.length > 0;
}

/** `'{{a}}'::text[]` is an array of arrays. */
const isArrayText = ({ tokens, text }: SqlText['scan'], start: number, end: number): boolean =>
  tokens.some(
    (token, i) =>
      token.type === 'string' &&
      token.start < start &&
      token.end > end &&
      tokens[i + 1]?.type === 'cast' &&
      text.slice(tokens[i + 1]?.start, tokens[i + 1]?.end).endsWith(']'),
  );

function checkStatement(context: StatementContext, sql: SqlParser, doc: Document, statement: SqlText): Columns {
  const readable = quoteReserved(statement.scan);
  const { statements, fault } = sql.parse(readable.text);
  const places = placesOf(doc, statement, readable);
  if (fault !== null) {
    reportFault(context.report, places, statement, fault);
    return null;
  }
  const tree = childOf(statements[0] ?? {}, 'stmt');
  if (tree === null) return null;
  const resolving: Resolving = { catalogue: context.catalogue, findings: [], depth: 0 };
  const columns = resolveStatement(resolving, tree, null);
  for (const finding of resolving.findings) reportFinding(context, places, statement, finding);
  for (const { n, at } of untypedIn(tree)) {
    const fix = { fix: { title: `write $${n}::text`, text: `$${n}::text` } };
    context.report.add('SQL_UNTYPED', places.between(at, at), { n }, fix);
  }
  return columns;
}

function reportFault(
  report: Report,
  places: SqlPlaces,
  { scan, binds = 'parameters' }: SqlText,
  fault: { readonly message: string; readonly at: number },
): void {
  const foreign = foreignPlaceholders(scan);
  for (const { text, start, end, n } of foreign) {
    const fix = { fix: { title: `change to $${n}`, text: `$${n}` } };
    report.add('SQL_FOREIGN', places.spot(start, end), { text, n, binds }, fix);
  }
  if (foreign.length > 0) return;
  report.add('SQL_SYNTAX', places.token(fault.at), { what: fault.message });
}

function reportFinding(context: StatementContext, places: SqlPlaces, statement: SqlText, found: SqlFinding): void {
  const { report, catalogue } = context;
  switch (found.sort) {
    case 'table': {
      const near = nearest(found.name, catalogue.tables);
      report.add('SQL_TABLE', places.name(found.at, found.name), { name: found.name, hint: hint(near) }, plain(near));
      return;
    }
    case 'alias': {
      const near = nearest(found.name, found.near);
      report.add('SQL_ALIAS', places.name(found.at, found.name), { name: found.name, hint: hint(near) }, plain(near));
      return;
    }
    case 'column':
      reportColumn(report, places, found);
      return;
    case 'placeholder': {
      const { scan, binds = 'parameters' } = statement;
      const n = Math.max(0, ...scan.placeholders.map((one) => one.n)) + 1;
      const { doc, start, end } = places.name(found.at, found.name);
      const fix = { fix: { title: `change to $${n}`, text: `$${n}` } };
      // The sign stands directly before the name.
      report.add('SQL_FOREIGN', { doc, start: start - 1, end }, { text: `@${found.name}`, n, binds }, fix);
      return;
    }
    case 'count': {
      const params = { names: found.names, values: found.values };
      report.add('SQL_COUNT', places.between(found.at, found.last), params);
      return;
    }
    case 'needed':
      reportNeeded(report, places, statement, found);
  }
}

type Found<S extends SqlFinding['sort']> = Extract<SqlFinding, { readonly sort: S }>;

function reportColumn(report: Report, places: SqlPlaces, found: Found<'column'>): void {
  const { name, near: candidates, at } = found;
  const spot = places.name(at, name);
  const upper = candidates.find((column) => column !== name && column.toLowerCase() === name);
  if (upper !== undefined && !places.isQuoted(at, name)) {
    const fix = { fix: { title: `put ${upper} in double quotes`, text: `\\"${upper}\\"` } };
    report.add('SQL_CASE', spot, { name, field: upper }, fix);
    return;
  }
  const near = nearest(name, candidates);
  const table = found.table === null ? 'any table of this statement' : `"${found.table}"`;
  const words = near === undefined && places.isQuoted(at, name) ? ' Text is written in single quotes.' : hint(near);
  report.add('SQL_COLUMN', spot, { name, table, hint: words }, plain(near));
}

/** Columns with timestamps are filled by the query language where it is told to. */
function reportNeeded(report: Report, places: SqlPlaces, { around }: SqlText, found: Found<'needed'>): void {
  const filled = around?.members.some(({ key, value }) => key.startsWith('with_timestamp') && value?.scalar === true);
  const columns = found.columns.filter((column) => filled !== true || !TIMESTAMPS.includes(column));
  if (columns.length === 0) return;
  const listed = columns.map((column) => `"${column}"`).join(', ');
  report.add('SQL_NEEDED', places.name(found.at, found.table), { table: found.table, columns: listed });
}

/** A fix that needs no quotes. */
const plain = (near: string | undefined): Pick<ReportOptions, 'fix'> =>
  near === undefined || !/^[a-z_][a-z0-9_]*$/.test(near) ? {} : { fix: { title: `change to ${near}`, text: near } };
