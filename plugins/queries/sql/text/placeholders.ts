/** The cast and the column of each placeholder. Only certain columns: a wrong one would bind a wrong type. */
import type { NameInText, StatementPlaceholder, StatementToken } from '../../../../contract/statement-text.js';
import { findGroupEnd, findHolder, isName, getLexemeName } from './read.js';
import type { Lexeme } from './read.js';
import { normalizeType, findTypeEnd } from './types.js';

/** Lexemes `[from, to)`, including casts and parentheses. */
interface Operand {
  readonly from: number;
  readonly to: number;
  readonly cast: string | null;
}

const COMPARISONS = new Set(['=', '<>', '!=', '<', '>', '<=', '>=', '~', '~*', '!~', '!~*', '~~', '~~*', '@>', '<@']);
const WORD_COMPARISONS = new Set(['LIKE', 'ILIKE', 'BETWEEN']);
const LIST_END = new Set(
  'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT ON RETURNING'.split(' '),
);
/** Keywords before a parenthesis that is not a call. */
const BEFORE_BRACKET = new Set(
  'SELECT WHERE AND OR NOT ON SET RETURNING THEN ELSE WHEN CASE BETWEEN LIKE ILIKE LIMIT OFFSET BY DISTINCT HAVING'.split(
    ' ',
  ),
);

const QUOTED = /\$([1-9][0-9]?)(?![0-9A-Za-z_$])/g;

/** Inside a string `$1` is text, and probably a mistake. */
export function readQuotedPlaceholders(text: string, tokens: readonly StatementToken[]): NameInText[] {
  return tokens
    .filter((token) => token.type === 'string')
    .flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(QUOTED)].map((found) => {
        const at = start + found.index;
        return { name: found[0], start: at, end: at + found[0].length };
      }),
    );
}

/** `CAST($1 AS type)`. */
function readCastCall(text: string, words: readonly Lexeme[], i: number): Operand | undefined {
  if (words[i - 1]?.text !== '(' || words[i - 2]?.text !== 'CAST' || words[i + 1]?.text !== 'AS') return undefined;
  const from = words[i + 1]?.end ?? 0;
  const end = findTypeEnd(text, from);
  if (end < 0) return undefined;
  return { from: i - 2, to: findGroupEnd(words, i - 1), cast: normalizeType(text.slice(from, end)) };
}

/** True if a following parenthesis is a call, a column list or a row. */
function isCallee(word: Lexeme | undefined): boolean {
  if (word?.type === 'word') return !BEFORE_BRACKET.has(word.text);
  return word?.type === 'quoted-identifier' || word?.type === 'close';
}

/** Extends the placeholder by its casts and by parentheses that contain nothing else. */
export function readOperand(text: string, words: readonly Lexeme[], i: number): Operand {
  const call = readCastCall(text, words, i);
  let from = call?.from ?? i;
  let to = call?.to ?? i + 1;
  let cast = call?.cast ?? null;
  for (;;) {
    const next = words[to];
    const before = words[from - 2];
    if (next?.type === 'cast') {
      cast ??= normalizeType(text.slice(next.start + 2, next.end));
      to++;
    } else if (words[from - 1]?.text === '(' && next?.text === ')' && !isCallee(before)) {
      from--;
      to++;
    } else {
      return { from, to, cast };
    }
  }
}

/** Null if the column is part of an expression. */
export function readColumnBefore(words: readonly Lexeme[], i: number): string | null {
  const last = words[i];
  if (!isName(last)) return null;
  let at = i;
  while (words[at - 1]?.type === 'dot' && isName(words[at - 2])) at -= 2;
  const before = words[at - 1];
  const plain = !before || ['word', 'open', 'comma'].includes(before.type);
  return plain && !(before?.type === 'open' && before.text === '[') ? getLexemeName(last) : null;
}

