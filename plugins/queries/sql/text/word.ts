/**
 * The word of a statement that a database error is about. A word and the number of equal words before it stay the
 * same when Lintel adds to a statement.
 */
import type { StatementText, StatementToken } from '../../../../contract/statement-text.js';
import { scanSql } from './scan.js';

export interface StatementWord {
  /** Without quotes, in lower case. */
  readonly text: string;
  /** The number of equal words before it. */
  readonly nth: number;
}

/** Positions of PostgreSQL count code points, not UTF-16 units. */
export function toUnitOffset(text: string, characters: number): number {
  let at = 0;
  let left = characters;
  for (const character of text) {
    if (left-- === 0) break;
    at += character.length;
  }
  return at;
}

const isSignificant = ({ type }: StatementToken): boolean => type !== 'comment';

/** The column of `t.column`, where an error begins at the table. */
export function findLastPart({ tokens }: StatementText, at: number): number {
  const significant = tokens.filter(isSignificant);
  let i = significant.findIndex(({ start }) => start === at);
  if (i === -1) return at;
  while (significant[i + 1]?.type === 'dot' && significant[i + 2] !== undefined) i += 2;
  return significant[i]?.start ?? at;
}

const readWord = (text: string, { start, end }: StatementToken): string =>
  text
    .slice(start, end)
    .replace(/^(["`])(.*)\1$/s, '$2')
    .toLowerCase();

/** `at`: an offset in UTF-16 units; `isName`: the last part is meant. Null where no token begins. */
export function findWordAt(text: string, at: number, isName = false): StatementWord | null {
  const scan = scanSql(text);
  const place = isName ? findLastPart(scan, at) : at;
  const tokens = scan.tokens.filter(isSignificant);
  const found = tokens.find(({ start }) => start === place);
  if (found === undefined) return null;
  const word = readWord(text, found);
  const nth = tokens.filter((token) => token.start < place && readWord(text, token) === word).length;
  return { text: word, nth };
}

/** The offset of a word; null for one that the text does not have. */
export function locateWord({ text, tokens }: StatementText, { text: word, nth }: StatementWord): number | null {
  return tokens.filter((token) => isSignificant(token) && readWord(text, token) === word)[nth]?.start ?? null;
}
