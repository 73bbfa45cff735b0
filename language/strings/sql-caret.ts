/** Determines what may be typed at a caret in incomplete SQL. Accepts any text and any offset. */
import { findAlias } from './sql-mentions.js';
import { readColumnList } from './sql-placeholders.js';
import { visitTables, findHolder, isName, getLexemeName, toLexemes, type Lexeme } from './sql-read.js';
import { listCommonAt, listSourcesAt, findTarget, type SqlSource } from './sql-sources.js';
import { tokenizeSql } from './sql-tokens.js';
import { scanSql } from './sql.js';
import { replaceBackquotes } from './sql-quotes.js';

export interface SqlCaret {
  readonly start: number;
  readonly end: number;
  readonly at:
    | 'start'
    | 'table'
    /** Only a column of `target`: the column list of an INSERT, or the left side of SET. */
    | 'target'
    | 'value'
    /** A value that cannot be a column, in VALUES. */
    | 'row'
    /** Only a keyword, because the expression before it is complete. */
    | 'word';
  readonly qualifier: string | null;
  readonly sources: readonly SqlSource[];
  /** WITH entries. */
  readonly common: readonly SqlSource[];
  readonly target: string | null;
  readonly listed: readonly string[];
  /** The column that a placeholder here would be bound to. */
  readonly column: string | null;
}

/** A private-use character, which no identifier contains. */
const CARET = '\ue000';
const WORD_BEFORE = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*$/;
const WORD_BEHIND = /^[A-Za-z0-9_$\u0080-\uffff]*/;
const BEFORE_VALUE = new Set(
  (
    'SELECT DISTINCT ALL WHERE AND OR NOT ON BY HAVING SET WHEN THEN ELSE CASE BETWEEN LIKE ILIKE IN IS LIMIT OFFSET ' +
    'RETURNING ANY SOME EXISTS FROM USING'
  ).split(' '),
);

/** Null inside strings, comments and numbers, and after `::`. Backquoted names are accepted while typing. */
export function analyseCaret(source: string, offset: number): SqlCaret | null {
  const text = replaceBackquotes(source);
  const typed = findTyped(text, offset);
  if (typed === null) return null;
  const { start, end } = typed;
  const [lead, rest] = [text.slice(0, start), text.slice(end)];
  // The space keeps the marker separate from the next word.
  const changed = `${lead}${CARET} ${rest}`;
  const words = toLexemes(changed, tokenizeSql(changed).tokens);
  const i = words.findIndex((word) => word.text === CARET);
  if (i < 0) return null;
  const qualifier = words[i - 1]?.type === 'dot' && isName(words[i - 2]) ? getLexemeName(words[i - 2] as Lexeme) : null;
  const open = findHolder(words, i);
  const probe = `${lead}$1 ${rest}`;
  return {
    start,
    end,
    at: words.length === 1 ? 'start' : qualifier === null ? getCaretPlace(words, i, open) : 'value',
    qualifier,
    sources: listSourcesAt(words, i),
    common: listCommonAt(words, i),
    target: findTarget(words, i),
    listed: open < 0 ? listAssigned(words, i) : readColumnList(words, open).flatMap((name) => name ?? []),
    column: scanSql(probe).placeholders.find((one) => one.start === start)?.column ?? null,
  };
}

function findTyped(text: string, offset: number): { readonly start: number; readonly end: number } | null {
  const { tokens, faults } = tokenizeSql(text);
  const quoted = tokens.find(({ type, start, end }) => type === 'quoted-identifier' && start < offset && offset <= end);
  if (quoted !== undefined) {
    // A missing quote pairs the others wrongly, so the typed name ends at the caret.
    const isPair =
      !/\s/.test(text.slice(offset, quoted.end)) || !faults.some(({ code }) => code === 'SQL_UNTERMINATED');
    const isClosed = isPair && quoted.end - quoted.start > 1 && text[quoted.end - 1] === '"';
    if (!isClosed) return { start: quoted.start, end: offset };
    return offset === quoted.end ? null : { start: quoted.start, end: quoted.end };
  }
  const before = text.slice(0, offset);
  const dollar = /\$\d*$/.exec(before);
  if (dollar !== null) {
    return { start: dollar.index, end: offset + (/^\d*/.exec(text.slice(offset))?.[0].length ?? 0) };
  }
  const word = WORD_BEFORE.exec(before);
  if (word === null) return /\d$/.test(before) ? null : { start: offset, end: offset };
  return { start: word.index, end: offset + (WORD_BEHIND.exec(text.slice(offset))?.[0].length ?? 0) };
}

