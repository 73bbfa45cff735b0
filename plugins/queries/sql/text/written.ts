/** Finds the expressions that a statement writes to columns. */
import type { StatementText, WrittenPart } from '../../../../contract/statement-text.js';
import { listElements } from './blind-work.js';
import { readColumnList } from './placeholders.js';
import { findGroupEnd, isName, getLexemeName, readTarget, toLexemes, type Lexeme } from './read.js';

export function listWrittenParts({ text, tokens }: Pick<StatementText, 'text' | 'tokens'>): WrittenPart[] {
  const words = toLexemes(text, tokens);
  const createPart = (
    table: string | null,
    column: string | null | undefined,
    from: number,
    to: number,
  ): WrittenPart[] => {
    const [first, last] = [words[from], words[to - 1]];
    if (!column || first === undefined || last === undefined || from >= to) return [];
    const inner = words.slice(from, to);
    const written = text.slice(first.start, last.end);
    return [
      {
        table,
        column,
        text: written,
        isEmpty: written === 'NULL' || written === 'DEFAULT',
        isReadable: isReadable(written),
        literal: isConstant(words, from, to),
        mentions: inner.filter(isName).map(getLexemeName),
        start: first.start,
        end: last.end,
      },
    ];
  };
  // By depth: a SET list or a MERGE branch writes to the last target before it.
  const targets = new Map<number, string>();
  return words.flatMap((word, i) => {
    if (word.type !== 'word') return [];
    const isBranch = BRANCH.has(words[i - 1]?.text ?? '');
    const target = WRITES.has(word.text) && !isBranch ? readTarget(words, i) : null;
    if (target !== null) targets.set(word.depth, target.name);
    const table = targets.get(word.depth) ?? null;
    if (word.text === 'INSERT' && (target !== null || isBranch))
      return listInsertedParts(words, (target?.index ?? i) + 1).flatMap(({ column, from, to }) =>
        createPart(table, column, from, to),
      );
    if (word.text !== 'SET') return [];
    return listSetParts(words, i + 1).flatMap(({ column, from, to }) => createPart(table, column, from, to));
  });
}

/** Functions that leave a text readable; any other function may protect it. */
const CLEAR = new Set(['COALESCE', 'NULLIF', 'LOWER', 'UPPER', 'TRIM', 'BTRIM', 'LTRIM', 'RTRIM', 'CAST']);
const CALL = /([A-Za-z_][A-Za-z0-9_]*)\s*\(/g;
const COMPUTED = /\b(?:SELECT|CASE)\b/i;

const isReadable = (text: string): boolean =>
  !COMPUTED.test(text) && [...text.matchAll(CALL)].every(([, name = '']) => CLEAR.has(name.toUpperCase()));

const WRITES = new Set(['INSERT', 'UPDATE', 'MERGE']);
/** After these, a verb is not followed by a table name. */
const BRANCH = new Set(['DO', 'THEN', 'FOR', 'KEY']);

interface Place {
  readonly column: string | null | undefined;
  readonly from: number;
  readonly to: number;
}

/** `a = x`, and `(a, b) = (x, y)` with or without ROW. */
function listSetParts(words: readonly Lexeme[], first: number): Place[] {
  return listElements(words, first).flatMap(([from, to]): Place[] => {
    const name = words[from];
    if (isName(name) && words[from + 1]?.text === '=') return [{ column: getLexemeName(name), from: from + 2, to }];
    if (name?.text !== '(') return [];
    const at = findGroupEnd(words, from);
    const open = words[at + 1]?.text === 'ROW' ? at + 2 : at + 1;
    if (words[at]?.text !== '=' || words[open]?.text !== '(') return [];
    return pairColumns(readColumnList(words, from), listElements(words, open + 1));
  });
}

const pairColumns = (columns: readonly (string | null)[], parts: readonly (readonly [number, number])[]): Place[] =>
  parts.map(([from, to], n) => ({ column: columns[n], from, to }));

function listInsertedParts(words: readonly Lexeme[], behind: number): Place[] {
  let at = behind;
  if (words[at]?.text === 'AS') at += 2;
  if (words[at]?.text !== '(') return [];
  const columns = readColumnList(words, at);
  at = findGroupEnd(words, at);
  if (words[at]?.text === 'OVERRIDING') at += 3;
  if (words[at]?.text === 'SELECT') return pairColumns(columns, listElements(words, at + 1));
  const found: Place[] = [];
  if (words[at]?.text !== 'VALUES') return found;
  for (at++; words[at]?.text === '('; at++) {
    found.push(...pairColumns(columns, listElements(words, at + 1)));
    at = findGroupEnd(words, at);
    if (words[at]?.type !== 'comma') break;
  }
  return found;
}

function isConstant(words: readonly Lexeme[], from: number, to: number): boolean {
  const first = words[from];
  if (first?.text === 'COALESCE' && words[from + 1]?.text === '(')
    return listElements(words, from + 2).some(([start, end]) => isConstant(words, start, end));
  return (first?.type === 'string' || first?.type === 'dollar-string') && first.text !== "''" && to - from <= 2;
}
