/** Finds all references to the name at the cursor, across files. */
import type { Location } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { locationOf, nameAt, placesOf } from '../navigation/places.js';

export const references: Feature = {
  capabilities: () => ({ referencesProvider: true }),
  attach: (desk) =>
    desk.connection.onReferences(
      answering(desk, null, (view, { position, context }): Location[] | null => {
        const found = nameAt(view, position);
        if (found === null) return null;
        return placesOf(view.project, found.symbol)
          .filter(({ role }) => context.includeDeclaration || role === 'use')
          .map((place) => locationOf(place, desk.uriOf));
      }),
    ),
};
