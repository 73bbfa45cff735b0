/** Checks SQL statements with the PostgreSQL parser. Returns certain result columns. */
import { reportEffects } from './effects.js';
import type { JsonObject } from '../../../contract/json.js';
import { listAccessors } from '../../strings/accessor.js';
import { quoteReserved } from '../../strings/sql-reserved.js';
import type { SqlParser, SqlSyntaxFault } from '../../strings/sql-parser.js';
import { listBackquotedNames, quoteIfNeeded } from '../../strings/sql-quotes.js';
import { scanSql } from '../../strings/sql.js';
import type { Document } from '../../source/document.js';
import { toDocumentOffset } from '../../source/escapes.js';
import { findSyntaxFix } from '../sql/syntax-fix.js';
import { findNearest } from '../../source/suggest.js';
import type { LocatedNode } from '../../source/tree.js';
import type { WalkResult, SqlText } from '../facts.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { resolveEdits } from '../fix-factory.js';
import { createCaseCause, formatHint, type Report, type ReportOptions, createFix } from '../report.js';
import type { Stores } from '../stores.js';
import { TIMESTAMPS, type Catalogue } from '../sql/catalogue.js';
import { findForeignPlaceholders } from '../sql/foreign.js';
import { findForeignFunctions, describeMistake } from '../sql/common-mistakes.js';
import type { ColumnUse } from '../sql/column-uses.js';
import { getOrigins, type AliasedColumns, type StatementNames } from '../sql/names.js';
import { createSqlLocator, type SqlLocator } from '../sql/locator.js';
import { resolveStatement } from '../sql/resolve.js';
import type { ResolveContext, SqlFinding } from '../sql/insert.js';
import type { Columns } from '../sql/scope.js';
import { findUntyped } from '../sql/untyped.js';
import { findChild } from '../sql/tree.js';
import { findMiscasedAccessors } from './accessor-suggestions.js';
import { suggestAccessorFor, findTemplates, type Template } from './templates.js';

export interface StatementContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly catalogue: Catalogue;
  readonly sql: SqlParser | undefined;
  readonly stores: Pick<Stores, 'listPlacedQueries'>;
  /** Collects placeholders bound to columns. */
  readonly uses: (statement: SqlText) => ColumnUse[];
  readonly names: Map<LocatedNode, StatementNames>;
  /** Whether the name is used outside statements. */
  readonly isNamed?: (column: string) => boolean;
}

export type ResultColumns = Map<LocatedNode, Columns>;

export function checkStatements(all: StatementContext, definition: Definition, answers: ResultColumns): void {
  const { doc, finds } = definition;
  const context = { ...all, isNamed: (column: string) => isNamedIn(finds, column) };
  for (const statement of finds.statements) {
    if (reportTemplates(context, doc, statement) || context.sql === undefined || !isSingleStatement(statement))
      continue;
    const { sql, stores } = context;
    if (reportEffects(context.report, doc, statement)) continue;
    const placed = stores.listPlacedQueries(definition).find(({ query }) => query === statement);
    if ((placed?.syntax ?? sql.syntax) !== sql.syntax) checkForeign(context, sql, doc, statement);
    else answers.set(statement.node, checkStatement(context, sql, doc, statement));
  }
}

function isNamedIn({ references, declarations }: WalkResult, column: string): boolean {
  const isRuled = declarations.some(({ symbol, name }) => symbol === 'payload-field' && name === column);
  return references.some(
    ({ refers, name }) => !(refers.symbol === 'name' && isRuled) && String(name).split('.').includes(column),
  );
}

/** Other checks report these statements. */
export const isSingleStatement = ({ scan }: SqlText): boolean =>
  scan.faults.length === 0 && scan.statements === 1 && listAccessors(scan.text).length === 0;

