/** Computes locations of names inside strings, without quotes and with escapes taken into account. */
import { findContentEnd, locateInString } from '../../source/escapes.js';
import type { SourceLocation } from '../report.js';

/** Offsets in the decoded string; `spot` includes the quotes. */
export const locateInside = (spot: SourceLocation, start: number, end: number): SourceLocation =>
  locateInString(spot.doc, spot, { start, end });

export function locateContent(spot: SourceLocation): SourceLocation {
  const { doc, start, end } = spot;
  if (doc.text[start] !== '"') return spot;
  return { doc, start: start + 1, end: findContentEnd(doc, { start, end }) };
}

export interface TextSegment {
  readonly text: string;
  /** Offsets in the decoded text. */
  readonly start: number;
  readonly end: number;
}

export function splitSegments(path: string, offset = 0): TextSegment[] {
  let at = offset;
  return path.split('.').map((text) => {
    const segment = { text, start: at, end: at + text.length };
    at = segment.end + 1;
    return segment;
  });
}
