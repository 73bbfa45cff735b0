/**
 * Determines for locking what a statement reads and writes. `row` only if the text proves it; everything else is a
 * `range`.
 */
import type {
  FindKeys,
  NameInText,
  SelectedRow,
  StatementAccess,
  StatementText,
} from '../../../../contract/statement-text.js';
import { listCalls, hasUnknownReach } from './calls.js';
import { findGroupEnd, isName, findMainStatement, getLexemeName, toLexemes, type Lexeme } from './read.js';
import { canLockRows, findLockPosition } from './row-lock.js';

const VERBS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES', '']);
const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);
const CONDITION_END = new Set(['ORDER', 'LIMIT', 'FOR', 'RETURNING', 'LOCK']);
const LITERALS = new Set(['string', 'number', 'placeholder']);

export function analyseAccess(scan: StatementText, keysOf: FindKeys): StatementAccess {
  const words = toLexemes(scan.text, scan.tokens);
  const tables = [...new Set(scan.tables.map(({ name }) => name))];
  const writes = listWritten(words, scan);
  const called = findCall(words, scan);
  const foreign = called ?? tables.find((table) => keysOf(table) === null) ?? null;
  const base = { tables, writes, foreign, row: null, locks: null, lockable: false };
  if (scan.statements !== 1 || scan.faults.length > 0) return { ...base, sort: 'range' };
  const { verb, end } = findMainStatement(words);
  const statement = words.slice(verb, end);
  // A called function may write to any table.
  if (called !== null) return { ...base, writes: [...writes, ''], sort: 'range' };
  const has = (...texts: readonly string[]): boolean =>
    statement.slice(1).some((word) => word.type === 'word' && texts.includes(word.text));
  const isPlain = verb === 0 && !has('SELECT', 'WITH', 'TABLE', 'MERGE');
  if (scan.verb === 'INSERT') return { ...base, sort: isPlain ? getInsertKind(statement) : 'range' };
  if (scan.verb === 'UPDATE' || scan.verb === 'DELETE') {
    const row = isPlain && scan.tables.length === 1 ? findRow(statement, tables[0] ?? '', keysOf) : null;
    return { ...base, row, sort: row === null ? 'range' : 'row' };
  }
  if (writes.length > 0) return { ...base, sort: 'range' };
  const lock = findLock(statement);
  const locks = lock?.strength ?? null;
  if (tables.length === 0) return { ...base, locks, sort: 'nothing' };
  // Without a lock, the row may have changed when the next statement runs.
  const lockable = lock === null && findLockPosition(scan) !== null;
  const holds = lockable || (lock !== null && verb === 0 && canLockRows(statement.slice(0, lock.at)));
  const row = holds ? findRow(statement, tables[0] ?? '', keysOf) : null;
  return { ...base, locks, lockable, row, sort: row === null ? 'range' : 'row' };
}

/** Returns a function that is not built in, or an unusual statement: both may access any table. */
function findCall(words: readonly Lexeme[], scan: StatementText): string | null {
  if (!VERBS.has(scan.verb)) return scan.verb;
  if (words.some(isWord('TABLE'))) return 'TABLE';
  return listCalls(words, scan).find(hasUnknownReach) ?? null;
}

/** Includes writes inside a WITH list. */
function listWritten(words: readonly Lexeme[], { tables, target }: StatementText): string[] {
  const found = new Set(target === null ? [] : [target.name]);
  words.forEach((word, i) => {
    const before = words[i - 1];
    if (word.type !== 'word' || !WRITING.has(word.text) || before?.type === 'dot') return;
    if (word.text === 'UPDATE' && /^(?:FOR|KEY|DO|ON)$/.test(before?.text ?? '')) return;
    const from = word.text === 'UPDATE' ? i + 1 : /^(?:INTO|FROM)$/.test(words[i + 1]?.text ?? '') ? i + 2 : null;
    if (from !== null) found.add(findTableAt(words, from, tables)?.name ?? '');
  });
  if (target === null && found.size === 0 && words[0]?.text === 'SELECT' && words.some(isWord('INTO'))) found.add('');
  return [...found];
}

const BEFORE_NAME = new Set(['ONLY', 'LOW_PRIORITY', 'IGNORE', '(']);

