/** Checks a statement with the PostgreSQL parser against the models. */
import type {
  AliasedColumns,
  ColumnUse,
  Columns,
  StatementNames,
  StatementText,
  TextSpan,
} from '../../../../contract/statement-text.js';
import type { JsonObject } from '../../../../contract/json.js';
import type {
  CheckedStatement,
  StatementFinding,
  StatementFix,
  StatementParser,
  StatementToCheck,
  SyntaxFault,
} from '../../../../contract/query-language.js';
import { TIMESTAMPS } from '../../../../contract/model.js';
import { findNearest } from '../../../../language/source/suggest.js';
import { EFFECT_CODES, findEffects } from '../text/effects.js';
import { listBackquotedNames, quoteIfNeeded } from '../text/quotes.js';
import { quoteReserved } from '../text/reserved.js';
import { scanSql } from '../text/scan.js';
import { describeMistake, findForeignFunctions, findForeignPlaceholders } from './common-mistakes.js';
import type { ResolveContext, SqlFinding } from './insert.js';
import { createSqlLocator, type SqlLocator } from './locator.js';
import { getOrigins } from './names.js';
import { resolveStatement } from './resolve.js';
import { findSyntaxFix } from './syntax-fix.js';
import { findChild } from './tree.js';
import { findUntyped } from './untyped.js';

export function checkStatement(input: StatementToCheck): CheckedStatement {
  const effects = findEffects(input.scan);
  if (effects.length > 0) {
    const findings = effects.map(({ sort, what, start, end }) => ({
      code: EFFECT_CODES[sort],
      params: { what },
      start,
      end,
    }));
    return { ...UNREAD, findings };
  }
  return input.isForeign ? checkForeign(input) : checkOwn(input);
}

const UNREAD = { columns: undefined, uses: null, names: null, findings: [] };

function checkOwn(input: StatementToCheck): CheckedStatement {
  const { scan, parser } = input;
  const readable = quoteReserved(scan);
  const { statements, fault } = parser.parse(readable.text);
  const places = createSqlLocator(scan, readable);
  if (fault !== null) {
    const fix = fixBackquotes(parser, scan) ?? fixSyntax(parser, scan, fault);
    return { ...UNREAD, columns: null, findings: describeFault(input, places, fault, fix) };
  }
  const wrongCalls = findForeignFunctions(scan).map(({ name, start, end, right, same }): StatementFinding => {
    const fix = same === undefined ? {} : { fix: { title: `change to ${same}`, text: same } };
    return { code: 'SQL_FUNCTION', start, end, params: { name, right }, ...fix };
  });
  const tree = findChild(statements[0] ?? {}, 'stmt');
  if (tree === null) return { ...UNREAD, columns: null, findings: wrongCalls };
  const { findings, uses, names } = resolveColumns(input, tree);
  const untyped = findUntyped(tree).map(({ n, at }): StatementFinding => {
    const fix = { title: `write $${n}::text`, text: `$${n}::text` };
    return { code: 'SQL_UNTYPED', ...places.between(at, at), params: { n }, fix };
  });
  // Otherwise references to the misspelt column would be reported too.
  const wrong = findings.flatMap((one) => (one.sort === 'column' ? [one.name] : []));
  const isUncertain = names.columns?.some((column) => wrong.includes(column)) === true;
  return {
    findings: [...wrongCalls, ...findings.flatMap((one) => describeFinding(input, places, one)), ...untyped],
    columns: isUncertain ? null : names.columns,
    uses,
    names,
  };
}

const NO_ALIASES: AliasedColumns = new Map();

interface ResolvedColumns {
  readonly findings: readonly SqlFinding[];
  readonly uses: readonly ColumnUse[];
  readonly names: StatementNames;
}

function resolveColumns({ catalogue }: StatementToCheck, tree: JsonObject): ResolvedColumns {
  const resolving: ResolveContext = {
    catalogue,
    findings: [],
    uses: [],
    names: [],
    origins: new Map(),
    aliased: new Map(),
    mixed: false,
    depth: 0,
  };
  const columns: Columns = resolveStatement(resolving, tree, null);
  const { origins, mixed, names, uses, findings } = resolving;
  const aliased: AliasedColumns = (columns && resolving.aliased.get(columns)) ?? NO_ALIASES;
  return { uses, findings, names: { names, columns, origins: getOrigins(origins, columns), aliased, mixed } };
}

/** Keywords of other dialects that this parser reads as names. */
const WORDS_OF_OTHERS = /^(?:dual|utc_(?:date|time|timestamp)|rollup|default)$/;

/**
 * For a store of another dialect, which itself checks syntax and double-quoted names.
 */
function checkForeign(input: StatementToCheck): CheckedStatement {
  const readable = quoteReserved(input.scan);
  const { statements, fault } = input.parser.parse(readable.text);
  const tree = fault === null ? findChild(statements[0] ?? {}, 'stmt') : null;
  if (tree === null) return UNREAD;
  const places = createSqlLocator(input.scan, readable);
  const { findings, uses, names } = resolveColumns(input, tree);
  const certain = findings.filter((finding) => isCertain(finding, places));
  return { ...UNREAD, findings: certain.flatMap((one) => describeFinding(input, places, one)), uses, names };
}

function isCertain(found: SqlFinding, places: SqlLocator): boolean {
  if (found.sort === 'count' || found.sort === 'needed') return true;
  if (found.sort === 'placeholder' || WORDS_OF_OTHERS.test(found.name) || places.isQuoted(found.at, found.name))
    return false;
  // Some dialects ignore case in names.
  return found.sort !== 'column' || !found.near.some((column) => column.toLowerCase() === found.name);
}