function reportTemplates({ registry, report }: StatementContext, doc: Document, statement: SqlText): boolean {
  const { scan, binds = 'parameters' } = statement;
  const places = createSqlLocator(doc, statement);
  const next = Math.max(0, ...scan.placeholders.map(({ n }) => n)) + 1;
  const templates = [...findTemplates(scan.text), ...findLowercaseAccessors(registry, scan.text)].filter(
    ({ start, end }) => !isArrayText(scan, start, end),
  );
  for (const [i, template] of templates.entries()) {
    const { text, path, start, end } = template;
    const accessor = suggestAccessorFor(registry, path);
    const right = accessor ?? path.join('.');
    // Applying the fix changes the numbers of the next placeholders.
    const fix = i === 0 && accessor !== null ? createBindFix(doc, statement, template, next, accessor) : {};
    report.add('TPL_SQL', places.toLocation(start, end), { template: text, n: next, right, binds }, fix);
  }
  return templates.length > 0;
}

/** Inside SQL, `'$payload.email'` is a string. */
const findLowercaseAccessors = (registry: Registry, text: string): Template[] =>
  findMiscasedAccessors(registry, text).flatMap(({ start, end, right, named }) => {
    const path = right.slice(1).split('.');
    return named && path.length > 1 ? [{ path, text: text.slice(start, end), start, end }] : [];
  });

/** A placeholder replaces the template, and the accessor becomes a parameter. */
function createBindFix(
  doc: Document,
  { scan, node, around, parameters, binds = 'parameters' }: SqlText,
  { start, end }: Template,
  n: number,
  accessor: string,
): Pick<ReportOptions, 'fix'> {
  const text = scan.tokens.find((token) => token.type !== 'operator' && token.start < start && token.end > end);
  const isWhole = text?.type === 'string' && text.start === start - 1 && text.end === end + 1;
  if (around === null || n !== parameters.length + 1 || (text !== undefined && !isWhole)) return {};
  const span = text === undefined ? ([start, end] as const) : ([text.start, text.end] as const);
  const changes = resolveEdits(doc, around, [
    { at: node.pointer.slice(around.pointer.length), span, text: `$${n}` },
    { at: `/${binds}`, add: [accessor] },
  ]);
  return createFix(`write $${n} and put "${accessor}" into "${binds}"`, changes ?? [], true);
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
  const places = createSqlLocator(doc, statement, readable);
  if (fault !== null) {
    const bare = fixBackquotes(sql, doc, statement);
    const fix = bare.fix === undefined ? fixSyntax(sql, doc, statement, fault) : bare;
    reportFault(context.report, places, statement, { fault, fix });
    return null;
  }
  for (const { name, start, end, right, same } of findForeignFunctions(statement.scan)) {
    const fix = same === undefined ? {} : { fix: { title: `change to ${same}`, text: same } };
    const original = createSqlLocator(doc, statement);
    context.report.add('SQL_FUNCTION', original.toLocation(start, end), { name, right }, fix);
  }
  const tree = findChild(statements[0] ?? {}, 'stmt');
  if (tree === null) return null;
  const { columns, findings } = resolveColumns(context, statement, tree);
  for (const finding of findings) reportFinding(context, places, statement, finding);
  for (const { n, at } of findUntyped(tree)) {
    const fix = { fix: { title: `write $${n}::text`, text: `$${n}::text` } };
    context.report.add('SQL_UNTYPED', places.between(at, at), { n }, fix);
  }
  // Otherwise references to the misspelt column would be reported too.
  const wrong = findings.flatMap((one) => (one.sort === 'column' ? [one.name] : []));
  return columns?.some((column) => wrong.includes(column)) === true ? null : columns;
}

const NO_ALIASES: AliasedColumns = new Map();