/** The table that is named from this word on; undefined if it is no table. */
function findTableAt(words: readonly Lexeme[], from: number, tables: StatementText['tables']): NameInText | undefined {
  let last = from;
  while (BEFORE_NAME.has(words[last]?.text ?? '')) last++;
  while (words[last + 1]?.type === 'dot') last += 2;
  return tables.find(({ end }) => end === words[last]?.end);
}

const isWord =
  (text: string) =>
  (word: Lexeme | undefined): boolean =>
    word?.type === 'word' && word.text === text;

/** After DO UPDATE the row is locked; after DO NOTHING it may belong to another transaction. */
function getInsertKind(words: readonly Lexeme[]): 'insert' | 'merge' {
  const conflict = words.findIndex(isWord('CONFLICT'));
  if (conflict < 0) return words.some(isWord('IGNORE')) ? 'merge' : 'insert';
  const act = words.findIndex((word, i) => i > conflict && isWord('DO')(word));
  return isWord('UPDATE')(words[act + 1]) ? 'insert' : 'merge';
}

/** `FOR [NO KEY] UPDATE` and `FOR SHARE` prevent changes by others; `FOR KEY SHARE` and SKIP LOCKED do not. */
function findLock(words: readonly Lexeme[]): { readonly at: number; readonly strength: 'strong' | 'weak' } | null {
  const at = words.findLastIndex(
    (word, i) => isWord('FOR')(word) && /^(?:UPDATE|NO|SHARE|KEY)$/.test(words[i + 1]?.text ?? ''),
  );
  if (at < 0) {
    const lock = words.findIndex((word, i) => isWord('LOCK')(word) && isWord('IN')(words[i + 1]));
    return lock < 0 ? null : { at: lock, strength: 'strong' };
  }
  const rest = words.slice(at + 1);
  return { at, strength: isWord('KEY')(rest[0]) || rest.some(isWord('SKIP')) ? 'weak' : 'strong' };
}

/** The condition must have an equality for every column of a key. */
function findRow(words: readonly Lexeme[], table: string, keysOf: FindKeys): SelectedRow | null {
  const depth = words[0]?.depth ?? 0;
  const where = words.findIndex((word) => word.depth === depth && isWord('WHERE')(word));
  if (where < 0) return null;
  const equal = new Map<string, string>();
  let piece: Lexeme[] = [];
  const addCondition = (): void => {
    const found = parseEquality(piece);
    if (found !== null) equal.set(...found);
    piece = [];
  };
  for (let at = where + 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    if (word.depth === depth && word.type === 'word') {
      if (CONDITION_END.has(word.text)) break;
      if (word.text === 'OR' || word.text === 'CASE' || word.text === 'NOT') return null;
      if (word.text === 'AND') {
        addCondition();
        continue;
      }
    }
    piece.push(word);
  }
  addCondition();
  const key = keysOf(table)?.find((columns) => columns.length > 0 && columns.every((column) => equal.has(column)));
  return key === undefined ? null : { table, key: key.map((column) => [column, equal.get(column) ?? ''] as const) };
}

/** `[t.]column = $1` or `$1 = [t.]column`, with casts after the value. */
function parseEquality(piece: readonly Lexeme[]): [string, string] | null {
  const at = piece.findIndex(({ type, text }) => type === 'operator' && text === '=');
  if (at < 0) return null;
  const [left, right] = [piece.slice(0, at), piece.slice(at + 1)];
  const [column, operand] =
    parseColumn(left) === null ? [parseColumn(right), parseOperand(left)] : [parseColumn(left), parseOperand(right)];
  return column === null || operand === null ? null : [column, operand];
}

function parseColumn(words: readonly Lexeme[]): string | null {
  const last = words.at(-1);
  const isDotted = words.every((word, i) => (i % 2 === 0 ? isName(word) : word.type === 'dot'));
  return isDotted && words.length % 2 === 1 && isName(last) ? getLexemeName(last) : null;
}

function parseOperand(words: readonly Lexeme[]): string | null {
  const [value, ...casts] = words;
  if (value?.text === '(' && findGroupEnd(words, 0) === words.length) return parseOperand(words.slice(1, -1));
  if (value === undefined || !LITERALS.has(value.type)) return null;
  return casts.every(({ type }) => type === 'cast') ? value.text : null;
}
