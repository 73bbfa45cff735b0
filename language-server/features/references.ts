/** Finds all references to the name at the cursor, across files. */
import type { Location } from 'vscode-languageserver';
import { createDocumentHandler, type Feature } from '../server-context.js';
import { toLspLocation, findSymbolAt, findSymbolLocations } from '../navigation/symbol-locations.js';

export const references: Feature = {
  capabilities: () => ({ referencesProvider: true }),
  attach: (server) =>
    server.connection.onReferences(
      createDocumentHandler(server, null, (view, { position, context }): Location[] | null => {
        const found = findSymbolAt(view, position);
        if (found === null) return null;
        return findSymbolLocations(view.project, found.symbol)
          .filter(({ role }) => context.includeDeclaration || role === 'use')
          .map((place) => toLspLocation(place, server.toClientUri));
      }),
    ),
};
