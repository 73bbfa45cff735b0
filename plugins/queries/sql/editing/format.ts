/** Writes a statement of one line over many, and back. Changes white space between tokens only. */
import { isClause } from '../text/clauses.js';
import { findHolder, toLexemes, type Lexeme } from '../text/read.js';
import { tokenizeSql } from '../text/tokens.js';

const QUERIES = /^(?:SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|TABLE)$/;
const STATEMENTS = /^(?:SELECT|INSERT|UPDATE|DELETE|UNION|INTERSECT|EXCEPT)$/;
/** Words of a clause that begins before its own word: `LEFT JOIN`. */
const JOIN_LEADS = /^(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER|NATURAL)$/;
/** Clauses that stay on the line of what they belong to. */
const INLINE = /^(?:ON|USING|PARTITION|DO|CONFLICT|FOR|OFFSET)$/;
const INDENT = '  ';

/** A text that has lines already is returned as it is. */
export function formatSql(text: string): string {
  if (/[\r\n]/.test(text)) return text;
  const { tokens } = tokenizeSql(text);
  const words = toLexemes(text, tokens);
  const positions = new Map(words.map((word, i) => [word.start, i]));
  let written = '';
  let end = 0;
  for (const token of tokens) {
    const i = positions.get(token.start);
    const isSpaced = token.start > end;
    const line = isSpaced && end > 0 && i !== undefined ? getIndent(words, i) : null;
    if (end > 0 && isSpaced) written += line === null ? ' ' : `\n${INDENT.repeat(line)}`;
    written += text.slice(token.start, token.end);
    end = token.end;
  }
  return written;
}

/** The depth of the line that begins here; null where none begins. */
function getIndent(words: readonly Lexeme[], i: number): number | null {
  const word = words[i];
  if (word?.type !== 'word' || !isInQuery(words, i)) return null;
  const { text, depth } = word;
  if (text === 'AND' || text === 'OR') return isOfBetween(words, i) ? null : depth + 1;
  if (words[i - 1]?.type === 'open') return null;
  if (STATEMENTS.test(text)) return /^(?:DO|FOR|KEY)$/.test(words[i - 1]?.text ?? '') ? null : depth;
  if (text === 'ON' && words[i + 1]?.text === 'CONFLICT') return depth;
  if (JOIN_LEADS.test(text) && words[i + 1]?.type !== 'open')
    return JOIN_LEADS.test(words[i - 1]?.text ?? '') ? null : depth;
  if (text === 'JOIN' && JOIN_LEADS.test(words[i - 1]?.text ?? '')) return null;
  if (!isClause(words, i) || INLINE.test(text)) return null;
  return text === 'SET' && words[i - 1]?.text === 'UPDATE' ? null : depth;
}

function isInQuery(words: readonly Lexeme[], i: number): boolean {
  const holder = findHolder(words, i);
  return holder < 0 || QUERIES.test(words[holder + 1]?.text ?? '');
}

/** `BETWEEN 1 AND 2`. */
function isOfBetween(words: readonly Lexeme[], i: number): boolean {
  const depth = words[i]?.depth ?? 0;
  for (let at = i - 1; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--) {
    const { text = '', depth: here } = words[at] ?? {};
    if (here !== depth) continue;
    if (text === 'BETWEEN') return true;
    if (/^(?:AND|OR|WHERE|ON|HAVING|WHEN|SELECT)$/.test(text)) return false;
  }
  return false;
}

/** The same statement on one line. A line comment keeps the end of its line. */
export function joinSql(text: string): string {
  const { tokens } = tokenizeSql(text);
  let written = '';
  let end = 0;
  let isBroken = false;
  for (const { type, start, end: next } of tokens) {
    if (start > end && written !== '') written += isBroken ? '\n' : ' ';
    const token = text.slice(start, next);
    written += token;
    isBroken = type === 'comment' && token.startsWith('--');
    end = next;
  }
  return written;
}
