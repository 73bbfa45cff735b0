/**
 * Finds placeholders that functions such as `lower` change before a column is written or compared, and lists that are compared item
 * by item.
 */
import type { MetColumn, StatementText } from '../../../../contract/statement-text.js';
import { findGroupEnd, findHolder, toLexemes, type Lexeme } from './read.js';
import {
  findComparisonLeft,
  findElementStarts,
  findListLeft,
  findQuantifiedLeft,
  isElement,
  pairWrittenColumns,
  readColumnAfter,
  readColumnBefore,
  readOperand,
  readRowColumns,
} from './placeholders.js';
import { createValueFollower, type HandedOn, type HasColumn, type Span } from './handed-on.js';
import { readSelectLists } from './select-lists.js';

interface ChangedPlaceholder {
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

/** Functions that return their first argument as it is, or one or all of its items. */
const PASSING = new Set(['COALESCE', 'NULLIF', 'IFNULL', 'UNNEST', 'MIN', 'MAX', 'ANY_VALUE']);

interface Part extends Span {
  readonly forms: readonly string[];
}

/** A comparison other than equality before a placeholder. */
const NOT_EQUAL = /(?:\b(?:LIKE|ILIKE|TO|BETWEEN|AND)|[<>!~]=?)\s*$/i;

/** With the columns that those of an inner query are renamed from. */
export function listMetColumns(scan: StatementText, n: number, hasColumn: HasColumn): readonly MetColumn[] {
  const plain = scan.placeholders.flatMap(({ n: place, column, start }) =>
    place === n && column !== null && !NOT_EQUAL.test(scan.text.slice(0, start)) ? [{ column, forms: [] }] : [],
  );
  const met = [...plain, ...listChangedPlaceholders(scan, hasColumn).filter((one) => one.n === n)];
  const renamed = met.length === 0 ? new Map<string, readonly string[]>() : listRenamedColumns(scan);
  return met.flatMap((one) => {
    const [column, other] = renamed.get(one.column) ?? [];
    return [one, ...(column === undefined || other !== undefined ? [] : [{ column, forms: one.forms }])];
  });
}

/** Without those of `scan.placeholders` that have a column themselves. */
function listChangedPlaceholders(
  { text, tokens, placeholders }: StatementText,
  hasColumn: HasColumn,
): readonly ChangedPlaceholder[] {
  const plain = new Set(placeholders.flatMap(({ start, column }) => (column === null ? [] : [start])));
  if (plain.size === placeholders.length) return [];
  const words = toLexemes(text, tokens);
  const pairs = pairWrittenColumns(words);
  const follow = createValueFollower(words, text, hasColumn);
  return words.flatMap((word, i) => {
    if (word.type !== 'placeholder' || plain.has(word.start)) return [];
    const n = Number(word.text.slice(1));
    return listColumns({ words, pairs, follow }, { ...readOperand(text, words, i), forms: [] }).map((one) => ({
      n,
      ...one,
    }));
  });
}

/** Columns that queries of the statement give other names, by these names. */
function listRenamedColumns({ text, tokens }: StatementText): ReadonlyMap<string, readonly string[]> {
  const words = toLexemes(text, tokens);
  const found = new Map<string, readonly string[]>();
  for (const { items } of readSelectLists(words, text).blocks)
    for (const { from, end, alias } of items) {
      const column = alias === null ? null : readColumnAfter(words, from);
      const isWhole = end - from === 1 || (end - from === 3 && words[from + 1]?.type === 'dot');
      for (const name of isWhole && column !== null ? (alias ?? []) : [])
        found.set(name, [...new Set([...(found.get(name) ?? []), column ?? ''])]);
    }
  return found;
}

interface Statement {
  readonly words: readonly Lexeme[];
  readonly pairs: ReadonlyMap<number, string>;
  readonly follow: (span: Span) => HandedOn;
}

/** Also where a query hands the value on as a column. */
function listColumns({ words, pairs, follow }: Statement, first: Part): Omit<ChangedPlaceholder, 'n'>[] {
  const found: Omit<ChangedPlaceholder, 'n'>[] = [];
  const seen = new Set<number>();
  const left = [first];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    const value = readChanged(words, part);
    const column = findWritten(value, pairs) ?? findEqualColumn(words, value);
    // `upper(a) = upper($1)` compares as `lower` does.
    const forms = value.forms.map((form) => (form === 'upper' && column?.forms.includes(form) ? 'lower' : form));
    if (column !== null) found.push({ column: column.name, forms });
    const { spans, columns } = follow(value);
    for (const name of columns) found.push({ column: name, forms: value.forms });
    for (const { from, to } of spans) {
      if (seen.has(from)) continue;
      seen.add(from);
      left.push({ ...readAround(words, from, to), forms: value.forms });
    }
  }
  return found;
}