export function readColumnAfter(words: readonly Lexeme[], i: number): string | null {
  if (!isName(words[i])) return null;
  let at = i;
  while (words[at + 1]?.type === 'dot' && isName(words[at + 2])) at += 2;
  const last = words[at];
  const next = words[at + 1];
  const computed = next && ['operator', 'open', 'cast', 'string'].includes(next.type);
  return last && !computed ? getLexemeName(last) : null;
}

/** Position of the last lexeme on the left side, or -1. */
export function findComparisonLeft(words: readonly Lexeme[], i: number): number {
  const before = words[i - 1];
  if (before?.type === 'operator' && COMPARISONS.has(before.text)) return i - 2;
  if (before?.type !== 'word') return -1;
  if (WORD_COMPARISONS.has(before.text)) return words[i - 2]?.text === 'NOT' ? i - 3 : i - 2;
  if (before.text === 'FROM' && words[i - 2]?.text === 'DISTINCT') return words[i - 3]?.text === 'NOT' ? i - 5 : i - 4;
  return -1;
}

function findComparedColumn(words: readonly Lexeme[], { from, to }: Operand): string | null {
  const next = words[to];
  const mirrored = next?.type === 'operator' && COMPARISONS.has(next.text);
  if (next?.type === 'operator') return mirrored ? readColumnAfter(words, to + 1) : null;
  const left = findComparisonLeft(words, from);
  return left < 0 ? null : readColumnBefore(words, left);
}

/** `column IN ($1, $2)`. */
function findListColumn(words: readonly Lexeme[], { from, to }: Operand): string | null {
  const holder = findHolder(words, from);
  if (words[holder - 1]?.text !== 'IN' || !isElement(words, from, to)) return null;
  return readColumnBefore(words, findListLeft(words, holder));
}

/** True for a whole element of a parenthesized list. */
export function isElement(words: readonly Lexeme[], from: number, to: number): boolean {
  return /^(open|comma)$/.test(words[from - 1]?.type ?? '') && /^(close|comma)$/.test(words[to]?.type ?? '');
}

export function findElementStarts(words: readonly Lexeme[], start: number): number[] {
  const depth = words[start]?.depth ?? 0;
  const starts = [start];
  for (let i = start; i < words.length; i++) {
    const word = words[i];
    if (!word || word.depth < depth) break;
    if (word.depth > depth) continue;
    if (word.type === 'semicolon' || (word.type === 'word' && LIST_END.has(word.text))) break;
    if (word.type === 'comma') starts.push(i + 1);
  }
  return starts;
}

/** Null for each element that is not a name. */
export function readColumnList(words: readonly Lexeme[], open: number): (string | null)[] {
  return findElementStarts(words, open + 1).map((i) => {
    const word = words[i];
    return isName(word) && /^(close|comma)$/.test(words[i + 1]?.type ?? '') ? getLexemeName(word) : null;
  });
}

function pairInsertColumns(words: readonly Lexeme[], into: number, pairs: Map<number, string>): void {
  let at = into + 1;
  while (isName(words[at]) && words[at + 1]?.type === 'dot') at += 2;
  at++;
  if (words[at]?.text === 'AS') at += 2;
  if (words[at]?.text !== '(') return;
  const columns = readColumnList(words, at);
  at = findGroupEnd(words, at);
  if (words[at]?.text === 'OVERRIDING') at += 3;
  const pairColumns = (starts: readonly number[]): void =>
    starts.forEach((start, i) => {
      const column = columns[i];
      if (column) pairs.set(start, column);
    });
  if (words[at]?.text === 'SELECT') {
    pairColumns(findElementStarts(words, at + 1));
  }
  if (words[at]?.text !== 'VALUES') return;
  for (at++; words[at]?.text === '('; at = findGroupEnd(words, at) + 1) {
    pairColumns(findElementStarts(words, at + 1));
    if (words[findGroupEnd(words, at)]?.type !== 'comma') break;
  }
}

/** `SET (a, b) = ($1, $2)`; `i` is the equals sign. */
function pairSetColumns(words: readonly Lexeme[], i: number, pairs: Map<number, string>): void {
  const right = words[i + 1]?.text === 'ROW' ? i + 2 : i + 1;
  if (words[right]?.text !== '(') return;
  const columns = readRowColumns(words, i - 1);
  findElementStarts(words, right + 1).forEach((start, n) => {
    const column = columns[n];
    if (column) pairs.set(start, column);
  });
}

