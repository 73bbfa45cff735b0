/** Finds the clauses of the query around a caret, in incomplete SQL. */
import { findHolder, type Lexeme } from './sql-read.js';

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
      from = words[at + 1]?.text === 'ALL' ? at + 2 : at + 1;
  while (to < words.length && (words[to]?.depth ?? 0) >= depth && words[to]?.type !== 'semicolon') {
    if (isHere(to) && SETS.has(words[to]?.text ?? '')) break;
    to++;
  }
  const list = (start: number, end: number): number[] =>
    [...words.keys()].slice(start, end).filter((at) => isHere(at) && isClause(words, at));
  const isQuery = holder < 0 || QUERIES.has(words[holder + 1]?.text ?? '');
  return { words, i, holder, isQuery, before: list(from, i), behind: list(i + 1, to) };
}

/** True for the first word of a clause. */
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