/** With its casts, and parentheses that hold nothing else. */
function readAround(words: readonly Lexeme[], start: number, end: number): Span {
  let [from, to] = [start, end];
  for (;;) {
    if (words[to]?.type === 'cast') to++;
    else if (words[from - 1]?.text === '(' && words[to]?.text === ')' && words[from - 2]?.type === 'operator') {
      from--;
      to++;
    } else return { from, to };
  }
}

/** Extends the value by the calls around it and their casts. */
function readChanged(words: readonly Lexeme[], part: Part): Part {
  let { from, to, forms } = part;
  for (;;) {
    const around = findArray(words, from, to) ?? findCase(words, from, to);
    if (around !== null) {
      ({ from, to } = around);
      while (words[to]?.type === 'cast') to++;
      continue;
    }
    const callee = words[from - 2]?.type === 'word' ? (words[from - 2]?.text ?? '') : '';
    const form = FORM_OF[callee];
    const isCast = callee === 'CAST' && words[to]?.text === 'AS';
    const isPassed = isCast || PASSING.has(callee);
    if (words[from - 1]?.text !== '(' || (form === undefined && !isPassed)) return { from, to, forms };
    const isFirst = words[to]?.type === 'comma' && (isPassed || form === 'nfc');
    if (words[to]?.text !== ')' && !isFirst && !isCast) return { from, to, forms };
    to = findGroupEnd(words, from - 1);
    from -= 2;
    if (form !== undefined) forms = [...forms, form];
    while (words[to]?.type === 'cast') to++;
  }
}

/** `ARRAY[value, other]`, of which the value is an item. */
function findArray(words: readonly Lexeme[], from: number, to: number): Span | null {
  const open = findHolder(words, from);
  const isItem = words[open]?.text === '[' && /^ARRAY$/.test(words[open - 1]?.text ?? '') && isElement(words, from, to);
  return isItem ? { from: open - 1, to: findGroupEnd(words, open) } : null;
}

/** `CASE WHEN ... THEN value ... END`, which may be the value. */
function findCase(words: readonly Lexeme[], from: number, to: number): Span | null {
  const isResult =
    /^(?:THEN|ELSE)$/.test(words[from - 1]?.text ?? '') && /^(?:WHEN|ELSE|END)$/.test(words[to]?.text ?? '');
  if (!isResult) return null;
  const depth = words[from]?.depth;
  const seekWord = (start: number, step: 1 | -1, first: string, last: string): number => {
    for (let at = start, open = 0; at >= 0 && at < words.length; at += step) {
      if (words[at]?.depth !== depth) continue;
      if (words[at]?.text === first) open++;
      else if (words[at]?.text === last && open-- === 0) return at;
    }
    return -1;
  };
  const [start, end] = [seekWord(from - 1, -1, 'END', 'CASE'), seekWord(to, 1, 'CASE', 'END')];
  return start < 0 || end < 0 ? null : { from: start, to: end + 1 };
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
  const [before, next] = [words[from - 1], words[to]];
  if (next?.text === '=' && before?.type !== 'operator') return readColumn(words, to + 1, readColumnAfter);
  // Part of a longer expression.
  if (next?.type === 'operator') return null;
  if (/^(?:=|FROM)$/.test(before?.text ?? ''))
    return readColumn(words, findComparisonLeft(words, from), readColumnBefore);
  const quantified = next?.text === ')' ? findQuantifiedLeft(words, from) : -1;
  if (quantified >= 0) return readColumn(words, quantified, readColumnBefore);
  if (words[from]?.text === '(') {
    const left = findListLeft(words, from);
    if (left >= 0) return readColumn(words, left, readColumnBefore);
  }
  if (!isElement(words, from, to)) return null;
  const holder = findHolder(words, from);
  const left = findListLeft(words, holder);
  return left >= 0 ? readColumn(words, left, readColumnBefore) : findRowColumn(words, from, holder);
}

/** `(a, b) IN ((value, other))`. */
function findRowColumn(words: readonly Lexeme[], from: number, row: number): Column | null {
  const left = findListLeft(words, findHolder(words, row));
  if (left < 0 || !isElement(words, row, findGroupEnd(words, row))) return null;
  const name = readRowColumns(words, left)[findElementStarts(words, row + 1).indexOf(from)];
  return name === undefined || name === null ? null : { name, forms: [] };
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
