/** Follows an extracted name to the results that it comes from. */
import { findExtraction, listSourceKeys } from './checks/uses.js';
import type { LinkedResource } from './linked-resource.js';
import { isInside } from './report.js';

type Path = readonly string[];

/** The path that selects the whole result. */
const WHOLE = 'self_';

export const dropIndexes = (path: Path): Path => path.filter((segment) => !/^\d+$/.test(segment));

/** The actionables that may provide the value at `path`, and its path in their results. */
export const listExtractedFrom = (
  resource: LinkedResource,
  [root = '', ...rest]: Path,
): readonly { readonly key: string; readonly path: Path }[] =>
  resource.definition.finds.declarations.flatMap(({ symbol, name, spot }) => {
    if (symbol !== 'name' || name !== root) return [];
    const user = resource.actions.find(({ node }) => isInside(spot, node));
    const reference = findExtraction(resource, spot);
    if (user === undefined || reference === undefined) return [];
    const path = dropIndexes([...String(reference.name).split('.'), ...rest]).filter((segment) => segment !== WHOLE);
    return listSourceKeys(user, reference).map((key) => ({ key, path }));
  });
