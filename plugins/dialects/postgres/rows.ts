/** Converts wire-format rows to objects with one decoder per column. Most parsers are shared with PGlite. */
import type { Row } from '../kind.js';
import { getParser } from '../shared/types.js';

export type Decode = (bytes: Buffer, from: number, to: number) => unknown;

export interface RowShape {
  readonly names: readonly string[];
  readonly types: readonly number[];
  readonly decoders: readonly Decode[];
}
export const NO_ROWS: RowShape = { names: [], types: [], decoders: [] };

const BOOLEAN = 16;
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);
const TEXTS: ReadonlySet<number> = new Set([25, 1042, 1043]);
/** Integers with this many digits are exact in a double. */
export const EXACT_DIGITS = 15;

const decodeText: Decode = (bytes, from, to) => bytes.toString('utf8', from, to);

function createIntegerDecoder(type: number): Decode {
  const parse = getParser(type);
  return (bytes, from, to) => {
    if (to - from > EXACT_DIGITS) return parse(bytes.toString('latin1', from, to));
    const negative = bytes[from] === 0x2d;
    let value = 0;
    for (let i = negative ? from + 1 : from; i < to; i++) value = value * 10 + ((bytes[i] ?? 0) - 0x30);
    return negative ? -value : value;
  };
}

function createDecoder(type: number): Decode {
  if (TEXTS.has(type)) return decodeText;
  if (INTEGERS.has(type)) return createIntegerDecoder(type);
  if (type === BOOLEAN) return (bytes, from) => bytes[from] === 0x74;
  const parse = getParser(type);
  return (bytes, from, to) => parse(bytes.toString('utf8', from, to));
}

export function createRowShape(fields: readonly { readonly name: string; readonly dataTypeID: number }[]): RowShape {
  const types = fields.map(({ dataTypeID }) => dataTypeID);
  return { names: fields.map(({ name }) => name), types, decoders: types.map(createDecoder) };
}

/** `at`: the offset of the field count. */
export function readRow({ names, decoders }: RowShape, bytes: Buffer, at: number): Row {
  const row: Record<string, unknown> = {};
  let from = at + 2;
  for (let i = 0; i < names.length; i++) {
    const length = bytes.readInt32BE(from);
    from += 4;
    if (length < 0) {
      row[names[i] as string] = null;
      continue;
    }
    row[names[i] as string] = (decoders[i] as Decode)(bytes, from, from + length);
    from += length;
  }
  return row;
}
