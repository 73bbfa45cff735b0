/** Determines what may be typed at a caret in incomplete SQL. Accepts any text and any offset. */
import { findClause, listOutputNames, listSelected } from '../text/clauses.js';
import { findAlias } from '../text/mentions.js';
import { listFollowingWords, listValueWords } from './next-words.js';
import { readColumnList } from '../text/placeholders.js';
import { visitTables, findHolder, isName, getLexemeName, toLexemes, type Lexeme } from '../text/read.js';
import { listCommonAt, listSourcesAt, findTarget, type SqlSource } from '../text/sources.js';
import { tokenizeSql } from '../text/tokens.js';
import { scanSql } from '../text/scan.js';
import { replaceBackquotes } from '../text/quotes.js';
import { isSqlWord } from '../text/words.js';

export interface SqlCaret {
  readonly start: number;
  readonly end: number;
  readonly at:
    | 'start'
    | 'table'
    /** Only a column of `target`: the column list of an INSERT, or the left side of SET. */
    | 'target'
    /** Only a column of a key of `target`: what conflicts. */
    | 'key'
    | 'value'
    /** A value that cannot be a column, in VALUES. */
    | 'row'
    /** Only a keyword, because the expression before it is complete. */
    | 'word'
    | 'type';
  readonly qualifier: string | null;
  readonly sources: readonly SqlSource[];
  /** WITH entries. */
  readonly common: readonly SqlSource[];
  readonly target: string | null;
  readonly listed: readonly string[];
  /** The column that a placeholder here would be bound to. */
  readonly column: string | null;
  /** The keywords that can stand here, in the order of the grammar. */
  readonly keywords: readonly string[];
  /** Names of the result, where rows are sorted or grouped. */
  readonly outputs: readonly string[];
  /** Columns that the list of results names already. */
  readonly selected: readonly string[];
  /** Behind JOIN without a condition, or behind its ON. */
  readonly join: 'table' | 'condition' | null;
  /** The table that a name here would be the alias of. */
  readonly named: string | null;
}

/** A private-use character, which no identifier contains. */
const CARET = '\ue000';
const WORD_BEFORE = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*$/;
const WORD_BEHIND = /^[A-Za-z0-9_$\u0080-\uffff]*/;
const BEFORE_VALUE = new Set(
  (
    'SELECT DISTINCT ALL WHERE AND OR NOT ON BY HAVING SET WHEN THEN ELSE CASE BETWEEN LIKE ILIKE IN LIMIT OFFSET ' +
    'RETURNING ANY SOME EXISTS FROM USING'
  ).split(' '),
);

/** Null inside strings, comments and numbers. Backquoted names are accepted while typing. */
export function analyseCaret(source: string, offset: number): SqlCaret | null {
  const text = replaceBackquotes(source);
  const typed = findTyped(text, offset);
  if (typed === null) return null;
  const { start, end } = typed;
  const [lead, rest] = [text.slice(0, start), text.slice(end)];
  const cast = isCast(lead);
  // The space keeps the marker separate from the next word. A type may follow a cast only.
  const changed = `${cast ? lead.replace(/::\s*$/, ' ') : lead}${CARET} ${rest}`;
  const words = toLexemes(changed, tokenizeSql(changed).tokens);
  const i = words.findIndex((word) => word.text === CARET);
  if (i < 0) return null;
  const before = words[i - 1];
  const qualifier = before?.type === 'dot' && isName(words[i - 2]) ? getLexemeName(words[i - 2] as Lexeme) : null;
  const open = findHolder(words, i);
  const probe = `${lead}$1 ${rest}`;
  const at = words.length === 1 ? 'start' : getPlace(words, i, { open, qualifier, cast });
  return {
    start,
    end,
    at,
    qualifier,
    sources: listSourcesAt(words, i).flatMap(withoutCaret),
    common: listCommonAt(words, i),
    target: findTarget(words, i),
    listed: (open < 0 ? listAssigned(words, i) : readColumnList(words, open)).filter(
      (name): name is string => name !== null && name !== CARET,
    ),
    column: scanSql(probe).placeholders.find((one) => one.start === start)?.column ?? null,
    keywords:
      at === 'word'
        ? listFollowingWords(words, i)
        : at === 'value' || at === 'row'
          ? listValueWords(words, i, at === 'row')
          : [],
    outputs: at === 'value' ? listOutputNames(words, i) : [],
    selected: at === 'value' ? listSelected(words, i).filter((name) => name !== CARET) : [],
    join: getJoin(words, i, at),
    named: at === 'word' ? findNamedTable(words, i) : null,
  };
}

