/**
 * Adds timestamps to INSERT and UPDATE, and turns DELETE into an UPDATE of `deleted_at`. Changes only the main
 * statement; the time is a placeholder.
 */
import { CREATED, DELETED, UPDATED } from '../../../../contract/model.js';
import type { StatementText } from '../../../../contract/statement-text.js';
import { scanSql } from './scan.js';
import { readColumnList, findElementStarts } from './placeholders.js';
import { findGroupEnd, isName, findMainStatement, getLexemeName, readTarget, toLexemes, readWithList } from './read.js';
import type { Lexeme } from './read.js';

export interface SqlRewriteOptions {
  readonly timestamps: boolean;
  readonly softDelete: boolean;
}

export interface SqlRewrite {
  /** The original scan if nothing was added. */
  readonly scan: StatementText;
  /** The placeholder of the current time, or null. */
  readonly now: number | null;
  readonly columns: readonly string[];
  /** An INSERT without a column list, or a source of rows that cannot be extended. */
  readonly fault: 'no-columns' | 'source' | null;
  readonly timestampsUsed: boolean;
  readonly softDeleteUsed: boolean;
}

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

interface RewriteState {
  readonly words: readonly Lexeme[];
  readonly verb: number;
  readonly end: number;
  /** Position of the last word of the target's name. */
  readonly target: number;
  /** The expression for the current time. */
  readonly value: string;
  readonly edits: Edit[];
  readonly columns: Set<string>;
}

type Outcome = Pick<SqlRewrite, 'fault' | 'timestampsUsed' | 'softDeleteUsed'>;

const UNUSED: Outcome = { fault: null, timestampsUsed: false, softDeleteUsed: false };
const QUERY_START = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']);
const SELECT_END = new Set(
  'FROM WHERE GROUP HAVING WINDOW ORDER LIMIT OFFSET FETCH FOR INTO UNION INTERSECT EXCEPT ON RETURNING'.split(' '),
);
const SET_OPERATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

export function rewriteSql(scan: StatementText, { timestamps, softDelete }: SqlRewriteOptions): SqlRewrite {
  if (!timestamps && !softDelete) return { ...UNUSED, scan, now: null, columns: [] };
  const words = toLexemes(scan.text, scan.tokens);
  const { verb, end } = findMainStatement(words);
  const target = readTarget(words, verb);
  const number = Math.max(0, ...scan.placeholders.map(({ n }) => n)) + 1;
  const work: RewriteState = {
    words,
    verb,
    end,
    target: target?.index ?? -1,
    value: `$${number}::timestamptz`,
    edits: [],
    columns: new Set(),
  };
  const outcome = target === null ? UNUSED : rewriteMain(work, scan.verb, timestamps, softDelete);
  const changed = outcome.fault === null && work.edits.length > 0;
  return {
    ...outcome,
    scan: changed ? scanSql(applyEdits(scan.text, work.edits)) : scan,
    now: changed ? number : null,
    columns: changed ? [...work.columns] : [],
  };
}

function rewriteMain(work: RewriteState, verb: string, timestamps: boolean, softDelete: boolean): Outcome {
  if (verb === 'DELETE' && softDelete) {
    rewriteDelete(work, timestamps ? [DELETED, UPDATED] : [DELETED]);
    return { fault: null, timestampsUsed: timestamps, softDeleteUsed: true };
  }
  if (!timestamps || !/^(INSERT|UPDATE)$/.test(verb)) return UNUSED;
  if (verb === 'INSERT') return { ...UNUSED, fault: rewriteInsert(work), timestampsUsed: true };
  addUpdateTimestamp(work, findWord(work, work.target + 1, 'SET'));
  return { ...UNUSED, timestampsUsed: true };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = text;
  // Applied from the end, so that earlier offsets stay valid.
  for (const { at, remove, insert } of [...edits].reverse().sort((a, b) => b.at - a.at)) {
    out = out.slice(0, at) + insert + out.slice(at + remove);
  }
  return out;
}

const addEdit = ({ edits }: RewriteState, at: number, insert: string, remove = 0): void =>
  void edits.push({ at, remove, insert });

/** After AS or a dot the word is a name. */
function isKeyword(words: readonly Lexeme[], i: number, depth: number | undefined): boolean {
  const word = words[i];
  const before = words[i - 1];
  return word?.type === 'word' && word.depth === depth && before?.type !== 'dot' && before?.text !== 'AS';
}

function findWord({ words, verb, end }: RewriteState, from: number, ...texts: readonly string[]): number {
  const depth = words[verb]?.depth;
  for (let i = from; i < end; i++) {
    const word = words[i];
    if (word === undefined || word.depth < (depth ?? 0)) return -1;
    if (isKeyword(words, i, depth) && texts.includes(word.text)) return i;
  }
  return -1;
}

/** `SET a = 1` becomes `SET updated_at = $n, a = 1`. */
function addUpdateTimestamp(work: RewriteState, set: number): void {
  const { words } = work;
  const word = words[set];
  if (word === undefined || listAssigned(words, set + 1).has(UPDATED)) return;
  addEdit(work, word.end, ` ${UPDATED} = ${work.value},`);
  work.columns.add(UPDATED);
}

