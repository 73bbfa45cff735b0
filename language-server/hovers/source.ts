/** What a source of hovers gives, and the order in which they are asked: the first that has a say is heard. */
import type { Site, View } from '../view.js';

export interface Told {
  /** Safe to show; third-party text has gone through `safe-markdown.ts`. */
  readonly markdown: string;
  /** Offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** Null where it has no say. The site is of the text as it is typed. */
export type HoverSource = (view: View, site: Site) => Told | null;

/** The same place as the newest analysis has it, for what only that tells. */
export const analysedSite = (view: View, { cursor }: Site): Site => view.siteAt(cursor.offset);

/** About the whole token at the caret. */
export const ofToken = ({ cursor: { token } }: Site, markdown: string): Told | null =>
  token === null || markdown === '' ? null : { markdown, start: token.start, end: token.end };
