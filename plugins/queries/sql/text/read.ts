/** Reads the verb and the tables of a statement from its tokens. Accepts any text. */
import type { NameInText, StatementToken, TokenType } from '../../../../contract/statement-text.js';
import { RESERVED_NAMES } from './tokens.js';

/** Unquoted words are in upper case; `depth` counts the enclosing parentheses. */
export interface Lexeme {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly depth: number;
}

/** In the lexemes `[from, to)` the entry hides a table of the same name. */
export interface CommonTable {
  readonly name: string;
  /** Positions of the name and of its query. */
  readonly at: number;
  readonly body: number;
  readonly from: number;
  readonly to: number;
}

const VERBS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES', 'TABLE']);
const FROM_FUNCTIONS = new Set(['EXTRACT', 'SUBSTRING', 'TRIM', 'OVERLAY', 'POSITION']);
/** After these, UPDATE is a lock, a trigger event or a branch of another statement. */
const NOT_UPDATE = new Set(['FOR', 'KEY', 'DO', 'ON', 'THEN', 'BEFORE', 'AFTER', 'OR', 'OF']);
const LIST_END = new Set(
  'WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT WINDOW RETURNING SET SELECT WHEN VALUES FROM'.split(
    ' ',
  ),
);
const QUERY_START = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']);

export function toLexemes(text: string, tokens: readonly StatementToken[]): Lexeme[] {
  const words: Lexeme[] = [];
  let depth = 0;
  for (const { type, start, end } of tokens) {
    if (type === 'comment') continue;
    if (type === 'close') depth = Math.max(0, depth - 1);
    const slice = text.slice(start, end);
    words.push({ type, start, end, text: type === 'word' ? slice.toUpperCase() : slice, depth });
    if (type === 'open') depth++;
  }
  return words;
}

export const isName = (word: Lexeme | undefined): word is Lexeme =>
  word?.type === 'word' || word?.type === 'quoted-identifier';

/** Unquoted in lower case, quoted without its quotes. */
export function getLexemeName(word: Lexeme): string {
  if (word.type === 'word') return word.text.toLowerCase();
  return word.text.slice(word.text.indexOf('"') + 1, -1).replaceAll('""', '"');
}

/** Position after the group that opens at `i`. */
export function findGroupEnd(words: readonly Lexeme[], i: number): number {
  const depth = words[i]?.depth ?? 0;
  let at = i + 1;
  while (at < words.length && !(words[at]?.type === 'close' && words[at]?.depth === depth)) at++;
  return Math.min(at + 1, words.length);
}

/** Position of the enclosing parenthesis, or -1. */
export function findHolder(words: readonly Lexeme[], i: number): number {
  const depth = words[i]?.depth ?? 0;
  let at = i - 1;
  while (at >= 0 && (words[at]?.depth ?? 0) >= depth) at--;
  return words[at]?.type === 'open' ? at : -1;
}

function skipSearchClause(words: readonly Lexeme[], i: number): number {
  let at = i;
  for (const [clause, last] of [
    ['SEARCH', 'SET'],
    ['CYCLE', 'USING'],
  ]) {
    if (words[at]?.text !== clause) continue;
    while (at < words.length && words[at]?.text !== last) at++;
    at += 2;
  }
  return at;
}

/** `name [(columns)] AS [NOT] [MATERIALIZED] (query)`; `end` is the position after it. */
function readCommonTable(words: readonly Lexeme[], i: number): { body: number; end: number } | undefined {
  if (!isName(words[i])) return undefined;
  let at = i + 1;
  if (words[at]?.type === 'open') at = findGroupEnd(words, at);
  if (words[at]?.text !== 'AS') return undefined;
  at++;
  if (words[at]?.text === 'NOT') at++;
  if (words[at]?.text === 'MATERIALIZED') at++;
  if (words[at]?.text !== '(') return undefined;
  return { body: at, end: skipSearchClause(words, findGroupEnd(words, at)) };
}

