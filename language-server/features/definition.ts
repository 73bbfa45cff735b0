/** From a name to its declaration; from a declaration to itself, so that editors offer references. */
import { join } from 'node:path';
import type { Location } from 'vscode-languageserver';
import { createDocumentHandler, type Feature } from '../server-context.js';
import { findDocumentOrigin } from '../navigation/document-names.js';
import { getSymbolIndex, toLspLocation, findSymbolAt, findSymbolLocations } from '../navigation/symbol-locations.js';

export const definition: Feature = {
  capabilities: () => ({ definitionProvider: true }),
  attach: (server) =>
    server.connection.onDefinition(
      createDocumentHandler(server, null, (view, { position }): Location[] | null => {
        const { project } = view;
        const found = findSymbolAt(view, position);
        if (found === null) {
          const origin = findDocumentOrigin(view, view.offsetAt(position));
          return origin && [{ uri: server.toClientUri(join(project.folder, origin.doc.file)), range: origin.range }];
        }
        // A payload field without a rule is declared by the model field of the same name.
        const alike = found.symbol.alike.flatMap((key) => getSymbolIndex(project).symbols.get(key) ?? []);
        // Where tokens get a claim, the definition is that of the value in it.
        const symbols = found.place.form === 'issued' ? [...alike, found.symbol] : [found.symbol, ...alike];
        for (const symbol of symbols) {
          const declared = findSymbolLocations(project, symbol).filter(({ role }) => role === 'declaration');
          if (declared.length > 0) return declared.map((place) => toLspLocation(place, server.toClientUri));
        }
        return null;
      }),
    ),
};
