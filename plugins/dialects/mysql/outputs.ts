/** Names the result columns as PostgreSQL would, and infers their types. */
import { getLexemeName, isName } from '../../queries/sql/text/read.js';
import { findElementStarts } from '../../queries/sql/text/placeholders.js';
import { normalizeType } from '../../queries/sql/text/types.js';
import { findCastType, type ValueType } from './types.js';
import { isKeyword, findOperandStart, type Words } from './words.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

/** Keywords that make an expression boolean. */
const CONDITION = /^(?:AND|OR|NOT|IS|LIKE|ILIKE|IN|BETWEEN|EXISTS)$/;
const COMPARISON = /^(?:=|<>|!=|<|>|<=|>=|<=>|!?~~\*?)$/;

interface Item {
  readonly from: number;
  /** The index after the expression, before its name. */
  readonly end: number;
  readonly name: string | null;
}

/** The list is the words `[start, end)`. */
export function nameOutputs(words: Words, start: number, end: number): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>();
  const starts = findElementStarts(words.all, start).filter((at) => at < end);
  starts.forEach((from, n) => {
    const next = starts[n + 1];
    const item = parseItem(words, from, next === undefined ? end : next - 1);
    const name = item.name ?? getDefaultName(words, item);
    if (name === null) return;
    if (item.name === null && item.end > from) {
      words.out[item.end - 1] = `${words.out[item.end - 1] ?? ''} AS ${quoteSqlName(name)}`;
    }
    const type = inferOutputType(words, item);
    if (type !== undefined) types.set(name, type);
  });
  return types;
}

function parseItem({ all }: Words, from: number, end: number): Item {
  const last = all[end - 1];
  const before = all[end - 2];
  if (end - 2 > from && isKeyword(before, 'AS') && isName(last))
    return { from, end: end - 2, name: getLexemeName(last) };
  const follows =
    before !== undefined && /^(?:word|quoted-identifier|close|number|string|placeholder|cast)$/.test(before.type);
  if (end - 2 >= from && follows && isName(last) && !isKeyword(last, 'END', 'NULL', 'TRUE', 'FALSE')) {
    const operator = before.type === 'word' && CONDITION.test(before.text);
    if (!operator) return { from, end: end - 1, name: getLexemeName(last) };
  }
  return { from, end, name: null };
}

/** Null for a star, and where the server is right. */
function getDefaultName({ all, scan }: Words, { from, end }: Pick<Item, 'from' | 'end'>): string | null {
  const first = all[from];
  const last = all[end - 1];
  if (first === undefined || last === undefined || last.text === '*') return null;
  if (isKeyword(first, 'EXISTS')) return findOperandStart(all, end - 1) === from + 1 ? 'exists' : UNNAMED;
  if (isKeyword(first, 'CASE')) return 'case';
  if (isKeyword(first, 'TRUE', 'FALSE') && end === from + 1) return 'bool';
  if (findOperandStart(all, end - 1) !== from) return UNNAMED;
  if (last.type === 'cast') return getCastName({ all, scan }, from, end - 1, last.text.slice(2));
  if (!isName(first) || isKeyword(first, 'NULL')) return UNNAMED;
  if (last.type !== 'close') {
    const name = getLexemeName(last);
    const isAsWritten = last.type === 'quoted-identifier' || scan.text.slice(last.start, last.end) === name;
    return isAsWritten && last.text !== 'CURRENT_TIMESTAMP' ? null : name;
  }
  const open = all.findIndex((word, i) => i > from && word.type === 'open');
  const callee = all[open - 1] ?? first;
  const as = isKeyword(callee, 'CAST') ? findCastAs(all, from, end) : -1;
  if (as >= 0) return getCastName({ all, scan }, open + 1, as, scan.text.slice(all[as]?.end, last.start));
  return getLexemeName(callee);
}

const UNNAMED = '?column?';

function getCastName(words: Pick<Words, 'all' | 'scan'>, from: number, end: number, type: string): string {
  const last = words.all[end - 1];
  const named = getDefaultName({ ...words, out: [] }, { from, end });
  if (named === null) return last === undefined ? UNNAMED : getLexemeName(last);
  return named === UNNAMED ? (findCastType(normalizeType(type))?.label ?? UNNAMED) : named;
}

/** In the CAST call that ends before `end`; -1: none. */
function findCastAs(all: Words['all'], from: number, end: number): number {
  const depth = (all[from]?.depth ?? 0) + 1;
  return all.findLastIndex((word, i) => i > from && i < end && word.depth === depth && isKeyword(word, 'AS'));
}

function inferOutputType({ all, scan }: Words, { from, end }: Item): ValueType | undefined {
  const first = all[from];
  const last = all[end - 1];
  const depth = first?.depth ?? 0;
  const inside = all.slice(from, end).filter((word) => word.depth === depth);
  const conditional = inside.some(({ type, text }) =>
    type === 'word' ? CONDITION.test(text) : type === 'operator' && COMPARISON.test(text),
  );
  if (conditional && !isKeyword(first, 'CASE')) return 'boolean';
  if (end === from + 1 && isKeyword(first, 'TRUE', 'FALSE')) return 'boolean';
  if (last?.type === 'cast' && findOperandStart(all, end - 1) === from)
    return findCastType(normalizeType(last.text.slice(2)))?.value;
  if (isKeyword(first, 'CAST') && last?.type === 'close' && last.depth === depth) {
    const as = findCastAs(all, from, end);
    return as < 0 ? undefined : findCastType(normalizeType(scan.text.slice(all[as]?.end, last.start)))?.value;
  }
  if (first?.type === 'word' && /^JSON_(?:ARRAY|OBJECT|EXTRACT|ARRAYAGG|OBJECTAGG|MERGE|SET|QUERY)/.test(first.text)) {
    return findOperandStart(all, end - 1) === from ? 'json' : undefined;
  }
  const signs = inside.filter(({ type }) => type === 'operator');
  return signs.length > 0 && signs.every(({ text }) => text === '->') ? 'json' : undefined;
}
