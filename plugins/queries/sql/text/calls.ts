/** Finds the functions that a statement calls. */
import type { StatementText } from '../../../../contract/statement-text.js';
import { isPerRow, getReach } from './functions.js';
import { isName, getLexemeName, toLexemes, type Lexeme } from './read.js';
import { isPlainWord, isSqlWord } from './words.js';

/** Normalized names, with their schema unless it is `pg_catalog`. */
export function listCalls(words: readonly Lexeme[], { tables }: Pick<StatementText, 'tables'>): string[] {
  const tableAt = new Set(tables.map(({ start }) => start));
  return words.flatMap((word, i) => {
    if (words[i + 1]?.text !== '(' || !isName(word) || tableAt.has(word.start) || isDefinition(words, i)) return [];
    const name = getLexemeName(word);
    const schema = words[i - 1]?.type === 'dot' ? words[i - 2] : undefined;
    if (isName(schema)) return getLexemeName(schema) === 'pg_catalog' ? [name] : [`${getLexemeName(schema)}.${name}`];
    return word.type === 'word' && isKeyword(name) ? [] : [name];
  });
}

const isKeyword = (name: string): boolean => !isPerRow(name) && (isSqlWord(name) || isPlainWord(name));

/** An alias or a WITH entry with a column list is not a call. */
function isDefinition(words: readonly Lexeme[], i: number): boolean {
  const before = words[i - 1];
  if (before === undefined) return false;
  if (before.type === 'word' && /^(?:AS|WITH|RECURSIVE)$/.test(before.text)) return true;
  if (before.type === 'close' || before.type === 'quoted-identifier') return true;
  if (before.type === 'word' && !isKeyword(before.text.toLowerCase())) return true;
  if (before.type !== 'comma') return false;
  let depth = 1;
  let at = i + 2;
  for (; at < words.length && depth > 0; at++) depth += words[at]?.text === '(' ? 1 : words[at]?.text === ')' ? -1 : 0;
  return words[at]?.text === 'AS' && /^(?:\(|NOT|MATERIALIZED)$/.test(words[at + 1]?.text ?? '');
}

export const hasUnknownReach = (name: string): boolean => getReach(name) === 'unknown';

/** A SELECT with one of these words may write or lock. */
const NOT_ONLY_READS = /\b(?:insert|update|delete|merge|into|share)\b/i;

export const mayWrite = (text: string): boolean => NOT_ONLY_READS.test(text);

export const isComputation = (scan: StatementText): boolean =>
  listCalls(toLexemes(scan.text, scan.tokens), scan).every((name) => getReach(name) === 'none');