export function pairWrittenColumns(words: readonly Lexeme[]): Map<number, string> {
  const pairs = new Map<number, string>();
  words.forEach((word, i) => {
    if (word.text === 'INTO' && words[i - 1]?.text === 'INSERT') pairInsertColumns(words, i, pairs);
    if (word.text === '=' && words[i - 1]?.type === 'close') pairSetColumns(words, i, pairs);
  });
  return pairs;
}

/** The element may begin inside parentheses: in `VALUES ($1), ($2)` these are rows, in `VALUES (1, ($2))` not. */
function findWrittenColumn(
  words: readonly Lexeme[],
  { from, to }: Operand,
  pairs: ReadonlyMap<number, string>,
): string | null {
  const next = words[to];
  if (next && !['comma', 'close', 'semicolon', 'word'].includes(next.type)) return null;
  for (let at = from; at < to; at++) {
    const column = pairs.get(at);
    if (column !== undefined) return column;
  }
  return null;
}

const FITTING = new Set(['?', '?|', '?&', '@@', '&&', '^@']);
const QUANTIFIED = new Set('ANY ALL SOME'.split(' '));

/** Position of the last lexeme before `= ANY (`, or -1; the operand begins at `i`. */
export function findQuantifiedLeft(words: readonly Lexeme[], i: number): number {
  const isEqual = words[i - 1]?.text === '(' && /^(?:ANY|SOME)$/.test(words[i - 2]?.text ?? '');
  return isEqual && words[i - 3]?.text === '=' ? i - 4 : -1;
}

/** The last lexeme before `IN (`, or `= ANY (`, or -1; the group opens at `open`. */
export function findListLeft(words: readonly Lexeme[], open: number): number {
  const before = words[open - 1]?.text ?? '';
  if (open > 0 && before === 'IN') return words[open - 2]?.text === 'NOT' ? open - 3 : open - 2;
  return /^(?:ANY|SOME)$/.test(before) && words[open - 2]?.text === '=' ? open - 3 : -1;
}

/** The columns of a row such as `(a, b)` that ends at `close`. */
export function readRowColumns(words: readonly Lexeme[], close: number): (string | null)[] {
  if (words[close]?.type !== 'close') return [];
  const open = findHolder(words, close - 1);
  // `f(a) = ($1)` compares the result of the function.
  if (isCallee(words[open - 1]) && words[open - 1]?.text !== 'ROW') return [];
  const starts = findElementStarts(words, open + 1);
  return starts.map((_, i) => readColumnBefore(words, (starts[i + 1] ?? close + 1) - 2));
}

/** `tags ?| $1`, `id = ANY($1)`: the value may have another type than the column. */
function findFittingColumn(words: readonly Lexeme[], { from, to }: Operand): string | null {
  const before = words[from - 1];
  if (before?.type === 'operator' && FITTING.has(before.text)) return readColumnBefore(words, from - 2);
  if (before?.text !== '(' || words[to]?.text !== ')' || !QUANTIFIED.has(words[from - 2]?.text ?? '')) return null;
  const left = findComparisonLeft(words, from - 2);
  return left < 0 ? null : readColumnBefore(words, left);
}

export function readPlaceholders(text: string, words: readonly Lexeme[]): StatementPlaceholder[] {
  const pairs = pairWrittenColumns(words);
  return words.flatMap((word, i) => {
    if (word.type !== 'placeholder') return [];
    const operand = readOperand(text, words, i);
    const column =
      findWrittenColumn(words, operand, pairs) ?? findComparedColumn(words, operand) ?? findListColumn(words, operand);
    const { start, end } = word;
    const stands = column ?? findFittingColumn(words, operand);
    return [{ n: Number(word.text.slice(1)), start, end, cast: operand.cast, column, stands }];
  });
}
