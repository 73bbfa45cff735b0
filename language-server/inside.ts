/** Places inside the string around a caret: from offsets in its decoded text to the file. */
import type { Span } from '../kernel/analysis/report.js';
import { offsetInString } from '../kernel/source/escapes.js';
import type { Site, View } from './view.js';

/** Offsets in the file of what stands between two offsets of the decoded text. */
export const spanInside = ({ doc }: View, inside: NonNullable<Site['inside']>, from: number, to: number): Span => ({
  start: offsetInString(doc, inside, from),
  end: offsetInString(doc, inside, to),
});

/** Text as it stands in a JSON string. */
export const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
