/** Maps locations in a parse tree to the file. The tree has no end offsets, so the scanner determines the end of names. */
import type { SqlToken } from '../../strings/sql.js';
import type { QuotedSql } from '../../strings/sql-reserved.js';
import { spotInString } from '../../source/escapes.js';
import type { Document } from '../../source/document.js';
import type { SqlText } from '../finds.js';
import type { Spot } from '../report.js';
import { unitOffsets } from './tree.js';

export interface SqlPlaces {
  /** The first matching token at or after a byte offset, or else the token at the offset. */
  name(at: number, name: string): Spot;
  /** Byte offsets of the first and the last token. */
  between(first: number, last: number): Spot;
  /** The token at or after a text offset, or the last token. */
  token(unit: number): Spot;
  spot(start: number, end: number): Spot;
  readonly isQuoted: (at: number, name: string) => boolean;
}

/** `parsed`: the parsed text, if it differs from the original. */
export function placesOf(doc: Document, { node, scan }: SqlText, parsed?: QuotedSql): SqlPlaces {
  const { text } = scan;
  const tokens = scan.tokens.filter(({ type }) => type !== 'comment');
  const unitOf = unitOffsets(parsed?.text ?? text);
  const written = (unit: number): number => parsed?.toOriginalOffset(unit) ?? unit;
  const toUnit = (byte: number): number => written(unitOf(byte));
  const spot = (start: number, end: number): Spot => spotInString(doc, node, { start, end });
  const tokenAt = (unit: number): SqlToken => {
    const found = tokens.find(({ end }) => end > unit) ?? tokens.at(-1);
    return found ?? { type: 'operator', start: 0, end: text.length };
  };
  const nameAt = (at: number, name: string): SqlToken => {
    const from = toUnit(at);
    return tokens.find((token) => token.start >= from && readsAs(text, token) === name) ?? tokenAt(from);
  };
  const of = ({ start, end }: SqlToken): Spot => spot(start, end);
  return {
    name: (at, name) => of(nameAt(at, name)),
    between: (first, last) => spot(tokenAt(toUnit(first)).start, tokenAt(toUnit(last)).end),
    token: (unit) => of(tokenAt(written(unit))),
    spot,
    isQuoted: (at, name) => nameAt(at, name).type === 'quoted-identifier',
  };
}

function readsAs(text: string, { type, start, end }: SqlToken): string | null {
  if (type === 'word') return text.slice(start, end).toLowerCase();
  return type === 'quoted-identifier' ? text.slice(start + 1, end - 1).replaceAll('""', '"') : null;
}
