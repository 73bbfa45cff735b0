/** All occurrences of the name at the cursor; declarations are writes. */
import type { DocumentHighlight } from 'vscode-languageserver';
import { DocumentHighlightKind } from '../protocol.js';
import { createDocumentHandler, type Feature } from '../server-context.js';
import { findSymbolAt, findSymbolLocations } from '../navigation/symbol-locations.js';

export const highlights: Feature = {
  capabilities: () => ({ documentHighlightProvider: true }),
  attach: (server) =>
    server.connection.onDocumentHighlight(
      createDocumentHandler(server, null, (view, { position }): DocumentHighlight[] | null => {
        const found = findSymbolAt(view, position);
        if (found === null) return null;
        return findSymbolLocations(view.project, found.symbol)
          .filter(({ file, form }) => file === view.name && form !== 'file')
          .map(({ range, role }) => ({
            range,
            kind: role === 'declaration' ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
          }));
      }),
    ),
};
