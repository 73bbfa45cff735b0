/** Inlay hints: merges the results of all sources in `hints/`. */
import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { placeholders } from '../hints/placeholders.js';
import { turns } from '../hints/turns.js';
import { units } from '../hints/units.js';
import type { InlaySource } from '../hints/hint-source.js';

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