const isCast = (lead: string): boolean =>
  /::\s*$/.test(lead) && tokenizeSql(lead).faults.every(({ code }) => code !== 'SQL_UNTERMINATED');

/** While a name is typed behind a table, it is read as an alias; at a table, as the table itself. */
function withoutCaret(source: SqlSource): readonly SqlSource[] {
  if (source.alias !== CARET) return source.table === CARET ? [] : [source];
  return source.table === null || source.table === CARET ? [] : [{ ...source, alias: source.table }];
}

interface CaretPlace {
  readonly open: number;
  readonly qualifier: string | null;
  readonly cast: boolean;
}

function getPlace(words: readonly Lexeme[], i: number, { open, qualifier, cast }: CaretPlace): SqlCaret['at'] {
  const isCalledCast = words[i - 1]?.text === 'AS' && words[open - 1]?.text === 'CAST';
  if (cast || isCalledCast) return 'type';
  return qualifier === null ? getCaretPlace(words, i, open) : 'value';
}

function getJoin(words: readonly Lexeme[], i: number, at: SqlCaret['at']): SqlCaret['join'] {
  const before = words[i - 1]?.text;
  if (before === 'ON' && at === 'value') return 'condition';
  if (before !== 'JOIN' || /^(?:CROSS|NATURAL)$/.test(words[i - 2]?.text ?? '')) return null;
  const next = words.slice(i + 1).find(({ text }) => /^(?:ON|USING|JOIN|WHERE|GROUP|ORDER|LIMIT)$/.test(text))?.text;
  return next === 'ON' || next === 'USING' ? null : 'table';
}

function findNamedTable(words: readonly Lexeme[], i: number): string | null {
  let found: string | null = null;
  visitTables(words, (word, index) => {
    const isNext = i === index + 1 || (i === index + 2 && words[i - 1]?.text === 'AS');
    if (isNext && words[index - 1]?.text !== 'INTO') found = getLexemeName(word);
  });
  return found;
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
  if (/^(?:open|comma)$/.test(before.type) && words[open - 1]?.text === 'CONFLICT') return 'key';
  if (isTargetList(words, i, open)) return 'target';
  if (isAlias(words, i, heads)) return 'word';
  // `email NOT |` begins NOT IN or NOT LIKE.
  const second = words[i - 2];
  const isOperand = second?.type === 'close' || (isName(second) && !isSqlWord(second.text));
  if (before.text === 'NOT' && isOperand) return 'word';
  if (before.text === 'ON' && words[findClause(words, i - 1)]?.text === 'VALUES') return 'word';
  return getCaretKind(before, isRow(words, open) ? 'row' : 'value');
}

function getCaretKind(before: Lexeme, at: 'value' | 'row'): SqlCaret['at'] {
  if (before.type === 'open' || before.type === 'comma' || before.type === 'operator') return at;
  // Neither takes a column.
  if (before.text === 'LIMIT' || before.text === 'OFFSET') return 'row';
  return before.type === 'word' && BEFORE_VALUE.has(before.text) ? at : 'word';
}

const isAlias = (words: readonly Lexeme[], i: number, heads: readonly number[]): boolean =>
  heads.some((head) => (i === head + 1 || i === head + 2) && findAlias(words, head) === CARET);

/** `INSERT INTO t (a, |`, `SET a = 1, |`. */
function isTargetList(words: readonly Lexeme[], i: number, open: number): boolean {
  const before = words[i - 1];
  if (open >= 0 && (before?.type === 'open' || before?.type === 'comma')) {
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