function resolveColumns(
  { catalogue, uses, names }: StatementContext,
  statement: SqlText,
  tree: JsonObject,
): { readonly columns: Columns; readonly findings: readonly SqlFinding[] } {
  const resolving: ResolveContext = {
    catalogue,
    findings: [],
    uses: uses(statement),
    names: [],
    origins: new Map(),
    aliased: new Map(),
    mixed: false,
    depth: 0,
  };
  const columns = resolveStatement(resolving, tree, null);
  const { origins, mixed } = resolving;
  const aliased: AliasedColumns = (columns && resolving.aliased.get(columns)) ?? NO_ALIASES;
  const of = { columns, origins: getOrigins(origins, columns), aliased, mixed };
  names.set(statement.node, { names: resolving.names, ...of });
  return { columns, findings: resolving.findings };
}

/** Keywords of other dialects that this parser reads as names. */
const WORDS_OF_OTHERS = /^(?:dual|utc_(?:date|time|timestamp)|rollup|default)$/;

/**
 * For a store of another dialect: names mean the same if the parser accepts the statement. The store checks syntax
 * and double-quoted names.
 */
function checkForeign(context: StatementContext, sql: SqlParser, doc: Document, statement: SqlText): void {
  const readable = quoteReserved(statement.scan);
  const { statements, fault } = sql.parse(readable.text);
  const tree = fault === null ? findChild(statements[0] ?? {}, 'stmt') : null;
  if (tree === null) return;
  const places = createSqlLocator(doc, statement, readable);
  for (const finding of resolveColumns(context, statement, tree).findings) {
    if (isCertain(finding, places)) reportFinding(context, places, statement, finding);
  }
}

function isCertain(found: SqlFinding, places: SqlLocator): boolean {
  if (found.sort === 'count' || found.sort === 'needed') return true;
  if (found.sort === 'placeholder' || WORDS_OF_OTHERS.test(found.name) || places.isQuoted(found.at, found.name))
    return false;
  // Some dialects ignore case in names.
  return found.sort !== 'column' || !found.near.some((column) => column.toLowerCase() === found.name);
}

function reportFault(
  report: Report,
  places: SqlLocator,
  { scan, binds = 'parameters' }: SqlText,
  { fault, fix }: { readonly fault: SqlSyntaxFault; readonly fix: Pick<ReportOptions, 'fix'> },
): void {
  const foreign = findForeignPlaceholders(scan);
  for (const { text, start, end, n } of foreign) {
    const fix = { fix: { title: `change to $${n}`, text: `$${n}` } };
    report.add('SQL_FOREIGN', places.toLocation(start, end), { text, n, binds }, fix);
  }
  if (foreign.length > 0) return;
  report.add('SQL_SYNTAX', places.token(fault.at), { what: fault.message + describeMistake(scan) }, fix);
}

/** Fixes a statement with one change of the text. */
function fixSyntax(
  sql: SqlParser,
  doc: Document,
  { node, scan }: SqlText,
  { at }: SqlSyntaxFault,
): Pick<ReportOptions, 'fix'> {
  const canParse = (text: string): boolean => sql.parse(quoteReserved(scanSql(text)).text).fault === null;
  const syntaxFix = findSyntaxFix(scan, at, canParse);
  if (syntaxFix === null) return {};
  const change = {
    start: toDocumentOffset(doc, node, syntaxFix.start),
    end: toDocumentOffset(doc, node, syntaxFix.end),
    text: JSON.stringify(syntaxFix.text).slice(1, -1),
  };
  return createFix(syntaxFix.title, [change], true);
}

/** Only if the statement is valid without them. */
function fixBackquotes(sql: SqlParser, doc: Document, { node, scan }: SqlText): Pick<ReportOptions, 'fix'> {
  const names = listBackquotedNames(scan.text) ?? [];
  const written = [...names].reverse();
  const text = written.reduce(
    (rest, { name, start, end }) => rest.slice(0, start) + quoteIfNeeded(name) + rest.slice(end),
    scan.text,
  );
  if (names.length === 0 || sql.parse(quoteReserved(scanSql(text)).text).fault !== null) return {};
  const changes = names.map(({ name, start, end }) => ({
    start: toDocumentOffset(doc, node, start),
    end: toDocumentOffset(doc, node, end),
    text: JSON.stringify(quoteIfNeeded(name)).slice(1, -1),
  }));
  return createFix('write names without backquotes', changes);
}

