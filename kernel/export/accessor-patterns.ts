/**
 * The accessor grammar as regular expressions, for schemas. `kernel/language/accessor.ts` is what counts; the patterns
 * only tell what it would find, and which of that no plugin knows.
 */
import { asText } from '../contract/json.js';
import { Slot } from '../contract/slot.js';
import { VARIABLES } from '../language/accessor.js';
import type { Registry } from '../analysis/registry.js';

/** The upper-case word ends where no more of it and no lower-case letter follows. */
const END = '(?![A-Za-z0-9_])';
const PLUGIN_TAIL = 'plugin:';

/** A dollar sign that may begin an accessor: not that of `$$ROOT`. Without looking behind, which not every reader can. */
const SIGN = `(?:(?:^|[^$])\\$|\\$\\$(?!(?:${[...VARIABLES].join('|')})${END}))`;

/** A text with at least one accessor in it. */
export const accessorPattern = `${SIGN}[A-Z][A-Z0-9_]*${END}`;

/** A text with an accessor that nobody knows: another root than `roots` (all known ones), or a plugin that is not there. */
export function wrongAccessorPattern(registry: Registry, roots: readonly string[] | undefined): string {
  const known = registry
    .kindsIn(Slot.ACCESSOR)
    .flatMap(({ kind }) => registry.names(kind).map((name) => ({ name, spec: registry.plugin(kind, name) })))
    .filter(({ name }) => roots?.includes(name) ?? true);
  const listed = known.map(({ name }) => name).join('|');
  const unknown = listed === '' ? accessorPattern : `${SIGN}(?!(?:${listed})${END})[A-Z][A-Z0-9_]*${END}`;
  const tails = known.flatMap(({ name, spec }) => {
    const tail = asText(spec?.facts?.['tail']);
    if (!tail.startsWith(PLUGIN_TAIL)) return [];
    const names = registry.names(tail.slice(PLUGIN_TAIL.length)).join('|');
    return names === '' ? [] : [`\\$${name}${END}(?!\\.(?:${names})(?![A-Za-z0-9_-]))`];
  });
  return [unknown, ...tails].join('|');
}
