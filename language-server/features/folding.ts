/** Folding ranges of objects, lists and comments. */
import { FoldingRangeKind } from '../protocol.js';
import { findFolds } from '../../language/source/folds.js';
import { createDocumentHandler, type Feature } from '../server-context.js';

export const folding: Feature = {
  capabilities: () => ({ foldingRangeProvider: true }),
  attach: (server) =>
    server.connection.onFoldingRanges(
      createDocumentHandler(server, [], (view) =>
        findFolds(view.doc).map(({ start, end, comment }) => ({
          startLine: start,
          endLine: end,
          ...(comment && { kind: FoldingRangeKind.Comment }),
        })),
      ),
    ),
};
