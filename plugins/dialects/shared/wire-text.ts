/** One result as JSON text, from the bytes of its rows. */
import type { Rendering } from '../kind.js';
import { showRow } from './json-objects.js';
import { createLayout, writeRow, type JsonBuffer, type RowLayout } from './json-rows.js';
import { NO_ROWS, readRow, type RowShape } from './wire-rows.js';

const [OPEN, COMMA, CLOSE] = [0x5b, 0x2c, 0x5d];

export class WireText {
  private shape = NO_ROWS;
  private layout: RowLayout | null = null;
  private count = 0;

  /** `page`: used from `setShape` to `close`. */
  constructor(
    private readonly rendering: Rendering,
    private readonly page: JsonBuffer,
  ) {}

  setShape(shape: RowShape): void {
    this.shape = shape;
    this.layout = createLayout(this.rendering, shape);
    this.count = 0;
    this.page.length = 0;
  }

  addRow(bytes: Buffer, at: number): void {
    const { rendering, page, layout, shape, count } = this;
    this.count++;
    if (count > 0 && rendering.shape === 'one') return;
    page.add(count === 0 ? OPEN : COMMA);
    writeRowText(rendering, layout, shape, page, bytes, at);
  }

  close(): Uint8Array {
    return closeText(this.rendering, this.count, this.page);
  }
}

export function writeRowText(
  rendering: Rendering,
  layout: RowLayout | null,
  shape: RowShape,
  page: JsonBuffer,
  bytes: Buffer,
  at: number,
): void {
  if (layout !== null) writeRow(layout, page, bytes, at);
  else page.addText(JSON.stringify(showRow(rendering, readRow(shape, bytes, at))));
}

export function closeText({ shape }: Rendering, count: number, page: JsonBuffer): Uint8Array {
  if (count === 0) return Buffer.from(shape === 'many' ? '[]' : 'null');
  const isSingle = shape === 'one' || (shape === 'count' && count === 1);
  if (!isSingle) page.add(CLOSE);
  return page.flush(isSingle ? 1 : 0);
}
