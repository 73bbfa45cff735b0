/** Converts wire-format rows to objects. */
import type { Row } from '../kind.js';
import { getParser, type Parse } from './types.js';

export interface RowShape {
  readonly names: readonly string[];
  readonly types: readonly number[];
  readonly parsers: readonly Parse[];
}
export const NO_ROWS: RowShape = { names: [], types: [], parsers: [] };

export function createRowShape(fields: readonly { readonly name: string; readonly dataTypeID: number }[]): RowShape {
  const types = fields.map(({ dataTypeID }) => dataTypeID);
  return { names: fields.map(({ name }) => name), types, parsers: types.map(getParser) };
}

/** `at`: the offset of the field count. */
export function readRow({ names, parsers }: RowShape, bytes: Buffer, at: number): Row {
  const row: Record<string, unknown> = {};
  let from = at + 2;
  for (let i = 0; i < names.length; i++) {
    const length = bytes.readInt32BE(from);
    from += 4;
    if (length < 0) {
      row[names[i] as string] = null;
      continue;
    }
    row[names[i] as string] = (parsers[i] as Parse)(bytes.toString('utf8', from, from + length));
    from += length;
  }
  return row;
}
