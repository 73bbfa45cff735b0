/**
 * Plans how a statement runs: unchanged, or, for RETURNING, as several statements in one transaction. Rejects what
 * MySQL cannot do.
 */
import type { StatementText } from '../../../contract/statement-text.js';
import { findGroupEnd, isName, getLexemeName } from '../../queries/sql/text/read.js';
import { readColumnList, findElementStarts } from '../../queries/sql/text/placeholders.js';
import { isPerRow } from '../../queries/sql/text/functions.js';
import { quoteReserved } from '../../queries/sql/text/reserved.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { nameOutputs } from './outputs.js';
import { translateWords } from './translate.js';
import type { ServerFlavour, ValueType } from './types.js';
import {
  isCalled,
  isKeyword,
  renderWords,
  createTranslationError,
  toWords,
  type RenderedSql,
  type Words,
} from './words.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

export interface StatementForm {
  /** The whole statement; with steps, the part that changes rows. */
  readonly main: RenderedSql;
  readonly outputs: ReadonlyMap<string, ValueType>;
  readonly steps: InsertSteps | ChangeSteps | null;
  /** `main` is prepared again for each run. */
  readonly isTransient?: boolean;
}

/** An INSERT followed by a read of its rows by key. */
export interface InsertSteps {
  readonly step: 'insert';
  readonly table: string;
  /** `SELECT list FROM table`. */
  readonly select: RenderedSql;
  /** Whether the statement itself has RETURNING. */
  readonly hasReturning: boolean;
  /** Values by column (in lower case); null: cannot be evaluated twice. */
  readonly rows: readonly ReadonlyMap<string, RenderedSql | null>[];
  /** Columns of ON CONFLICT, by which the row is found. */
  readonly conflict: readonly string[] | null;
  readonly conflicting: boolean;
}

/** An UPDATE or DELETE of rows that are locked by key first. */
export interface ChangeSteps {
  readonly step: 'update' | 'delete';
  readonly table: string;
  /** Follows `SELECT keys`: ` FROM table WHERE ... FOR UPDATE`. */
  readonly found: RenderedSql;
  readonly select: RenderedSql;
  readonly alias: string;
  /** The statement before WHERE. */
  readonly change: RenderedSql;
  /** In lower case. */
  readonly sets: readonly string[];
}

export function scanQuoted(written: StatementText): StatementText {
  const { text } = quoteReserved(written);
  return text === written.text ? written : scanSql(text);
}

export function planForm(scan: StatementText, flavour: ServerFlavour, lock: string | null): StatementForm {
  const words = toWords(scan);
  const end = findStatementEnd(words);
  translateWords(words, flavour);
  const { all } = words;
  const verb = all.findIndex((word) => isKeyword(word, scan.verb) && word.depth === 0);
  if (words.all.some((word) => isKeyword(word, 'INSERT', 'UPDATE', 'DELETE') && isStatement(words, word.start))) {
    throw createTranslationError('a write inside WITH', 'an actionable of its own, in the same transaction');
  }
  if (scan.verb === 'INSERT') return planInsert(words, verb, end, flavour);
  if (scan.verb === 'UPDATE' || scan.verb === 'DELETE') return planChange(words, verb, end, flavour);
  const outputs =
    scan.verb === 'SELECT' && verb >= 0
      ? nameOutputs(words, listStart(words, verb), selectEnd(words, verb, end))
      : NONE;
  const main = renderWords(words, 0, end);
  return { main: lock === null ? main : { ...main, text: `${main.text} ${lock}` }, outputs, steps: null };
}

const NONE: ReadonlyMap<string, ValueType> = new Map();

function findStatementEnd({ all }: Words): number {
  let end = all.length;
  while (all[end - 1]?.type === 'semicolon') end--;
  return end;
}

const isStatement = ({ all }: Words, start: number): boolean => {
  const i = all.findIndex((word) => word.start === start);
  return all[i - 1]?.text === '(' && !isKeyword(all[i - 2], 'KEY');
};

const listStart = ({ all }: Words, verb: number): number =>
  isKeyword(all[verb + 1], 'DISTINCT', 'ALL') ? verb + 2 : verb + 1;

function findWordAtDepth({ all }: Words, from: number, end: number, ...texts: string[]): number {
  const depth = all[from]?.depth ?? 0;
  const at = all.findIndex((word, i) => i > from && i < end && word.depth === depth && isKeyword(word, ...texts));
  return at < 0 ? end : at;
}

const selectEnd = (words: Words, verb: number, end: number): number =>
  findWordAtDepth(
    words,
    verb,
    end,
    'FROM',
    'WHERE',
    'GROUP',
    'ORDER',
    'LIMIT',
    'UNION',
    'EXCEPT',
    'INTERSECT',
    'HAVING',
    'FOR',
  );

