/** Type and helpers of hover sources; the first source with a result wins. */
import type { Site, View } from '../view.js';

export interface Told {
  /** Safe to show; third-party text has passed `safe-markdown.ts`. */
  readonly markdown: string;
  /** Offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** Null where the source does not apply. The site is based on the current text, without analysis. */
export type HoverSource = (view: View, site: Site) => Told | null;

/** The same place based on the newest analysis. */
export const analysedSite = (view: View, { cursor }: Site): Site => view.siteAt(cursor.offset);

/** A hover for the whole token at the cursor. */
export const ofToken = ({ cursor: { token } }: Site, markdown: string): Told | null =>
  token === null || markdown === '' ? null : { markdown, start: token.start, end: token.end };
