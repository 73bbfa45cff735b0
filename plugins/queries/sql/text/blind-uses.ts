/** Moves comparisons of blind-indexed columns to their index; a use that the index does not support is a fault. */
import type { BlindTable, StatementText } from '../../../../contract/statement-text.js';
import { readMentions } from './mentions.js';
import { findGroupEnd, findHolder, isName, getLexemeName, type Lexeme } from './read.js';
import {
  addFault,
  listElements,
  addMarker,
  getPlaceholderNumber,
  addEdit,
  findBlindTable,
  TEXT_CAST,
  type BlindState,
} from './blind-work.js';

const EQUALITY = new Set(['=', '<>', '!=']);
const CLAUSES = new Set('SELECT RETURNING WHERE ON HAVING BY SET USING VALUES CONFLICT FROM WITH INTO'.split(' '));
const COMPUTING = new Set('LIKE ILIKE SIMILAR BETWEEN IN NOT IS WHEN REGEXP RLIKE AND OR CASE DISTINCT'.split(' '));
const ROWS = 'rows are found equal or put in order by it, and equal values are stored as different texts';
const FORMS = 'only `=`, `<>`, `IN`, `= ANY` and `IS NULL` with placeholders work on it';

export function rewriteMentions(work: BlindState, scan: StatementText): void {
  const { words, tables, done } = work;
  const names = new Set(tables.flatMap(({ indexes }) => [...indexes.keys()]));
  const indexes = new Set(tables.flatMap((table) => [...table.indexes.values()]));
  const mentions = new Map(readMentions(scan, [...names]).map((mention) => [mention.start, mention]));
  words.forEach((word, i) => {
    if (word.type === 'word' && word.text === 'NATURAL') rejectNaturalJoin(work, word, scan);
    if (!isName(word) || done.has(i)) return;
    const name = getLexemeName(word);
    if (indexes.has(name))
      addFault(work, word, name, 'the index is kept by itself and never read or written by a statement');
    const next = words[i + 1];
    const isOther = next?.text === '(' || next?.type === 'dot' || words[i - 1]?.text === 'AS';
    if (!names.has(name) || isOther || scan.tables.some(({ start }) => start === word.start)) return;
    const found = mentions.get(word.start)?.tables.flatMap((one) => findBlindTable(work, one) ?? []) ?? [];
    const owners = found.filter(({ columns }) => columns.includes(name));
    const [owner] = owners;
    // A name without a known table may still be the column.
    const isKnown = mentions.has(word.start);
    if (isKnown && !owners.some((one) => one.indexes.has(name))) return;
    if (owner !== undefined && owners.length === 1) rewriteComparison(work, i, owner, name);
    else if (findReturningQuery(work, i) === null)
      addFault(work, word, name, 'say which table it belongs to: `table.column`');
  });
}

function rejectNaturalJoin(work: BlindState, word: Lexeme, scan: StatementText): void {
  const joined = scan.tables.flatMap(({ name }) => findBlindTable(work, name) ?? []);
  for (const { indexes } of work.tables)
    for (const name of indexes.keys())
      if (joined.filter(({ columns }) => columns.includes(name)).length > 1) addFault(work, word, name, FORMS);
}

function rewriteComparison(work: BlindState, i: number, { table, indexes }: BlindTable, column: string): void {
  const { words } = work;
  const word = words[i];
  const index = indexes.get(column);
  if (word === undefined || index === undefined) return;
  const operands = findOperands(words, findNameStart(words, i), i);
  if (operands === null) {
    const query = findReturningQuery(work, i);
    if (query === null) addFault(work, word, column, FORMS);
    else if (isComparedAsRow(words, query, i)) addFault(work, word, column, ROWS);
    return;
  }
  if (operands.length === 0) return;
  addEdit(work, word.start, index, word.end - word.start);
  for (const at of operands) {
    const operand = words[at];
    if (operand?.type !== 'placeholder') continue;
    const text = addMarker(work, { n: getPlaceholderNumber(operand), blind: { table, column }, written: false });
    addEdit(work, operand.start, text, operand.end - operand.start);
  }
}

/** Where a name with its table begins: `p.email`. */
function findNameStart(words: readonly Lexeme[], i: number): number {
  let first = i;
  while (words[first - 1]?.type === 'dot') first -= 2;
  return first;
}

/** Positions of the compared placeholders; empty for `IS NULL`, null for any unsupported use. */
function findOperands(words: readonly Lexeme[], first: number, last: number): number[] | null {
  const [before, next] = [words[first - 1], words[last + 1]];
  const isFree = before?.type !== 'operator' && before?.type !== 'cast';
  if (next?.type === 'operator' && isFree) {
    return EQUALITY.has(next.text) ? findOperandAfter(words, last + 2) : null;
  }
  if (before?.type === 'operator' && next?.type !== 'cast')
    return EQUALITY.has(before.text) ? findOperandBefore(words, first - 2) : null;
  if (next?.type !== 'word' || !isFree) return null;
  const at = words[last + 2]?.text === 'NOT' ? last + 3 : last + 2;
  if (next.text === 'IS') {
    if (words[at]?.text === 'NULL') return [];
    return words[at]?.text === 'DISTINCT' && words[at + 1]?.text === 'FROM' ? findOperandAfter(words, at + 2) : null;
  }
  const list = next.text === 'IN' ? last + 2 : next.text === 'NOT' && words[last + 2]?.text === 'IN' ? last + 3 : -1;
  if (list < 0 || words[list]?.text !== '(') return null;
  const found = listElements(words, list + 1).map(([from, to]) => findPlaceholder(words, from, to));
  return found.every((one) => one !== null) ? found.flat() : null;
}

