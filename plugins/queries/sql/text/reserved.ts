/** Quotes table names that are reserved words: `FROM user`, `INSERT INTO order`. */
import type { StatementText } from '../../../../contract/statement-text.js';
import { RESERVED_NAMES } from './tokens.js';

export interface QuotedSql {
  readonly text: string;
  /** Converts an offset in the quoted text to one in the original. */
  readonly toOriginalOffset: (offset: number) => number;
}

const returnOffset = (offset: number): number => offset;

export function quoteReserved({ text, tokens, tables }: StatementText, quote = '"'): QuotedSql {
  const names = tables.filter(({ name, start, end }) => RESERVED_NAMES.has(name) && end - start === name.length);
  if (names.length === 0) return { text, toOriginalOffset: returnOffset };
  const starts = new Set(names.map(({ start }) => start));
  const known = new Set(names.map(({ name }) => name));
  const quoted = tokens.filter(({ type, start, end }, i) => {
    if (type !== 'word') return false;
    if (starts.has(start)) return true;
    return (
      tokens[i + 1]?.type === 'dot' && tokens[i - 1]?.type !== 'dot' && known.has(text.slice(start, end).toLowerCase())
    );
  });
  let out = '';
  let at = 0;
  const added: number[] = [];
  for (const { start, end } of quoted) {
    out += text.slice(at, start);
    added.push(out.length);
    // Unquoted names are read in lower case.
    out += quote + text.slice(start, end).toLowerCase();
    added.push(out.length);
    out += quote;
    at = end;
  }
  return {
    text: out + text.slice(at),
    toOriginalOffset: (offset) => offset - added.filter((place) => place < offset).length,
  };
}
