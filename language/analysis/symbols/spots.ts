/** Computes locations of names inside strings, without quotes and with escapes taken into account. */
import { contentEnd, spotInString } from '../../source/escapes.js';
import type { Spot } from '../report.js';

/** Offsets in the decoded string; `spot` includes the quotes. */
export const innerSpot = (spot: Spot, start: number, end: number): Spot => spotInString(spot.doc, spot, { start, end });

export function wholeSpot(spot: Spot): Spot {
  const { doc, start, end } = spot;
  if (doc.text[start] !== '"') return spot;
  return { doc, start: start + 1, end: contentEnd(doc, { start, end }) };
}

export interface Segment {
  readonly text: string;
  /** Offsets in the decoded text. */
  readonly start: number;
  readonly end: number;
}

export function segmentsOf(path: string, offset = 0): Segment[] {
  let at = offset;
  return path.split('.').map((text) => {
    const segment = { text, start: at, end: at + text.length };
    at = segment.end + 1;
    return segment;
  });
}
