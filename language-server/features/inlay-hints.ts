/** Inlay hints: merges the results of all sources in `hints/`. */
import type { InlayHint, InlayHintParams, Range } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { placeholders } from '../hints/placeholders.js';
import { turns } from '../hints/turns.js';
import { units } from '../hints/units.js';
import type { View } from '../view.js';

/** Returns the hints in a range. */
export type InlaySource = (view: View, range: Range) => readonly InlayHint[];

const SOURCES: readonly InlaySource[] = [placeholders, units, turns];

export const inlayHints: Feature = {
  capabilities: () => ({ inlayHintProvider: true }),
  attach: (desk) =>
    desk.connection.languages.inlayHint.on(
      answering<InlayHintParams, InlayHint[]>(desk, [], (view, { range }) =>
        SOURCES.flatMap((source) => source(view, range)),
      ),
    ),
};