/** The table after INTO, UPDATE or FROM. */
function parseTable(words: Words, from: number): { name: string; alias: string; end: number; text: string } {
  const { all } = words;
  let at = from;
  while (all[at + 1]?.type === 'dot') at += 2;
  const last = all[at];
  if (!isName(last)) throw createTranslationError('a statement without a table', 'the name of a table');
  const text = renderWords(words, from, at + 1).text;
  at++;
  const as = isKeyword(all[at], 'AS') ? at + 1 : at;
  const aliased = all[as];
  if (
    isName(aliased) &&
    (as > at || !isKeyword(aliased, 'SET', 'WHERE', 'RETURNING', 'VALUES', 'SELECT', 'DEFAULT', 'USING', 'ON', 'WITH'))
  ) {
    return { name: getLexemeName(last), alias: getLexemeName(aliased), end: as + 1, text };
  }
  return { name: getLexemeName(last), alias: getLexemeName(last), end: at, text };
}

interface ReturningList {
  readonly list: RenderedSql;
  readonly outputs: ReadonlyMap<string, ValueType>;
}

function parseReturning(words: Words, at: number, end: number): ReturningList {
  if (at >= end) return { list: { text: '*', order: [], places: [] }, outputs: NONE };
  const outputs = nameOutputs(words, at + 1, end);
  return { list: renderWords(words, at + 1, end), outputs };
}

const joinParts = (...parts: readonly (string | RenderedSql)[]): RenderedSql => ({
  text: parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
  order: parts.flatMap((part) => (typeof part === 'string' ? [] : part.order)),
  places: parts.flatMap((part) => (typeof part === 'string' ? [] : part.places)),
});

function planInsert(words: Words, verb: number, end: number, flavour: ServerFlavour): StatementForm {
  const { all, out } = words;
  const table = parseTable(words, verb + 2);
  if (table.alias !== table.name) replaceAlias(words, verb + 2, table);
  const returning = findWordAtDepth(words, verb, end, 'RETURNING');
  const { list, outputs } = parseReturning(words, returning, end);
  let at = table.end;
  const names = all[at]?.text === '(' ? readColumnList(all, at) : null;
  if (names) at = findGroupEnd(all, at);
  const rows = parseInsertRows(words, at, names);
  const on = findConflict(words, verb, returning);
  const conflict = on < returning ? rewriteConflict(words, on, returning, table.text, names) : null;
  if (isKeyword(all[at], 'DEFAULT') && isKeyword(all[at + 1], 'VALUES')) {
    out[at] = '()';
    out[at + 1] = 'VALUES ()';
  }
  const asked = returning < end;
  const main = renderWords(words, 0, returning);
  const isTransient = flavour === 'mariadb' && selectsAggregate(words, at, on);
  if (flavour === 'mariadb' && conflict === null) {
    return { main: joinParts(main, ' RETURNING ', list), outputs, steps: null, isTransient };
  }
  const select = joinParts('SELECT ', list, ` FROM ${table.text}`);
  const steps: InsertSteps = {
    step: 'insert',
    table: table.name,
    select,
    hasReturning: asked,
    rows,
    conflict: conflict?.columns ?? null,
    conflicting: conflict !== null,
  };
  return { main, outputs, steps, isTransient };
}

/**
 * MariaDB (10.11) rejects each further run of a prepared `INSERT ... SELECT max(n)` without GROUP BY as error 1140.
 * An unknown function may be an aggregate.
 */
const selectsAggregate = ({ all }: Words, from: number, end: number): boolean => {
  const source = all.slice(from, end);
  return (
    source.some((word) => isKeyword(word, 'SELECT')) &&
    source.some((word, i) => isCalled(word, source[i + 1]) && !isPerRow(getLexemeName(word)))
  );
};

const findConflict = (words: Words, verb: number, end: number): number => {
  const at = findWordAtDepth(words, verb, end, 'CONFLICT');
  return at < end && isKeyword(words.all[at - 1], 'ON') ? at - 1 : end;
};

function replaceAlias({ all, out }: Words, from: number, table: ReturnType<typeof parseTable>): void {
  for (let at = table.end - 1; at > from && all[at]?.end !== undefined; at--) {
    if (at === table.end - 1 || isKeyword(all[at], 'AS')) out[at] = '';
    else break;
  }
  all.forEach((word, i) => {
    if (isName(word) && all[i + 1]?.type === 'dot' && getLexemeName(word) === table.alias) out[i] = table.text;
  });
}

/** Values by column, if they can be evaluated twice. */
function parseInsertRows(
  words: Words,
  values: number,
  names: readonly (string | null)[] | null,
): ReadonlyMap<string, RenderedSql | null>[] {
  const { all } = words;
  if (names === null) return [];
  const renderRow = (starts: readonly number[], end: number): ReadonlyMap<string, RenderedSql | null> => {
    const row = new Map<string, RenderedSql | null>();
    starts.forEach((from, i) => {
      const name = names[i];
      const next = starts[i + 1];
      const to = next === undefined ? end : next - 1;
      if (name) row.set(name.toLowerCase(), isConstant(words, from, to) ? renderWords(words, from, to) : null);
    });
    return row;
  };
  // Selected rows might have the same key.
  if (isKeyword(all[values], 'SELECT'))
    return [renderRow(findElementStarts(all, values + 1), selectEnd(words, values, all.length))];
  if (!isKeyword(all[values], 'VALUES')) return [];
  const rows: ReadonlyMap<string, RenderedSql | null>[] = [];
  for (let at = values + 1; all[at]?.text === '(';) {
    const close = findGroupEnd(all, at) - 1;
    rows.push(renderRow(findElementStarts(all, at + 1), close));
    if (all[close + 1]?.type !== 'comma') break;
    at = close + 2;
  }
  return rows;
}

