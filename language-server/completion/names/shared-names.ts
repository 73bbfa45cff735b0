/** Name sources: names that all definitions share (cache keys, rooms, events), as other places write them. */
import type { SharedKind } from '../../../contract/field-meta.js';
import type { SharedName } from '../../../language/analysis/facts.js';
import { getDefinitionId, listDefinitions, uniqueNames, type NameSource } from './name-source.js';

/** Declared names first. The text at the cursor is left out. */
export const suggestShared =
  (symbol: SharedKind): NameSource =>
  (place) => {
    const { definition: own, cursor } = place.site;
    const found = listDefinitions(place).flatMap((definition) =>
      definition.finds.sharedNames.flatMap((one) =>
        one.symbol !== symbol || one.name === '' || (definition === own && one.node.start === cursor.token?.start)
          ? []
          : [
              {
                name: one.name,
                role: one.role,
                detail: `${one.role === 'declaration' ? 'of' : 'named in'} ${getDefinitionId(definition)}`,
              },
            ],
      ),
    );
    const listByRole = (wanted: SharedName['role']) => found.filter(({ role }) => role === wanted);
    const known = new Set(listByRole('declaration').map(({ name }) => name));
    const others = listByRole('use').filter(({ name }) => !known.has(name));
    return [...uniqueNames(listByRole('declaration')), ...uniqueNames(others)];
  };
