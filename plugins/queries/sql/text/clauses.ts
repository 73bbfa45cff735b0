/** Finds the clauses of the query around a caret, and its list of results, in incomplete SQL. */
import { findElementStarts } from './placeholders.js';
import { findHolder, getLexemeName, isName, type Lexeme } from './read.js';
import { isSqlWord } from './words.js';

export type Clause =
  | 'with'
  | 'select'
  | 'from'
  | 'join'
  | 'on'
  | 'where'
  | 'group'
  | 'having'
  | 'order'
  | 'limit'
  | 'offset'
  | 'for'
  | 'insert'
  | 'values'
  | 'conflict'
  | 'do'
  | 'update'
  | 'set'
  | 'delete'
  | 'using'
  | 'returning'
  | 'partition';

const HEADS: Readonly<Record<string, Clause>> = {
  WITH: 'with',
  SELECT: 'select',
  FROM: 'from',
  JOIN: 'join',
  ON: 'on',
  WHERE: 'where',
  GROUP: 'group',
  HAVING: 'having',
  ORDER: 'order',
  LIMIT: 'limit',
  OFFSET: 'offset',
  FOR: 'for',
  INSERT: 'insert',
  VALUES: 'values',
  CONFLICT: 'conflict',
  DO: 'do',
  UPDATE: 'update',
  SET: 'set',
  DELETE: 'delete',
  USING: 'using',
  RETURNING: 'returning',
  PARTITION: 'partition',
};

export const SETS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
const QUERIES = new Set(['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'TABLE']);
export const COMPARISON = /^(?:[=<>!~]+|[@?]\S*|[-#]>+)$/;

/** The query, or the parentheses, that hold the caret. */
export interface ClauseScope {
  readonly words: readonly Lexeme[];
  readonly i: number;
  /** Position of the parenthesis, or -1. */
  readonly holder: number;
  readonly isQuery: boolean;
  /** Positions of the clauses before and behind the caret. */
  readonly before: readonly number[];
  readonly behind: readonly number[];
}

export function createClauseScope(words: readonly Lexeme[], i: number): ClauseScope {
  const holder = findHolder(words, i);
  const depth = words[i]?.depth ?? 0;
  const isHere = (at: number): boolean => words[at]?.depth === depth && words[at]?.type === 'word';
  let from = holder + 1;
  let to = i + 1;
  for (let at = holder + 1; at < i; at++)
    if (
      words[at]?.depth === depth &&
      (words[at]?.type === 'semicolon' || (isHere(at) && SETS.has(words[at]?.text ?? '')))
    )
      from = /^ALL$/.test(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
  while (to < words.length && (words[to]?.depth ?? 0) >= depth && words[to]?.type !== 'semicolon') {
    if (isHere(to) && SETS.has(words[to]?.text ?? '')) break;
    to++;
  }
  const listClauses = (start: number, end: number): number[] =>
    [...words.keys()].slice(start, end).filter((at) => isHere(at) && isClause(words, at));
  const isQuery = holder < 0 || QUERIES.has(words[holder + 1]?.text ?? '');
  return { words, i, holder, isQuery, before: listClauses(from, i), behind: listClauses(i + 1, to) };
}

export function isClause(words: readonly Lexeme[], at: number): boolean {
  const { text = '' } = words[at] ?? {};
  if (!Object.hasOwn(HEADS, text) || words[at - 1]?.type === 'dot') return false;
  const before = words[at - 1]?.text;
  if (text === 'UPDATE') return before !== 'FOR' && before !== 'KEY' && before !== 'DO';
  if (text === 'FROM') return before !== 'DELETE' && before !== 'DISTINCT';
  return !(text === 'ON' && words[at + 1]?.text === 'CONFLICT');
}

export const getClause = ({ words }: ClauseScope, at: number | undefined): Clause | null =>
  at === undefined ? null : (HEADS[words[at]?.text ?? ''] ?? null);

/** Position of the clause that holds the caret, by its first word; -1 if there is none. */
export function findClause(words: readonly Lexeme[], i: number): number {
  return createClauseScope(words, i).before.at(-1) ?? -1;
}

const LIST_ENDS = /^(?:FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|UNION|INTERSECT|EXCEPT|RETURNING)$/;

/** Names that the result list gives to expressions, where rows are sorted or grouped. */
export function listOutputNames(words: readonly Lexeme[], i: number): readonly string[] {
  const clause = words[findClause(words, i)]?.text;
  if (clause !== 'ORDER' && clause !== 'GROUP') return [];
  return listElements(words, i).flatMap((element) => {
    const [last, second] = [element.at(-1), element.at(-2)];
    if (element.length > 1 && isName(last) && second?.type !== 'dot' && !isSqlWord(last.text))
      return [getLexemeName(last)];
    const [first, next] = element;
    // A call without an alias is named after its function.
    return isName(first) && next?.text === '(' && last?.type === 'close' ? [getLexemeName(first)] : [];
  });
}

/** Columns that stand alone in the result list. */
export const listSelected = (words: readonly Lexeme[], i: number): readonly string[] =>
  listElements(words, i).flatMap(([only, ...rest]) =>
    rest.length === 0 && isName(only) && !isSqlWord(only.text) ? [getLexemeName(only)] : [],
  );

function listElements(words: readonly Lexeme[], i: number): readonly (readonly Lexeme[])[] {
  const depth = words[i]?.depth ?? 0;
  let at = i - 1;
  while (at >= 0 && !(words[at]?.depth === depth && words[at]?.text === 'SELECT')) {
    if ((words[at]?.depth ?? 0) < depth) return [];
    at--;
  }
  if (at < 0) return [];
  const begin = /^(?:DISTINCT|ALL)$/.test(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
  let end = begin;
  while (end < words.length && !isEnd(words, end, depth)) end++;
  const starts = findElementStarts(words, begin).filter((start) => start < end);
  return starts.map((start, n) => words.slice(start, n + 1 < starts.length ? (starts[n + 1] ?? end) - 1 : end));
}

const isEnd = (words: readonly Lexeme[], at: number, depth: number): boolean =>
  (words[at]?.depth ?? 0) < depth || (words[at]?.depth === depth && LIST_ENDS.test(words[at]?.text ?? ''));
