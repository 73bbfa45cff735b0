/**
 * Rewrites statements on encrypted columns with a blind index: writes also set the index, and comparisons use it. An unsupported
 * form is a fault, so that no statement silently finds nothing.
 */
import type {
  BlindColumn,
  BlindFault,
  BlindParameter,
  BlindTable,
  StatementText,
} from '../../../../contract/statement-text.js';
import {
  addFault,
  listElements,
  addMarker,
  getPlaceholderNumber,
  addEdit,
  findBlindTable,
  TEXT_CAST,
} from './blind-work.js';
import type { BlindState } from './blind-work.js';
import { rewriteMentions } from './blind-uses.js';
import { findAlias } from './mentions.js';
import { readColumnList } from './placeholders.js';
import { findGroupEnd, isName, getLexemeName, readTarget, toLexemes, type Lexeme } from './read.js';
import { findTarget } from './sources.js';
import { scanSql } from './scan.js';

export interface BlindRewrite {
  readonly scan: StatementText;
  readonly parameters: readonly BlindParameter[];
  readonly faults: readonly BlindFault[];
}

const QUERY_START = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '(']);
const VALUES_ONLY = 'it is written from a placeholder, NULL, or `COALESCE` of them and the column';

/** Null if the statement uses no such column. */
export function rewriteBlind(scan: StatementText, tables: readonly BlindTable[]): BlindRewrite | null {
  if (!tables.some(({ indexes }) => indexes.size > 0)) return null;
  const words = toLexemes(scan.text, scan.tokens);
  const work: BlindState = { words, tables, edits: [], faults: [], done: new Set(), marks: [] };
  words.forEach((word, i) => {
    if (word.type !== 'word') return;
    if (word.text === 'INSERT' || word.text === 'REPLACE' || word.text === 'MERGE') rewriteInsertInto(work, i);
    if (word.text === 'SET') rewriteSetList(work, i);
  });
  rewriteMentions(work, scan);
  if (work.edits.length === 0 && work.faults.length === 0) return null;
  return { ...renumberParameters(work, scan), faults: work.faults };
}

function renumberParameters(
  work: BlindState,
  { text, placeholders }: StatementText,
): Pick<BlindRewrite, 'scan' | 'parameters'> {
  const taken = new Set(work.edits.filter(({ remove }) => remove > 0).map(({ at }) => at));
  for (const { n, start, end } of placeholders)
    if (!taken.has(start)) addEdit(work, start, addMarker(work, { n, blind: null, written: false }), end - start);
  let out = text;
  for (const { at, remove, insert } of [...work.edits].reverse().sort((a, b) => b.at - a.at))
    out = out.slice(0, at) + insert + out.slice(at + remove);
  const parameters: BlindParameter[] = [];
  const known = new Map<string, number>();
  const numbered = out.replace(/\0(\d+)\0/g, (_, index: string) => {
    const parameter = work.marks[Number(index)];
    if (parameter === undefined) return '';
    const key = JSON.stringify(parameter);
    const number = known.get(key) ?? parameters.push(parameter);
    known.set(key, number);
    return `$${number}`;
  });
  return { scan: scanSql(numbered), parameters };
}

function rewriteInsertInto(work: BlindState, verb: number): void {
  const { words } = work;
  const target = readTarget(words, verb);
  const table = findBlindTable(work, target?.name ?? null);
  const first = words[verb];
  if (target === null || first === undefined || table === undefined || table.indexes.size === 0) return;
  const [name = ''] = table.indexes.keys();
  if (first.text !== 'INSERT') {
    addFault(work, first, name, `${first.text} cannot fill its index; write INSERT or UPDATE`);
    return;
  }
  let at = target.index + 1;
  if (words[at]?.text === 'AS') at += 2;
  if (words[at]?.text === 'DEFAULT') return;
  if (words[at]?.text !== '(' || QUERY_START.has(words[at + 1]?.text ?? '')) {
    addFault(work, words[target.index] ?? first, name, 'an INSERT has to list its columns');
    return;
  }
  const listed = listElements(words, at + 1).flatMap(([start], place) => {
    const column = readColumnList(words, at)[place] ?? '';
    const index = table.indexes.get(column);
    if (index === undefined) return [];
    work.done.add(start);
    return [{ place, index, column: { table: table.table, column }, at: words[start] ?? first }];
  });
  const close = findGroupEnd(words, at) - 1;
  rewriteConflict(work, close, table);
  if (listed.length === 0) return;
  addEdit(work, words[close]?.start ?? 0, listed.map(({ index }) => `, ${index}`).join(''));
  at = close + 1;
  if (words[at]?.text === 'OVERRIDING') at += 3;
  const rows = findRows(words, at);
  if (rows === null) {
    for (const one of listed) addFault(work, one.at, one.column.column, 'its index cannot be filled from these rows');
    return;
  }
  for (const { parts, end } of rows) {
    for (const { place, column, at: spot } of listed) {
      const [from, to] = parts[place] ?? [0, 0];
      const value = buildIndexValue(work, [from, to], column, table, null);
      if (value === null) addFault(work, words[from] ?? spot, column.column, VALUES_ONLY);
      else addEdit(work, end, `, ${value}`);
    }
  }
}