/** A placeholder with casts to text, or NULL. */
function findPlaceholder(words: readonly Lexeme[], from: number, to: number): number[] | null {
  const [word, ...rest] = words.slice(from, to);
  if (word?.text === '(' && rest.at(-1)?.text === ')') return findPlaceholder(words, from + 1, to - 1);
  if (word === undefined || !rest.every((one) => TEXT_CAST.test(one.text))) return null;
  if (word.text === 'NULL') return [];
  return word.type === 'placeholder' ? [from] : null;
}

function findOperandAfter(words: readonly Lexeme[], from: number): number[] | null {
  const isList = /^(?:ANY|SOME|ALL)$/.test(words[from]?.text ?? '');
  const start = isList ? from + 1 : from;
  let to = words[start]?.text === '(' ? findGroupEnd(words, start) : start + 1;
  while (words[to]?.type === 'cast') to++;
  return words[to]?.type === 'operator' ? null : findPlaceholder(words, start, to);
}

function findOperandBefore(words: readonly Lexeme[], last: number): number[] | null {
  let from = last;
  while (words[from]?.type === 'cast') from--;
  if (words[from]?.text === ')') {
    const depth = words[from]?.depth;
    from--;
    while (from >= 0 && words[from]?.depth !== depth) from--;
    if (isName(words[from - 1])) return null;
  }
  const before = words[from - 1];
  return before?.type === 'operator' ? null : findPlaceholder(words, from, last + 1);
}

/** Position of the SELECT or RETURNING that returns the column unchanged, or null. */
function findReturningQuery({ words }: BlindState, i: number): number | null {
  const around = [words[findNameStart(words, i) - 1], words[i + 1]];
  if (around.some((one) => one?.type === 'operator' || one?.type === 'cast')) return null;
  if (around.some((one) => one?.type === 'word' && COMPUTING.has(one.text))) return null;
  let depth = words[i]?.depth ?? 0;
  for (let at = i - 1; at >= 0; at--) {
    const word = words[at];
    if (word === undefined || word.depth > depth) continue;
    if (word.depth < depth && /^(?:NULLIF|GREATEST|LEAST)$/.test(words[at - 1]?.text ?? '')) return null;
    depth = word.depth;
    if (word.type !== 'word' || !CLAUSES.has(word.text) || words[at - 1]?.type === 'dot') continue;
    return word.text === 'RETURNING' || (word.text === 'SELECT' && words[at + 1]?.text !== 'DISTINCT') ? at : null;
  }
  return null;
}

const isCombining = (words: readonly Lexeme[], i: number): boolean =>
  /^(?:UNION|INTERSECT|EXCEPT)$/.test(words[i]?.text ?? '') && !/^ALL$/.test(words[i + 1]?.text ?? '');

/** True if the result is compared or ordered: as an operand, by UNION, or by its position or alias. */
function isComparedAsRow(words: readonly Lexeme[], select: number, i: number): boolean {
  const depth = words[select]?.depth ?? 0;
  const open = findHolder(words, select);
  const behindIt = open < 0 ? words.length : findGroupEnd(words, open);
  const before = words[open - 1];
  if (open >= 0 && (before?.type === 'operator' || /^(?:IN|ANY|SOME|ALL)$/.test(before?.text ?? ''))) return true;
  if (open >= 0 && (isCombining(words, open - 1) || isCombining(words, behindIt))) return true;
  const inside = words.flatMap((word, at) => (at > open && at < behindIt && word.depth === depth ? [at] : []));
  if (inside.some((at) => isCombining(words, at))) return true;
  const parts = listElements(words, select + 1);
  const place = parts.findIndex(([from, to]) => from <= i && i < to);
  const last = words[(parts[place]?.[1] ?? 0) - 1];
  const alias = isName(last) && last !== words[i] ? getLexemeName(last) : null;
  const lists = inside.filter(
    (at) => at > i && words[at]?.text === 'BY' && /^(?:GROUP|ORDER)$/.test(words[at - 1]?.text ?? ''),
  );
  return lists.some((by) => {
    const end = listElements(words, by + 1).at(-1)?.[1] ?? by;
    return words.slice(by + 1, end).some((word, at) => {
      const isWhole = [words[by + at], words[by + at + 2]].every(
        (one) => one?.type !== 'operator' && one?.type !== 'dot',
      );
      return isWhole && (word.text === String(place + 1) || (isName(word) && getLexemeName(word) === alias));
    });
  });
}
