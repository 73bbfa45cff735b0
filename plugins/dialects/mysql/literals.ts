/** String literals of PostgreSQL, unless they mean something else in MySQL. */
import { createTranslationError, type Lexeme } from './words.js';

export function parseLiteral({ type, text: written }: Lexeme): string {
  if (type === 'dollar-string') {
    const tag = written.indexOf('$', 1) + 1;
    return written.slice(tag, -tag);
  }
  if (/^[eE]/.test(written)) {
    const inner = written.slice(2, -1).replaceAll("''", "'");
    return inner.replace(
      /\\(.)/gs,
      (_, c: string) => ({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' })[c] ?? validateEscape(c),
    );
  }
  if (/^[uUbBxX]/.test(written))
    throw createTranslationError(`a string written as ${written.slice(0, 2)}...`, 'a plain string');
  return written.slice(written.indexOf("'") + 1, -1).replaceAll("''", "'");
}

function validateEscape(c: string): string {
  if (/[0-9xuU]/.test(c))
    throw createTranslationError('an escape of a character by its number', 'the character itself');
  return c;
}

/** Converts `1 day` to MySQL's notation after INTERVAL. */
export function toMysqlInterval(value: string): string {
  const found = /^\s*([+-]?\d+)\s+(microsecond|second|minute|hour|day|week|month|year)s?\s*$/i.exec(value);
  if (!found)
    throw createTranslationError(`the interval '${value}'`, "one number and one unit, as in interval '7 days'");
  return `${found[1] ?? ''} ${(found[2] ?? '').toUpperCase()}`;
}