interface Row {
  readonly parts: readonly (readonly [number, number])[];
  readonly end: number;
}

/** The rows of VALUES, or of a single SELECT; null for any other source. */
function findRows(words: readonly Lexeme[], from: number): Row[] | null {
  const word = words[from];
  if (word?.text === 'SELECT') {
    if (/^(?:DISTINCT|ALL)$/.test(words[from + 1]?.text ?? '')) return null;
    const parts = listElements(words, from + 1);
    const isCombined = words.some(
      (one, i) => i > from && one.depth === word.depth && /^(?:UNION|INTERSECT|EXCEPT)$/.test(one.text),
    );
    return isCombined ? null : [{ parts, end: words[(parts.at(-1)?.[1] ?? 0) - 1]?.end ?? 0 }];
  }
  if (word?.text !== 'VALUES') return null;
  const rows: Row[] = [];
  let at = from + 1;
  while (words[at]?.text === '(') {
    const behind = findGroupEnd(words, at);
    rows.push({ parts: listElements(words, at + 1), end: words[behind - 1]?.start ?? 0 });
    if (words[behind]?.type !== 'comma') break;
    at = behind + 1;
  }
  return rows;
}

function rewriteConflict(work: BlindState, from: number, table: BlindTable): void {
  const { words } = work;
  const depth = words[from]?.depth;
  for (let i = from; i < words.length && (words[i]?.depth ?? 0) >= (depth ?? 0); i++) {
    const word = words[i];
    if (word?.depth !== depth || word?.type !== 'word') continue;
    if (word.text === 'DUPLICATE') {
      const [name = ''] = table.indexes.keys();
      addFault(work, word, name, 'write `ON CONFLICT (...) DO UPDATE`, which works on every database');
    }
    if (word.text !== 'CONFLICT' || words[i + 1]?.text !== '(') continue;
    for (const [start, end] of listElements(words, i + 2)) {
      const name = words[start];
      const index = isName(name) && end === start + 1 ? table.indexes.get(getLexemeName(name)) : undefined;
      if (name === undefined || index === undefined) continue;
      addEdit(work, name.start, index, name.end - name.start);
      work.done.add(start);
    }
  }
}

function rewriteSetList(work: BlindState, set: number): void {
  const { words } = work;
  const target = findTarget(words, set);
  const table = findBlindTable(work, target);
  if (table === undefined || table.indexes.size === 0) return;
  const named = words.findIndex((word, i) => i < set && isName(word) && getLexemeName(word) === target);
  const own = new Set(['excluded', target, findAlias(words, named)]);
  for (const [start, end] of listElements(words, set + 1)) {
    const word = words[start];
    const names = word?.text === '(' ? readColumnList(words, start) : [];
    const among = names.find((name) => name !== null && table.indexes.has(name));
    if (word !== undefined && among) addFault(work, word, among, 'write `column = value` for each column');
    const column = isName(word) ? getLexemeName(word) : '';
    const index = table.indexes.get(column);
    if (word === undefined || index === undefined || words[start + 1]?.text !== '=') continue;
    const value = buildIndexValue(work, [start + 2, end], { table: table.table, column }, table, own);
    if (value === null) addFault(work, word, column, VALUES_ONLY);
    else addEdit(work, words[end - 1]?.end ?? 0, `, ${index} = ${value}`);
    for (let i = start; i < end; i++) work.done.add(i);
  }
}

/** Null if the value is unsupported. `own`: names of the updated row, or null for an INSERT. */
function buildIndexValue(
  work: BlindState,
  [from, to]: readonly [number, number],
  blind: BlindColumn,
  { indexes }: BlindTable,
  own: ReadonlySet<string | null> | null,
): string | null {
  const out: string[] = [];
  for (let i = from; i < to; i++) {
    const word = work.words[i];
    if (word === undefined) return null;
    if (word.type === 'placeholder') out.push(addMarker(work, { n: getPlaceholderNumber(word), blind, written: true }));
    else if (word.type === 'cast') {
      if (!TEXT_CAST.test(word.text)) return null;
    } else if (['open', 'close', 'comma', 'dot'].includes(word.type) && word.text !== '[') out.push(word.text);
    else if (word.type === 'word' && /^(?:NULL|DEFAULT|COALESCE)$/.test(word.text)) out.push(word.text);
    else if (own === null || !isName(word)) return null;
    else if (work.words[i + 1]?.type === 'dot') {
      if (!own.has(getLexemeName(word))) return null;
      out.push(word.type === 'word' ? word.text.toLowerCase() : word.text);
    } else if (getLexemeName(word) === blind.column) out.push(indexes.get(blind.column) ?? '');
    else return null;
  }
  return out.length === 0 ? null : out.join(' ');
}