function listAssigned(words: readonly Lexeme[], from: number): Set<string> {
  const names = findElementStarts(words, from).flatMap((i) => {
    const word = words[i];
    if (word?.text === '(') return readColumnList(words, i);
    return isName(word) ? [getLexemeName(word)] : [];
  });
  return new Set(names.filter((name) => name !== null));
}

function rewriteDelete(work: RewriteState, columns: readonly string[]): void {
  const { words, verb, target, value } = work;
  const [first, from] = [words[verb], words[verb + 1]];
  if (first === undefined || from === undefined) return;
  addEdit(work, first.start, 'UPDATE', first.end - first.start);
  // Also removes the space after FROM.
  const blank = words[verb + 2]?.start === from.end + 1 ? 1 : 0;
  addEdit(work, from.start, '', from.end - from.start + blank);
  const behind = findWord(work, target + 1, 'USING', 'WHERE', 'RETURNING');
  const using = words[behind];
  const last = words[(behind < 0 ? findStatementEnd(work) : behind) - 1];
  addEdit(work, last?.end ?? 0, ` SET ${columns.map((column) => `${column} = ${value}`).join(', ')}`);
  if (using?.text === 'USING') addEdit(work, using.start, 'FROM', using.end - using.start);
  for (const column of columns) work.columns.add(column);
}

/** The statement also ends at an enclosing parenthesis. */
function findStatementEnd({ words, verb, end }: RewriteState): number {
  const depth = words[verb]?.depth ?? 0;
  for (let i = verb; i < end; i++) if ((words[i]?.depth ?? 0) < depth) return i;
  return end;
}

function rewriteInsert(work: RewriteState): SqlRewrite['fault'] {
  const { words, target } = work;
  let at = target + 1;
  if (words[at]?.text === 'AS') at += 2;
  if (words[at]?.text === 'DEFAULT') {
    const [word, values] = [words[at], words[at + 1]];
    const list = [CREATED, UPDATED];
    const text = `(${list.join(', ')}) VALUES (${list.map(() => work.value).join(', ')})`;
    addEdit(work, word?.start ?? 0, text, (values?.end ?? 0) - (word?.start ?? 0));
    for (const column of list) work.columns.add(column);
    return null;
  }
  if (words[at]?.text !== '(' || QUERY_START.has(words[at + 1]?.text ?? '') || words[at + 1]?.text === '(') {
    return 'no-columns';
  }
  const listed = new Set(readColumnList(words, at));
  const missing = [CREATED, UPDATED].filter((column) => !listed.has(column));
  const close = findGroupEnd(words, at) - 1;
  if (missing.length > 0) {
    addEdit(work, words[close]?.start ?? 0, `, ${missing.join(', ')}`);
    for (const column of missing) work.columns.add(column);
    at = close + 1;
    if (words[at]?.text === 'OVERRIDING') at += 3;
    if (!extendQuery(work, at, work.end, missing.map(() => `, ${work.value}`).join(''))) return 'source';
  }
  const conflict = findWord(work, close + 1, 'CONFLICT');
  const set = conflict < 0 ? -1 : findWord(work, conflict, 'SET');
  if (set > 0) addUpdateTimestamp(work, set);
  return null;
}

/** False if the query cannot be extended. */
function extendQuery(work: RewriteState, from: number, to: number, values: string): boolean {
  const { words } = work;
  const depth = words[from]?.depth;
  let wanted = true;
  for (let i = from; i < to; i++) {
    const word = words[i];
    if (word === undefined || word.depth < (depth ?? 0)) break;
    if (!wanted) {
      wanted = isKeyword(words, i, depth) && SET_OPERATIONS.has(word.text);
      if (wanted && /^(ALL|DISTINCT)$/.test(words[i + 1]?.text ?? '')) i++;
      continue;
    }
    wanted = false;
    if (word.text === 'WITH') {
      i = readWithList(words, i).end - 1;
      wanted = true;
    } else if (word.text === '(') {
      const behind = findGroupEnd(words, i);
      if (!extendQuery(work, i + 1, behind - 1, values)) return false;
      i = behind - 1;
    } else if (word.text === 'SELECT') {
      addEdit(work, words[findSelectEnd(words, i + 1, to) - 1]?.end ?? 0, values);
    } else if (word.text === 'VALUES') {
      i = extendRows(work, i + 1, values) - 1;
    } else return false;
  }
  return !wanted;
}

function findSelectEnd(words: readonly Lexeme[], from: number, to: number): number {
  const depth = words[from]?.depth ?? 0;
  for (let i = from; i < to; i++) {
    const word = words[i];
    if (word === undefined || word.depth < depth || word.type === 'semicolon') return i;
    if (!isKeyword(words, i, depth) || !SELECT_END.has(word.text)) continue;
    if (words[i - 1]?.text === 'DISTINCT' && (word.text === 'ON' || word.text === 'FROM')) continue;
    return i;
  }
  return to;
}

/** Returns the position after the last row. */
function extendRows(work: RewriteState, from: number, values: string): number {
  const { words } = work;
  let at = from;
  while (words[at]?.text === '(') {
    const behind = findGroupEnd(words, at);
    addEdit(work, words[behind - 1]?.start ?? 0, values);
    if (words[behind]?.type !== 'comma') return behind;
    at = behind + 1;
  }
  return at;
}