function describeFault(
  { scan, binds }: StatementToCheck,
  places: SqlLocator,
  fault: SyntaxFault,
  fix: StatementFix | null,
): StatementFinding[] {
  const foreign = findForeignPlaceholders(scan);
  if (foreign.length > 0)
    return foreign.map(({ text, start, end, n }) => {
      const change = { title: `change to $${n}`, text: `$${n}` };
      return { code: 'SQL_FOREIGN', start, end, params: { text, n, binds }, fix: change };
    });
  const what = fault.message + describeMistake(scan);
  return [{ code: 'SQL_SYNTAX', ...places.token(fault.at), params: { what }, ...(fix !== null && { fix }) }];
}

const canParse = (parser: StatementParser, text: string): boolean =>
  parser.parse(quoteReserved(scanSql(text)).text).fault === null;

/** Fixes a statement with one change of the text. */
function fixSyntax(parser: StatementParser, scan: StatementText, { at }: SyntaxFault): StatementFix | null {
  const syntaxFix = findSyntaxFix(scan, at, (text) => canParse(parser, text));
  return syntaxFix && { title: syntaxFix.title, text: syntaxFix.text, edits: [syntaxFix], asks: true };
}

/** Only if the statement is valid without them. */
function fixBackquotes(parser: StatementParser, { text }: StatementText): StatementFix | null {
  const names = listBackquotedNames(text) ?? [];
  const bare = [...names]
    .reverse()
    .reduce((rest, { name, start, end }) => rest.slice(0, start) + quoteIfNeeded(name) + rest.slice(end), text);
  if (names.length === 0 || !canParse(parser, bare)) return null;
  const edits = names.map(({ name, start, end }) => ({ start, end, text: quoteIfNeeded(name) }));
  return { title: 'write names without backquotes', text: '', edits };
}

function describeFinding(input: StatementToCheck, places: SqlLocator, found: SqlFinding): StatementFinding[] {
  switch (found.sort) {
    case 'table':
      return [describeName('SQL_TABLE', places, found, input.catalogue.tables)];
    case 'alias':
      return [describeName('SQL_ALIAS', places, found, found.near)];
    case 'column':
      return [describeColumn(places, found, input.isNamed(found.name) || hasOuterUse(input.scan, found.name))];
    case 'placeholder': {
      const n = Math.max(0, ...input.scan.placeholders.map((one) => one.n)) + 1;
      const { start, end } = places.name(found.at, found.name);
      const fix = { title: `change to $${n}`, text: `$${n}` };
      const { binds } = input;
      return [{ code: 'SQL_FOREIGN', start: start - 1, end, params: { text: `@${found.name}`, n, binds }, fix }];
    }
    case 'count': {
      const { names, values } = found;
      return [{ code: 'SQL_COUNT', ...places.between(found.at, found.last), params: { names, values } }];
    }
    case 'needed':
      return describeNeeded(places, input.isDated, found);
  }
}

type FindingOfSort<S extends SqlFinding['sort']> = Extract<SqlFinding, { readonly sort: S }>;

const formatHint = (near: string | undefined): string => (near === undefined ? '' : ` Did you mean "${near}"?`);

function describeName(
  code: string,
  places: SqlLocator,
  { at, name }: FindingOfSort<'table' | 'alias'>,
  candidates: readonly string[],
): StatementFinding {
  const near = findNearest(name, candidates);
  return { code, ...places.name(at, name), params: { name, hint: formatHint(near) }, ...createPlainFix(near) };
}

function describeColumn(places: SqlLocator, found: FindingOfSort<'column'>, isShared: boolean): StatementFinding {
  const { name, near: candidates, at } = found;
  const spot: TextSpan = places.name(at, name);
  const upper = candidates.find((column) => column !== name && column.toLowerCase() === name);
  if (upper !== undefined && !places.isQuoted(at, name)) {
    const fix = { title: `put ${upper} in double quotes`, text: `"${upper}"` };
    return { code: 'SQL_CASE', ...spot, params: { name, field: upper }, fix, cause: `case ${upper}` };
  }
  const near = findNearest(name, candidates);
  const table = found.table === null ? 'any table of this statement' : `"${found.table}"`;
  const words =
    near === undefined && places.isQuoted(at, name) ? ' Text is written in single quotes.' : formatHint(near);
  // If other parts use the name too, the model is probably wrong.
  const fix = isShared ? {} : createNameFix(near);
  return { code: 'SQL_COLUMN', ...spot, params: { name, table, hint: words }, ...fix };
}

/** An outer query may read the column by the same name. */
function hasOuterUse({ tokens, text }: StatementText, name: string): boolean {
  const words = tokens.map(({ start, end }) => text.slice(start, end).toLowerCase());
  const count = (word: string): number => words.filter((one) => one === word).length;
  return count('select') > 1 && count(name.toLowerCase()) > 1;
}

function describeNeeded(places: SqlLocator, isDated: boolean, found: FindingOfSort<'needed'>): StatementFinding[] {
  const columns = found.columns.filter((column) => !isDated || !TIMESTAMPS.includes(column));
  if (columns.length === 0) return [];
  const listed = columns.map((column) => `"${column}"`).join(', ');
  const { table } = found;
  return [{ code: 'SQL_NEEDED', ...places.name(found.at, table), params: { table, columns: listed } }];
}

function createNameFix(near: string | undefined): Pick<StatementFinding, 'fix'> {
  const bare = createPlainFix(near);
  if (bare.fix !== undefined || near === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(near)) return bare;
  return { fix: { title: `change to "${near}"`, text: `"${near}"` } };
}

const createPlainFix = (near: string | undefined): Pick<StatementFinding, 'fix'> =>
  near === undefined || !/^[a-z_][a-z0-9_]*$/.test(near) ? {} : { fix: { title: `change to ${near}`, text: near } };
