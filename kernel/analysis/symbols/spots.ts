/** Exact places of names inside strings: without quotes, one segment of a path, whatever is escaped. */
import { contentEnd, spotInString } from '../../source/escapes.js';
import type { Spot } from '../report.js';

/** Characters `[from, to)` of the decoded text of a string that stands at a spot, its quotes included. */
export const innerSpot = (spot: Spot, start: number, end: number): Spot => spotInString(spot.doc, spot, { start, end });

/** The whole text of a string; a number as it stands. */
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

/** The words between the dots of a path. */
export function segmentsOf(path: string, offset = 0): Segment[] {
  let at = offset;
  return path.split('.').map((text) => {
    const segment = { text, start: at, end: at + text.length };
    at = segment.end + 1;
    return segment;
  });
}
