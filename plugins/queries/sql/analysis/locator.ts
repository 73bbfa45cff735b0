/** Maps locations in a parse tree to the file. The scanner determines the end of names. */
import type { SqlToken } from '../text/tokens.js';
import type { QuotedSql } from '../text/reserved.js';
import { locateInString } from '../../../../language/source/escapes.js';
import type { Document } from '../../../../language/source/document.js';
import type { SqlText } from '../../../../language/analysis/facts.js';
import type { SourceLocation } from '../../../../language/analysis/report.js';
import { createUnitLookup } from './tree.js';

export interface SqlLocator {
  /** The first matching token at or after a byte offset, else the token there. */
  name(at: number, name: string): SourceLocation;
  /** Byte offsets of the first and the last token. */
  between(first: number, last: number): SourceLocation;
  /** At or after a text offset, else the last. */
  token(unit: number): SourceLocation;
  toLocation(start: number, end: number): SourceLocation;
  readonly isQuoted: (at: number, name: string) => boolean;
}

/** `parsed`: the parsed text, if it differs from the original. */
export function createSqlLocator(doc: Document, { node, scan }: SqlText, parsed?: QuotedSql): SqlLocator {
  const { text } = scan;
  const tokens = scan.tokens.filter(({ type }) => type !== 'comment');
  const unitOf = createUnitLookup(parsed?.text ?? text);
  const toWrittenUnit = (unit: number): number => parsed?.toOriginalOffset(unit) ?? unit;
  const toUnit = (byte: number): number => toWrittenUnit(unitOf(byte));
  const toLocation = (start: number, end: number): SourceLocation => locateInString(doc, node, { start, end });
  const tokenAt = (unit: number): SqlToken => {
    const found = tokens.find(({ end }) => end > unit) ?? tokens.at(-1);
    return found ?? { type: 'operator', start: 0, end: text.length };
  };
  const nameAt = (at: number, name: string): SqlToken => {
    const from = toUnit(at);
    return tokens.find((token) => token.start >= from && getMeaning(text, token) === name) ?? tokenAt(from);
  };
  const of = ({ start, end }: SqlToken): SourceLocation => toLocation(start, end);
  return {
    name: (at, name) => of(nameAt(at, name)),
    between: (first, last) => toLocation(tokenAt(toUnit(first)).start, tokenAt(toUnit(last)).end),
    token: (unit) => of(tokenAt(toWrittenUnit(unit))),
    toLocation,
    isQuoted: (at, name) => nameAt(at, name).type === 'quoted-identifier',
  };
}

function getMeaning(text: string, { type, start, end }: SqlToken): string | null {
  if (type === 'word') return text.slice(start, end).toLowerCase();
  return type === 'quoted-identifier' ? text.slice(start + 1, end - 1).replaceAll('""', '"') : null;
}