/** `end` is the position of the statement after the WITH list. */
export function readWithList(words: readonly Lexeme[], i: number): { names: CommonTable[]; end: number } {
  const recursive = words[i + 1]?.text === 'RECURSIVE';
  const holder = findHolder(words, i);
  const to = holder < 0 ? words.length : findGroupEnd(words, holder);
  const names: CommonTable[] = [];
  let at = i + (recursive ? 2 : 1);
  for (;;) {
    const word = words[at];
    const found = readCommonTable(words, at);
    if (!word || !found) return { names, end: at };
    names.push({ name: getLexemeName(word), at, body: found.body, from: recursive ? i : found.end, to });
    if (words[found.end]?.type !== 'comma') return { names, end: found.end };
    at = found.end + 1;
  }
}

/** Position of the main verb, after parentheses and a WITH list. */
function findVerbIndex(words: readonly Lexeme[], i: number): number {
  let at = i;
  while (words[at]?.type === 'open') at++;
  if (words[at]?.text !== 'WITH') return at;
  at = readWithList(words, at).end;
  while (words[at]?.type === 'open') at++;
  return at;
}

/** The nearest verb before `i` at the same depth. */
function findVerbBefore(words: readonly Lexeme[], i: number): string {
  const depth = words[i]?.depth ?? 0;
  for (let at = i - 1; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--) {
    const word = words[at];
    if (word?.depth === depth && word.type === 'word' && VERBS.has(word.text)) return word.text;
  }
  return '';
}

/** True if FROM belongs to a function or an operator. */
function isInnerFrom(words: readonly Lexeme[], i: number): boolean {
  const before = words[i - 1]?.text;
  if (before === 'DISTINCT' && ['IS', 'NOT'].includes(words[i - 2]?.text ?? '')) return true;
  const holder = findHolder(words, i);
  return holder > 0 && FROM_FUNCTIONS.has(words[holder - 1]?.text ?? '');
}

/** `word` is the last part of the name; `qualified` means that a schema precedes it. */
export type Collect = (word: Lexeme, index: number, qualified: boolean) => void;

/** `FROM order o` and `INTO table (a)` have names; `ORDER BY` and `FROM (TABLE a)` keywords. */
function isWordOfSql(words: readonly Lexeme[], at: number): boolean {
  const text = words[at]?.text ?? '';
  if (QUERY_START.has(text)) return words[at - 1]?.text === '(' || !RESERVED_NAMES.has(text.toLowerCase());
  return LIST_END.has(text) && (!RESERVED_NAMES.has(text.toLowerCase()) || words[at + 1]?.text === 'BY');
}

/** Skips function calls and subqueries, because the keywords inside them are read separately. */
function readItem(words: readonly Lexeme[], i: number, call: boolean, collect: Collect): void {
  let at = i;
  while (['ONLY', 'LATERAL', '('].includes(words[at]?.text ?? '')) at++;
  const first = words[at];
  if (!isName(first) || (first.type === 'word' && isWordOfSql(words, at))) return;
  if (first.text === 'ROWS' && words[at + 1]?.text === 'FROM') return;
  const begin = at;
  while (words[at + 1]?.type === 'dot' && isName(words[at + 2])) at += 2;
  const last = words[at];
  if (!last || (call && words[at + 1]?.text === '(')) return;
  collect(last, at, at > begin);
}

/** Joined tables are read at their JOIN keyword. */
function readList(words: readonly Lexeme[], i: number, collect: Collect): void {
  const depth = words[i]?.depth ?? 0;
  readItem(words, i, true, collect);
  for (let at = i; at < words.length; at++) {
    const word = words[at];
    if (!word || word.depth < depth || word.type === 'semicolon') return;
    if (word.depth > depth) continue;
    if (at > i && word.type === 'word' && LIST_END.has(word.text)) return;
    if (word.type === 'comma') readItem(words, at + 1, true, collect);
  }
}

