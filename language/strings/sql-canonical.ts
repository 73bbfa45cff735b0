/**
 * Finds placeholders that functions such as `lower` change before a column is written or compared, and lists that are compared item
 * by item.
 */
import { findGroupEnd, findHolder, toLexemes, type Lexeme } from './sql-read.js';
import {
  findComparisonLeft,
  findQuantifiedLeft,
  isElement,
  pairWrittenColumns,
  readColumnAfter,
  readColumnBefore,
  readOperand,
} from './sql-placeholders.js';
import type { SqlScan } from './sql.js';

export interface ChangedPlaceholder {
  readonly n: number;
  /** The column that the value is written to, or that must equal it. */
  readonly column: string;
  /** Names of the forms that the statement gives to the value; `upper` is the form of no rule. */
  readonly forms: readonly string[];
}

/** Functions, by the form of their result. */
const FORM_OF: Readonly<Record<string, string>> = {
  LOWER: 'lower',
  LCASE: 'lower',
  UPPER: 'upper',
  UCASE: 'upper',
  TRIM: 'trim',
  BTRIM: 'trim',
  NORMALIZE: 'nfc',
};

/** Functions that return their first argument as it is, or its items. */
const PASSING = new Set(['COALESCE', 'NULLIF', 'IFNULL', 'UNNEST']);

/** Lexemes `[from, to)`. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly forms: readonly string[];
}

/** Without those of `scan.placeholders` that have a column themselves. */
export function listChangedPlaceholders({ text, tokens, placeholders }: SqlScan): readonly ChangedPlaceholder[] {
  const plain = new Set(placeholders.flatMap(({ start, column }) => (column === null ? [] : [start])));
  if (plain.size === placeholders.length) return [];
  const words = toLexemes(text, tokens);
  const pairs = pairWrittenColumns(words);
  return words.flatMap((word, i) => {
    if (word.type !== 'placeholder' || plain.has(word.start)) return [];
    const value = readChanged(words, { ...readOperand(text, words, i), forms: [] });
    const column = findWritten(value, pairs) ?? findEqualColumn(words, value);
    if (column === null) return [];
    // `upper(a) = upper($1)` compares as `lower` does.
    const forms = value.forms.map((form) => (form === 'upper' && column.forms.includes(form) ? 'lower' : form));
    return [{ n: Number(word.text.slice(1)), column: column.name, forms }];
  });
}

/** Extends the value by the calls around it and their casts. */
function readChanged(words: readonly Lexeme[], part: Part): Part {
  let { from, to, forms } = part;
  for (;;) {
    const callee = words[from - 2]?.type === 'word' ? (words[from - 2]?.text ?? '') : '';
    const form = FORM_OF[callee];
    const isPassed = PASSING.has(callee);
    if (words[from - 1]?.text !== '(' || (form === undefined && !isPassed)) return { from, to, forms };
    const isFirst = words[to]?.type === 'comma' && (isPassed || form === 'nfc');
    if (words[to]?.text !== ')' && !isFirst) return { from, to, forms };
    to = findGroupEnd(words, from - 1);
    from -= 2;
    if (form !== undefined) forms = [...forms, form];
    while (words[to]?.type === 'cast') to++;
    // `IN (SELECT unnest($1))` compares as `IN ($1)` does.
    if (words[from - 1]?.text === 'SELECT' && words[from - 2]?.text === '(' && words[to]?.text === ')') from--;
  }
}

interface Column {
  readonly name: string;
  /** Of the functions around it. */
  readonly forms: readonly string[];
}

function findWritten({ from, to }: Part, pairs: ReadonlyMap<number, string>): Column | null {
  for (let at = from; at < to; at++) {
    const name = pairs.get(at);
    if (name !== undefined) return { name, forms: [] };
  }
  return null;
}

function findEqualColumn(words: readonly Lexeme[], { from, to }: Part): Column | null {
  if (words[to]?.text === '=') return readColumn(words, to + 1, readColumnAfter);
  if (/^(?:=|FROM)$/.test(words[from - 1]?.text ?? ''))
    return readColumn(words, findComparisonLeft(words, from), readColumnBefore);
  const quantified = words[to]?.text === ')' ? findQuantifiedLeft(words, from) : -1;
  if (quantified >= 0) return readColumn(words, quantified, readColumnBefore);
  const holder = findHolder(words, from);
  if (words[holder - 1]?.text !== 'IN' || !isElement(words, from, to)) return null;
  return readColumn(words, words[holder - 2]?.text === 'NOT' ? holder - 3 : holder - 2, readColumnBefore);
}

/** A column, or a function of one column: `lower(email)`. */
function readColumn(
  words: readonly Lexeme[],
  at: number,
  read: (words: readonly Lexeme[], at: number) => string | null,
): Column | null {
  if (read === readColumnBefore) while (words[at]?.type === 'cast') at--;
  const isBefore = words[at]?.type === 'close';
  const open = isBefore ? findHolder(words, at - 1) : at + 1;
  const form = FORM_OF[words[open - 1]?.text ?? ''];
  if (form === undefined || words[open]?.text !== '(') {
    const name = read(words, at);
    return name === null ? null : { name, forms: [] };
  }
  const inner = readColumnBefore(words, findGroupEnd(words, open) - 2);
  return inner === null ? null : { name: inner, forms: [form] };
}
