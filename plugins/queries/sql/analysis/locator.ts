/** Maps locations in a parse tree to the text. The scanner determines the end of names. */
import type { StatementText, StatementToken, TextSpan } from '../../../../contract/statement-text.js';
import type { QuotedSql } from '../text/reserved.js';
import { createUnitLookup } from './tree.js';

export interface SqlLocator {
  /** The first matching token at or after a byte offset, else the token there. */
  name(at: number, name: string): TextSpan;
  /** Byte offsets of the first and the last token. */
  between(first: number, last: number): TextSpan;
  /** At or after a text offset, else the last. */
  token(unit: number): TextSpan;
  readonly isQuoted: (at: number, name: string) => boolean;
}

/** `parsed`: the parsed text, if it differs from the original. */
export function createSqlLocator({ text, tokens: all }: StatementText, parsed?: QuotedSql): SqlLocator {
  const tokens = all.filter(({ type }) => type !== 'comment');
  const unitOf = createUnitLookup(parsed?.text ?? text);
  const toWrittenUnit = (unit: number): number => parsed?.toOriginalOffset(unit) ?? unit;
  const toUnit = (byte: number): number => toWrittenUnit(unitOf(byte));
  const tokenAt = (unit: number): StatementToken => {
    const found = tokens.find(({ end }) => end > unit) ?? tokens.at(-1);
    return found ?? { type: 'operator', start: 0, end: text.length };
  };
  const nameAt = (at: number, name: string): StatementToken => {
    const from = toUnit(at);
    return tokens.find((token) => token.start >= from && getMeaning(text, token) === name) ?? tokenAt(from);
  };
  const of = ({ start, end }: StatementToken): TextSpan => ({ start, end });
  return {
    name: (at, name) => of(nameAt(at, name)),
    between: (first, last) => ({ start: tokenAt(toUnit(first)).start, end: tokenAt(toUnit(last)).end }),
    token: (unit) => of(tokenAt(toWrittenUnit(unit))),
    isQuoted: (at, name) => nameAt(at, name).type === 'quoted-identifier',
  };
}

function getMeaning(text: string, { type, start, end }: StatementToken): string | null {
  if (type === 'word') return text.slice(start, end).toLowerCase();
  return type === 'quoted-identifier' ? text.slice(start + 1, end - 1).replaceAll('""', '"') : null;
}