function readAt(words: readonly Lexeme[], i: number, collect: Collect): void {
  switch (words[i]?.text) {
    case 'FROM':
      if (!isInnerFrom(words, i)) readList(words, i + 1, collect);
      break;
    case 'TABLE':
      // `TABLE users` is a query; in DDL the word follows a verb.
      if (i === 0 || /^(?:\(|;|UNION|INTERSECT|EXCEPT|ALL|DISTINCT)$/.test(words[i - 1]?.text ?? ''))
        readItem(words, i + 1, false, collect);
      break;
    case 'JOIN':
      readItem(words, i + 1, true, collect);
      break;
    case 'INTO':
      readItem(words, i + 1, false, collect);
      break;
    case 'UPDATE':
      if (!NOT_UPDATE.has(words[i - 1]?.text ?? '') && words[i + 1]?.text !== 'SET') {
        readItem(words, i + 1, false, collect);
      }
      break;
    case 'USING':
      if (words[i + 1]?.type !== 'open' && /^(DELETE|MERGE)$/.test(findVerbBefore(words, i))) {
        readList(words, i + 1, collect);
      }
      break;
    default:
  }
}

/** False for a name behind a dot. */
export const isUnqualified = (words: readonly Lexeme[], i: number): boolean =>
  words[i]?.type === 'word' && words[i - 1]?.type !== 'dot';

export const listCommonTables = (words: readonly Lexeme[]): CommonTable[] =>
  words.flatMap((word, i) => (word.text === 'WITH' && isUnqualified(words, i) ? readWithList(words, i).names : []));

/** Includes names of WITH entries. */
export function visitTables(words: readonly Lexeme[], collect: Collect): void {
  words.forEach((_, i) => {
    if (isUnqualified(words, i)) readAt(words, i, collect);
  });
}

function readTables(words: readonly Lexeme[]): NameInText[] {
  const common = listCommonTables(words);
  const tables = new Map<number, NameInText>();
  const collectTable: Collect = (word, index, qualified) => {
    const name = getLexemeName(word);
    const hidden = common.some((c) => c.name === name && index >= c.from && index < c.to);
    if (qualified || !hidden) tables.set(word.start, { name, start: word.start, end: word.end });
  };
  visitTables(words, collectTable);
  return [...tables.values()].sort((a, b) => a.start - b.start);
}

/** `verb`: position of INSERT, UPDATE, DELETE or MERGE. */
export function readTarget(words: readonly Lexeme[], verb: number): (NameInText & { readonly index: number }) | null {
  const text = words[verb]?.type === 'word' ? words[verb]?.text : '';
  const next = words[verb + 1]?.text;
  const from = text === 'UPDATE' ? verb + 1 : next === 'INTO' || next === 'FROM' ? verb + 2 : -1;
  if (from < 0 || !/^(INSERT|UPDATE|DELETE|MERGE)$/.test(text ?? '')) return null;
  let target: (NameInText & { readonly index: number }) | null = null;
  readItem(words, from, false, (word, index) => {
    target = { name: getLexemeName(word), start: word.start, end: word.end, index };
  });
  return target;
}

export function findMainStatement(words: readonly Lexeme[]): { readonly verb: number; readonly end: number } {
  const isEnd = (word: Lexeme): boolean => word.type === 'semicolon' && word.depth === 0;
  const first = words.findIndex((word) => !isEnd(word));
  const end = words.findIndex((word, i) => i >= first && isEnd(word));
  return { verb: findVerbIndex(words, Math.max(first, 0)), end: end < 0 ? words.length : end };
}

export function readStatement(words: readonly Lexeme[]): {
  verb: string;
  target: NameInText | null;
  tables: NameInText[];
  statements: number;
  returning: boolean;
} {
  const isEnd = (word: Lexeme): boolean => word.type === 'semicolon' && word.depth === 0;
  const starts = words.flatMap((word, i) => {
    const before = words[i - 1];
    return !isEnd(word) && (!before || isEnd(before)) ? [i] : [];
  });
  const { verb: at, end } = findMainStatement(words);
  const verb = words[at];
  const target = readTarget(words, at);
  const returning = words
    .slice(at, end)
    .some(
      (word, i, all) =>
        word.text === 'RETURNING' && word.type === 'word' && word.depth === verb?.depth && all[i - 1]?.type !== 'dot',
    );
  return {
    verb: verb?.type === 'word' ? verb.text : '',
    target: target && { name: target.name, start: target.start, end: target.end },
    tables: readTables(words),
    statements: starts.length,
    returning,
  };
}
