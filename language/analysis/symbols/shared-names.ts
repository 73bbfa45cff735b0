/** Collects names that all definitions share: cache keys, rooms, events. */
import type { SharedKind } from '../../../contract/field-meta.js';
import { toSharedName } from '../shared-names.js';
import { memoize } from '../memoize.js';
import type { Analysis } from '../analysis.js';
import { createSymbolKey, type SymbolCollector, type SymbolId } from '../symbols.js';
import { getLookup } from './lookup.js';
import { locateContent, locateInside } from './locations.js';

export const sharedId = (sort: SharedKind, text: string): SymbolId => ({ sort, within: '', name: toSharedName(text) });

const listDeclared = memoize(
  ({ definitions }: Analysis): ReadonlySet<string> =>
    new Set(
      definitions.flatMap(({ finds }) =>
        finds.sharedNames.flatMap(({ symbol, role, name }) =>
          role === 'declaration' ? [createSymbolKey(sharedId(symbol, name))] : [],
        ),
      ),
    ),
);

export const isDeclaredName = (analysis: Analysis, sort: SharedKind, text: string): boolean =>
  listDeclared(analysis).has(createSymbolKey(sharedId(sort, text)));

export function collectSharedNames(collecting: SymbolCollector): void {
  const { analysis, add } = collecting;
  for (const { doc, finds } of analysis.definitions)
    for (const { symbol, role, name, node } of finds.sharedNames) {
      const spot = { doc, start: node.start, end: node.end };
      const isOwner = !isDeclaredName(analysis, symbol, name) && collectOwner(collecting, symbol, name, spot);
      if (!isOwner) add(sharedId(symbol, name), locateContent(spot), role);
    }
}

/** Entries without a key have the id of their resource, or `id#1` for an actionable. */
function collectOwner(
  { analysis, add }: SymbolCollector,
  symbol: SharedKind,
  name: string,
  spot: Parameters<typeof locateInside>[0],
): boolean {
  if (symbol !== 'cache-key') return false;
  const [id = '', action] = name.split('#');
  const resource = getLookup(analysis).resource(id);
  if (resource === undefined) return false;
  add({ sort: 'resource', within: '', name: id }, locateInside(spot, 0, id.length), 'use');
  if (action !== undefined && resource.actions.some((one) => String(one.id) === action))
    add({ sort: 'action', within: id, name: action }, locateInside(spot, id.length + 1, name.length), 'use');
  return true;
}
