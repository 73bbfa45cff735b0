/** Type and helpers of hover sources; the first source with a result wins. */
import type { CursorContext, DocumentContext } from '../document-context.js';

export interface HoverResult {
  /** Safe to show; third-party text has passed `safe-markdown.ts`. */
  readonly markdown: string;
  /** Offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** Null where the source does not apply. The site is based on the current text, without analysis. */
export type HoverSource = (view: DocumentContext, site: CursorContext) => HoverResult | null;

/** The same place based on the newest analysis. */
export const toAnalysedContext = (view: DocumentContext, { cursor }: CursorContext): CursorContext =>
  view.getCursorContext(cursor.offset);

export const createTokenHover = ({ cursor: { token } }: CursorContext, markdown: string): HoverResult | null =>
  token === null || markdown === '' ? null : { markdown, start: token.start, end: token.end };
