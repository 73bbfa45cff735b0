/** Inlay hints: merges the results of all sources in `hints/`. */
import type { InlayHint, InlayHintParams } from 'vscode-languageserver';
import { createDocumentHandler, type Feature } from '../server-context.js';
import { createPlaceholderHints } from '../hints/placeholders.js';
import { createOrderHints } from '../hints/execution-order.js';
import { createUnitHints } from '../hints/units.js';
import type { InlayHintSource } from '../hints/hint-source.js';

const SOURCES: readonly InlayHintSource[] = [createPlaceholderHints, createUnitHints, createOrderHints];

export const inlayHints: Feature = {
  capabilities: () => ({ inlayHintProvider: true }),
  attach: (server) =>
    server.connection.languages.inlayHint.on(
      createDocumentHandler<InlayHintParams, InlayHint[]>(server, [], (view, { range }) =>
        SOURCES.flatMap((source) => source(view, range)),
      ),
    ),
};
