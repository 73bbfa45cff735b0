/**
 * The accessor grammar as regular expressions for JSON Schemas. `language/strings/accessor.ts` is authoritative; the patterns only
 * approximate it.
 */
import { asText } from '../../contract/json.js';
import { Slot } from '../../contract/slot.js';
import { VARIABLES } from '../strings/accessor.js';
import type { Registry } from '../analysis/registry.js';

/** End of the upper-case root: no letter, digit or underscore follows. */
const END = '(?![A-Za-z0-9_])';
const PLUGIN_TAIL = 'plugin:';

/**
 * A dollar sign that may start an accessor, unlike that of `$$ROOT`. Avoids lookbehind, which not every regex engine supports.
 */
const SIGN = `(?:(?:^|[^$])\\$|\\$\\$(?!(?:${[...VARIABLES].join('|')})${END}))`;

/** Matches text with at least one accessor. */
export const accessorPattern = `${SIGN}[A-Z][A-Z0-9_]*${END}`;

/** Matches an invalid accessor: a root outside `roots` (default: all known), or an unknown plugin name. */
export function createInvalidAccessorPattern(registry: Registry, roots: readonly string[] | undefined): string {
  const known = registry
    .listKinds(Slot.ACCESSOR)
    .flatMap(({ kind }) => registry.names(kind).map((name) => ({ name, spec: registry.plugin(kind, name) })))
    .filter(({ name }) => roots?.includes(name) ?? true);
  // `$SAVED` of tests is no plugin.
  const listed = (roots ?? known.map(({ name }) => name)).join('|');
  const unknown = listed === '' ? accessorPattern : `${SIGN}(?!(?:${listed})${END})[A-Z][A-Z0-9_]*${END}`;
  const tails = known.flatMap(({ name, spec }) => {
    const tail = asText(spec?.facts?.['tail']);
    if (!tail.startsWith(PLUGIN_TAIL)) return [];
    const names = registry.names(tail.slice(PLUGIN_TAIL.length)).join('|');
    return names === '' ? [] : [`\\$${name}${END}(?!\\.(?:${names})(?![A-Za-z0-9_-]))`];
  });
  return [unknown, ...tails].join('|');
}
