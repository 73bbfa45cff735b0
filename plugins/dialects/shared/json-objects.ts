/** Rows that are objects as JSON text. */
import { RawJson } from '../../../contract/raw-json.js';
import type { Rendering, Row } from '../kind.js';

const parseText = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString('utf8')) as unknown;
export const toRawJson = (json: Uint8Array): RawJson => new RawJson(json, parseText);

export function showRow({ names, hide }: Rendering, row: Row): unknown {
  const chosen = names === null ? row : pickColumns(row, names);
  return hide === null ? chosen : hide(chosen);
}

const pickColumns = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]));

export function writeObjects(rendering: Rendering, rows: readonly Row[]): Uint8Array {
  const writer = new RowTextWriter(rendering);
  for (const row of rows) writer.add(row);
  return writer.close();
}

/** The text of JSON.stringify for the result, of which pieces may be taken early. */
export class RowTextWriter {
  #text = '';
  #count = 0;

  constructor(private readonly rendering: Rendering) {}

  add(row: Row): void {
    if (this.rendering.shape === 'one' && this.#count > 0) return;
    this.#text += (this.#count++ === 0 ? '[' : ',') + JSON.stringify(showRow(this.rendering, row));
  }

  /** Code units that can be taken. With `count`, the second row decides. */
  get ready(): number {
    const { shape } = this.rendering;
    return shape === 'one' || (shape === 'count' && this.#count < 2) ? 0 : this.#text.length;
  }

  takeText(): Uint8Array {
    const taken = Buffer.from(this.#text);
    this.#text = '';
    return taken;
  }

  close(): Uint8Array {
    const { shape } = this.rendering;
    if (this.#count === 0) return Buffer.from(shape === 'many' ? '[]' : 'null');
    const isSingle = shape === 'one' || (shape === 'count' && this.#count === 1);
    return Buffer.from(isSingle ? this.#text.slice(1) : `${this.#text}]`);
  }
}