function getCaretPlace(words: readonly Lexeme[], i: number, open: number): SqlCaret['at'] {
  const before = words[i - 1];
  if (before === undefined || before.type === 'semicolon') return 'word';
  let isTable = false;
  const heads: number[] = [];
  visitTables(words, (_, index) => {
    if (index === i) isTable = true;
    heads.push(index);
  });
  if (isTable) return 'table';
  if (isTargetList(words, i, open)) return 'target';
  if (isAlias(words, i, heads)) return 'word';
  return getCaretKind(before, isRow(words, open) ? 'row' : 'value');
}

function getCaretKind(before: Lexeme, at: 'value' | 'row'): SqlCaret['at'] {
  if (before.type === 'open' || before.type === 'comma' || before.type === 'operator') return at;
  return before.type === 'word' && BEFORE_VALUE.has(before.text) ? at : 'word';
}

const isAlias = (words: readonly Lexeme[], i: number, heads: readonly number[]): boolean =>
  heads.some((head) => (i === head + 1 || i === head + 2) && findAlias(words, head) === CARET);

/** `INSERT INTO t (a, |`, `ON CONFLICT (|`, `SET a = 1, |`. */
function isTargetList(words: readonly Lexeme[], i: number, open: number): boolean {
  const before = words[i - 1];
  if (open >= 0 && (before?.type === 'open' || before?.type === 'comma')) {
    if (words[open - 1]?.text === 'CONFLICT') return true;
    let at = open - 1;
    while (words[at - 1]?.type === 'dot') at -= 2;
    if (isName(words[at]) && words[at - 1]?.text === 'INTO') return true;
    if (words[open - 1]?.text === 'SET') return true;
  }
  if (before?.text === 'SET' && findTarget(words, i) !== null) return true;
  return before?.type === 'comma' && findSetBefore(words, i) >= 0;
}

/** Position of the SET before the list that contains `i`, or -1. */
function findSetBefore(words: readonly Lexeme[], i: number): number {
  const depth = words[i]?.depth ?? 0;
  for (let at = i - 1; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--) {
    const word = words[at];
    if (word?.depth !== depth) continue;
    if (word.text === 'SET') return at;
    if (/^(SELECT|FROM|WHERE|RETURNING|VALUES|BY|ON)$/.test(word.text)) return -1;
  }
  return -1;
}

function listAssigned(words: readonly Lexeme[], i: number): string[] {
  const set = findSetBefore(words, i);
  if (set < 0) return [];
  return words.flatMap((word, at) => {
    const lead = words[at - 1];
    const isLeft = at > set && word.depth === words[set]?.depth && words[at + 1]?.text === '=';
    return isLeft && isName(word) && (at - 1 === set || lead?.type === 'comma') ? [getLexemeName(word)] : [];
  });
}

/** `VALUES (1, |`, `VALUES (1), (|`. */
function isRow(words: readonly Lexeme[], open: number): boolean {
  let at = open;
  while (at >= 0) {
    const before = words[at - 1];
    if (before?.text === 'VALUES') return true;
    if (before?.type !== 'comma' || words[at - 2]?.type !== 'close') return false;
    // Skips the previous row.
    const depth = words[at]?.depth ?? 0;
    at -= 2;
    while (at > 0 && !(words[at]?.type === 'open' && words[at]?.depth === depth)) at--;
    if (words[at]?.type !== 'open') return false;
  }
  return false;
}