/** Words of constant expressions with a repeatable result. */
const STEADY = /^(?:LOWER|UPPER|TRIM|COALESCE|CAST|AS|CHAR|SIGNED|TEXT|BIGINT|INT)$/;

const isConstant = ({ all }: Words, from: number, to: number): boolean =>
  all.slice(from, to).every(({ type, text }) => {
    if (type === 'word') return STEADY.test(text);
    return /^(?:placeholder|string|number|cast|dollar-string|open|close|comma)$/.test(type) || text === '-';
  });

interface Conflict {
  readonly columns: readonly string[] | null;
}

/** ON DUPLICATE KEY UPDATE checks every unique key. */
function rewriteConflict(
  words: Words,
  on: number,
  end: number,
  table: string,
  names: readonly (string | null)[] | null,
): Conflict {
  const { all, out } = words;
  let at = on + 2;
  let columns: readonly string[] | null = null;
  out[on + 1] = 'DUPLICATE KEY UPDATE';
  if (all[at]?.text === '(') {
    columns = readColumnList(all, at).flatMap((name) => name ?? []);
    const behind = findGroupEnd(all, at);
    for (; at < behind; at++) out[at] = '';
  } else if (isKeyword(all[at], 'ON')) {
    for (const to = at + 3; at < to; at++) out[at] = '';
  }
  if (!isKeyword(all[at], 'DO'))
    throw createTranslationError('a condition of ON CONFLICT', 'the columns of a unique key alone');
  out[at] = '';
  if (isKeyword(all[at + 1], 'NOTHING')) {
    const any = columns?.[0] ?? names?.find((name) => name !== null);
    if (any === undefined || any === null)
      throw createTranslationError('ON CONFLICT without columns', 'ON CONFLICT (column) DO NOTHING');
    out[at + 1] = `${quoteSqlName(any)} = ${table}.${quoteSqlName(any)}`;
    return { columns };
  }
  out[at + 1] = out[at + 2] = '';
  for (let i = at + 3; i < end; i++) {
    if (isKeyword(all[i], 'WHERE') && all[i]?.depth === all[on]?.depth)
      throw createTranslationError('DO UPDATE ... WHERE', 'CASE in the SET list');
    if (isKeyword(all[i], 'EXCLUDED') && all[i + 1]?.type === 'dot') {
      out[i] = 'VALUES(';
      out[i + 1] = '';
      out[i + 2] = `${out[i + 2] ?? ''})`;
    }
  }
  return { columns };
}

function planChange(words: Words, verb: number, end: number, flavour: ServerFlavour): StatementForm {
  const { all, scan } = words;
  const updates = scan.verb === 'UPDATE';
  let at = updates ? verb + 1 : verb + 2;
  if (isKeyword(all[at], 'ONLY')) words.out[at++] = '';
  const table = parseTable(words, at);
  const returning = findWordAtDepth(words, verb, end, 'RETURNING');
  const where = findWordAtDepth(words, verb, returning, 'WHERE');
  const others = updates
    ? findWordAtDepth(words, table.end, where, 'FROM')
    : findWordAtDepth(words, verb, where, 'USING');
  if (others < where) throw createTranslationError(`${scan.verb} with further tables`, 'a sub-query in WHERE');
  if (returning >= end) return { main: renderWords(words, 0, end), outputs: NONE, steps: null };
  const { list, outputs } = parseReturning(words, returning, end);
  if (!updates && flavour === 'mariadb' && table.alias === table.name) {
    return { main: joinParts(renderWords(words, 0, returning), ' RETURNING ', list), outputs, steps: null };
  }
  if (verb > 0) throw createTranslationError('WITH before a write that answers with rows', 'a sub-query in WHERE');
  const from = ` FROM ${renderWords(words, at, table.end).text}`;
  const condition = where < returning ? joinParts(' ', renderWords(words, where, returning)) : '';
  const sets = updates
    ? findElementStarts(all, table.end + 1)
        .map((i) => all[i])
        .flatMap((word) => (isName(word) ? getLexemeName(word).toLowerCase() : []))
    : [];
  const steps: ChangeSteps = {
    step: updates ? 'update' : 'delete',
    table: table.name,
    alias: table.alias,
    found: joinParts(from, condition, ' FOR UPDATE'),
    select: joinParts('SELECT ', list, from),
    change: updates ? renderWords(words, 0, where) : { text: `DELETE FROM ${table.text}`, order: [], places: [] },
    sets,
  };
  return { main: renderWords(words, 0, returning), outputs, steps };
}
