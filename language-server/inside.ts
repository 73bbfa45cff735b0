/** Converts ranges in the decoded string at the cursor to ranges in the file. */
import type { Span } from '../language/analysis/report.js';
import { offsetInString } from '../language/source/escapes.js';
import type { Site, View } from './view.js';

export const spanInside = ({ doc }: View, inside: NonNullable<Site['inside']>, from: number, to: number): Span => ({
  start: offsetInString(doc, inside, from),
  end: offsetInString(doc, inside, to),
});

/** Escapes text for a JSON string, without quotes. */
export const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
