/**
 * Infers a placeholder's type from the expression it is compared with. MySQL would convert text to a number there
 * (`length(x) = 'abc'` holds for an empty `x`).
 */
import { findGroupEnd, findHolder, isName, getLexemeName } from '../../queries/sql/text/read.js';
import { findElementStarts, isElement } from '../../queries/sql/text/placeholders.js';
import { normalizeType } from '../../queries/sql/text/types.js';
import type { BindType } from './bind.js';
import { findCastType, type ValueType } from './types.js';
import { isKeyword, findOperandEnd, findOperandStart, type Lexeme } from './words.js';

/** `table`: the qualifier of the column. */
export type ColumnTypeLookup = (column: string, table: string | null) => ValueType | undefined;
export type OperandTypeResolver = (columnOf: ColumnTypeLookup) => Exclude<BindType, null> | undefined;

const COMPARISON = /^(?:=|<>|!=|<|>|<=|>=|<=>|~~\*?|!~~\*?)$/;
const COMPUTES = /^(?:[-+*/%]|\|\|)$/;

const toNameSet = (words: string): ReadonlySet<string> => new Set(words.toUpperCase().split(' '));
const NUMBERS = toNameSet(
  'length char_length character_length octet_length bit_length ascii count sum avg abs ceil ceiling floor round trunc ' +
    'truncate mod power pow sqrt sign exp ln log log10 position strpos locate instr extract date_part year month day hour ' +
    'minute second datediff timestampdiff unix_timestamp json_length rank dense_rank row_number ts_rank',
);
const TEXTS = toNameSet(
  'lower upper trim ltrim rtrim btrim concat concat_ws substring substr left right replace reverse repeat lpad rpad md5 ' +
    'sha1 sha2 hex format initcap split_part to_char date_format json_unquote group_concat lcase ucase',
);
const INSTANTS = toNameSet('now current_timestamp date_trunc');
/** Functions that return one of their arguments. */
const CHOICES = toNameSet('coalesce nullif greatest least min max ifnull any_value first_value last_value lag lead');

/** Of these, each argument has the type of the result. */
const ALIKE = 'COALESCE IFNULL NULLIF GREATEST LEAST'.split(' ');

/** Null when the placeholder is neither compared nor an alternative to something else. */
export function findComparedOperand(all: readonly Lexeme[], start: number): OperandTypeResolver | null {
  const i = all.findIndex((word) => word.start === start);
  return findComparison(all, i, i + 1);
}

function findComparison(all: readonly Lexeme[], from: number, end: number): OperandTypeResolver | null {
  const found = findLeftOperand(all, from) ?? findRightOperand(all, end);
  if (found !== null) return (columnOf) => inferType(all, ...found, columnOf);
  if (!isElement(all, from, end)) return null;
  const open = findHolder(all, from);
  if (!isKeyword(all[open - 1], ...ALIKE)) return null;
  const close = findGroupEnd(all, open);
  const outer = findComparison(all, open - 1, close);
  return (columnOf) => inferCallType(all, open - 1, close, columnOf) ?? outer?.(columnOf);
}

type Range = readonly [from: number, end: number];

function findLeftOperand(all: readonly Lexeme[], i: number): Range | null {
  const behind = findComparisonEnd(all, i);
  if (behind <= 0) return null;
  let from = findTermStart(all, behind - 1);
  while (isPart(all[from - 1])) from = findTermStart(all, from - 2);
  return [from, behind];
}

/** `interval '1 day'` is one operand. */
function findTermStart(all: readonly Lexeme[], end: number): number {
  const from = findOperandStart(all, end);
  return isKeyword(all[from - 1], 'INTERVAL') ? from - 1 : from;
}

const isPart = (word: Lexeme | undefined): boolean =>
  word?.type === 'operator' && (COMPUTES.test(word.text) || /^->>?$/.test(word.text));

/** Behind the left operand; -1: no comparison. */
function findComparisonEnd(all: readonly Lexeme[], i: number): number {
  const before = all[i - 1];
  const skipNot = (at: number): number => (isKeyword(all[at - 1], 'NOT') ? at - 1 : at);
  if (before?.type === 'operator' && COMPARISON.test(before.text)) return i - 1;
  if (isKeyword(before, 'LIKE', 'ILIKE', 'BETWEEN')) return skipNot(i - 1);
  if (isKeyword(before, 'AND')) {
    const between = findOperandStart(all, i - 2) - 1;
    return isKeyword(all[between], 'BETWEEN') ? skipNot(between) : -1;
  }
  if (before?.type !== 'open' && before?.type !== 'comma') return -1;
  const open = findHolder(all, i);
  return isKeyword(all[open - 1], 'IN') ? skipNot(open - 1) : -1;
}

function findRightOperand(all: readonly Lexeme[], i: number): Range | null {
  const sign = all[i];
  if (sign?.type !== 'operator' || !COMPARISON.test(sign.text)) return null;
  let end = findOperandEnd(all, i + 1);
  while (isPart(all[end])) end = findOperandEnd(all, end + 1);
  return [i + 1, end];
}

function inferType(
  all: readonly Lexeme[],
  from: number,
  end: number,
  columnOf: ColumnTypeLookup,
): ReturnType<OperandTypeResolver> {
  const first = all[from];
  const last = all[end - 1];
  if (first === undefined || last === undefined) return undefined;
  const depth = first.depth;
  const inside = all.slice(from, end);
  const signs = inside.filter((word) => word.depth === depth && word.type === 'operator').map(({ text }) => text);
  if (inside.some((word) => isKeyword(word, 'INTERVAL'))) return 'instant';
  if (signs.some((sign) => sign === '||')) return 'text';
  if (signs.some((sign) => COMPUTES.test(sign))) return 'arithmetic';
  if (signs.length > 0) return signs.at(-1) === '->>' ? 'text' : undefined;
  if (last.type === 'cast') return findCastType(normalizeType(last.text.slice(2)))?.value;
  if (end === from + 1 && last.type === 'number') return 'arithmetic';
  if (end === from + 1 && (last.type === 'string' || last.type === 'dollar-string')) return 'text';
  if (first.type === 'open' && last.type === 'close') {
    return isKeyword(all[from + 1], 'SELECT') ? undefined : inferType(all, from + 1, end - 1, columnOf);
  }
  if (last.type === 'close') return inferCallType(all, from, end, columnOf);
  if (!isName(last) || isKeyword(last, 'END', 'NULL', 'TRUE', 'FALSE')) return undefined;
  const qualifier = all[end - 2]?.type === 'dot' ? all[end - 3] : undefined;
  return columnOf(getLexemeName(last), isName(qualifier) ? getLexemeName(qualifier) : null);
}

function inferCallType(
  all: readonly Lexeme[],
  from: number,
  end: number,
  columnOf: ColumnTypeLookup,
): ReturnType<OperandTypeResolver> {
  const open = all.findIndex((word, at) => at >= from && word.type === 'open');
  const callee = all[open - 1];
  if (callee?.type !== 'word') return undefined;
  const { text: name } = callee;
  if (NUMBERS.has(name)) return 'arithmetic';
  if (TEXTS.has(name)) return 'text';
  if (INSTANTS.has(name)) return 'instant';
  if (!CHOICES.has(name)) return undefined;
  const close = all.findIndex((word, at) => at > open && word.type === 'close' && word.depth === all[open]?.depth);
  const starts = findElementStarts(all, open + 1);
  for (const [n, start] of starts.entries()) {
    const next = starts[n + 1];
    const type = inferType(all, start, next === undefined ? Math.min(close, end) : next - 1, columnOf);
    if (type !== undefined) return type;
  }
  return undefined;
}
