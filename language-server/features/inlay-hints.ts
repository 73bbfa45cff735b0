/**
 * Inlay hints: what a text means but does not say, shown between its characters. Asks every source; they stand in `hints/`,
 * one file each.
 */
import type { InlayHint, InlayHintParams, Range } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { placeholders } from '../hints/placeholders.js';
import { turns } from '../hints/turns.js';
import { units } from '../hints/units.js';
import type { View } from '../view.js';

/** Hints of the lines that are shown. */
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
