/** Go to definition: from a name to its declaration; from a declaration to itself, so that editors offer its references. */
import { join } from 'node:path';
import type { Location } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { documentOrigin } from '../navigation/document-names.js';
import { indexOf, locationOf, nameAt, placesOf } from '../navigation/places.js';

export const definition: Feature = {
  capabilities: () => ({ definitionProvider: true }),
  attach: (desk) =>
    desk.connection.onDefinition(
      answering(desk, null, (view, { position }): Location[] | null => {
        const { project } = view;
        const found = nameAt(view, position);
        if (found === null) {
          const origin = documentOrigin(view, view.offsetAt(position));
          return origin && [{ uri: desk.uriOf(join(project.folder, origin.doc.file)), range: origin.range }];
        }
        // A payload field without a rule is declared by the model field of the same name.
        const symbols = [found.symbol, ...found.symbol.alike.flatMap((key) => indexOf(project).symbols.get(key) ?? [])];
        for (const symbol of symbols) {
          const declared = placesOf(project, symbol).filter(({ role }) => role === 'declaration');
          if (declared.length > 0) return declared.map((place) => locationOf(place, desk.uriOf));
        }
        return null;
      }),
    ),
};