function reportFinding(context: StatementContext, places: SqlLocator, statement: SqlText, found: SqlFinding): void {
  const { report, catalogue } = context;
  switch (found.sort) {
    case 'table': {
      const near = findNearest(found.name, catalogue.tables);
      report.add(
        'SQL_TABLE',
        places.name(found.at, found.name),
        { name: found.name, hint: formatHint(near) },
        createPlainFix(near),
      );
      return;
    }
    case 'alias': {
      const near = findNearest(found.name, found.near);
      report.add(
        'SQL_ALIAS',
        places.name(found.at, found.name),
        { name: found.name, hint: formatHint(near) },
        createPlainFix(near),
      );
      return;
    }
    case 'column':
      reportColumn(report, places, found, context.isNamed?.(found.name) === true || hasOuterUse(statement, found.name));
      return;
    case 'placeholder': {
      const { scan, binds = 'parameters' } = statement;
      const n = Math.max(0, ...scan.placeholders.map((one) => one.n)) + 1;
      const { doc, start, end } = places.name(found.at, found.name);
      const fix = { fix: { title: `change to $${n}`, text: `$${n}` } };
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

type FindingOfSort<S extends SqlFinding['sort']> = Extract<SqlFinding, { readonly sort: S }>;

function reportColumn(report: Report, places: SqlLocator, found: FindingOfSort<'column'>, isShared: boolean): void {
  const { name, near: candidates, at } = found;
  const spot = places.name(at, name);
  const upper = candidates.find((column) => column !== name && column.toLowerCase() === name);
  if (upper !== undefined && !places.isQuoted(at, name)) {
    const fix = { fix: { title: `put ${upper} in double quotes`, text: `\\"${upper}\\"` } };
    report.add('SQL_CASE', spot, { name, field: upper }, { ...fix, cause: createCaseCause(upper) });
    return;
  }
  const near = findNearest(name, candidates);
  const table = found.table === null ? 'any table of this statement' : `"${found.table}"`;
  const words =
    near === undefined && places.isQuoted(at, name) ? ' Text is written in single quotes.' : formatHint(near);
  // If other parts use the name too, the model is probably wrong.
  report.add('SQL_COLUMN', spot, { name, table, hint: words }, isShared ? {} : createNameFix(near));
}

/** An outer query may read the column by the same name. */
function hasOuterUse({ scan: { tokens, text } }: SqlText, name: string): boolean {
  const words = tokens.map(({ start, end }) => text.slice(start, end).toLowerCase());
  const count = (word: string): number => words.filter((one) => one === word).length;
  return count('select') > 1 && count(name.toLowerCase()) > 1;
}

/** `with_timestamp…` fills the timestamp columns. */
function reportNeeded(report: Report, places: SqlLocator, { around }: SqlText, found: FindingOfSort<'needed'>): void {
  const filled = around?.members.some(({ key, value }) => key.startsWith('with_timestamp') && value?.scalar === true);
  const columns = found.columns.filter((column) => filled !== true || !TIMESTAMPS.includes(column));
  if (columns.length === 0) return;
  const listed = columns.map((column) => `"${column}"`).join(', ');
  report.add('SQL_NEEDED', places.name(found.at, found.table), { table: found.table, columns: listed });
}

function createNameFix(near: string | undefined): Pick<ReportOptions, 'fix'> {
  const bare = createPlainFix(near);
  if (bare.fix !== undefined || near === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(near)) return bare;
  return { fix: { title: `change to "${near}"`, text: `\\"${near}\\"` } };
}

const createPlainFix = (near: string | undefined): Pick<ReportOptions, 'fix'> =>
  near === undefined || !/^[a-z_][a-z0-9_]*$/.test(near) ? {} : { fix: { title: `change to ${near}`, text: near } };
