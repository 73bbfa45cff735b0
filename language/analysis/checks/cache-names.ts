/** Reports names of cached results that no definition caches: removing them has no effect. */
import { findNearest } from '../../source/suggest.js';
import { parseTemplate } from '../../strings/accessor.js';
import type { SharedName } from '../facts.js';
import type { LinkedResource } from '../linked-resource.js';
import { memoize } from '../memoize.js';
import { createRenameFix, formatHint, type Report } from '../report.js';
import { respellSharedName, toSharedName } from '../shared-names.js';
import type { Blocks } from '../stage-cache.js';

interface CacheNames {
  readonly cached: readonly string[];
  readonly removed: readonly { readonly resource: LinkedResource; readonly found: SharedName }[];
}

export function checkCacheNames(report: Report, resources: Blocks<LinkedResource>): void {
  const removed = resources.flatMap((block) => listCacheNames(block).removed);
  if (removed.length === 0) return;
  const cached = new Set(resources.flatMap((block) => listCacheNames(block).cached));
  const alike = new Map([...cached].map((name) => [toSharedName(name), name]));
  for (const { resource, found } of removed) {
    const { name, node } = found;
    if (alike.has(toSharedName(name)) || [...cached].some((other) => mayBeEqual(name, other))) continue;
    const near = findNearest(toSharedName(name), [...alike.keys()]);
    const spelt = near === undefined ? undefined : (respellSharedName(name, alike.get(near) ?? '') ?? undefined);
    const spot = { doc: resource.definition.doc, start: node.start, end: node.end };
    report.add('LNK_CACHE_NAME', spot, { name, hint: formatHint(spelt) }, createRenameFix(spelt));
  }
}

/** A value may equal a constant text in the same place. */
function mayBeEqual(one: string, other: string): boolean {
  const [parts, others] = [parseTemplate(one), parseTemplate(other)];
  return (
    parts.length === others.length &&
    parts.every((part, i) => typeof part !== 'string' || typeof others[i] !== 'string' || part === others[i])
  );
}

/** Entries without a name have that of their place. */
const listCacheNames = memoize((block: readonly LinkedResource[]): CacheNames => {
  const names = block.flatMap((resource) =>
    resource.definition.finds.sharedNames.flatMap((found) =>
      found.symbol === 'cache-key' ? [{ resource, found }] : [],
    ),
  );
  return {
    cached: [
      ...names.flatMap(({ found: { role, name } }) => (role === 'declaration' ? [name] : [])),
      ...block.flatMap(({ id, actions }) => [id, ...actions.map((action) => `${id}#${action.id}`)]),
    ],
    removed: names.filter(({ found }) => found.role === 'use'),
  };
});
