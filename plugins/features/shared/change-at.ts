/**
 * Plain data with the values at a path changed: through lists, each item. What is not changed is the same object as before,
 * and what is given is never written to.
 */
import { POISON_KEYS } from '../../../kernel/contract/json.js';

export type Change = (value: unknown) => unknown;

/** `from`: the segment to begin at. A path that leads nowhere changes nothing. */
export function changeAt(value: unknown, path: readonly string[], change: Change, from = 0): unknown {
  const segment = path[from];
  if (segment === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, segment) && !POISON_KEYS.has(segment)) {
    const old = (value as Readonly<Record<string, unknown>>)[segment];
    const next = changeAt(old, path, change, from + 1);
    if (next === old) return value;
    return Array.isArray(value)
      ? (value as readonly unknown[]).with(Number(segment), next)
      : { ...value, [segment]: next };
  }
  return Array.isArray(value) ? eachItem(value as readonly unknown[], path, change, from) : value;
}

function eachItem(items: readonly unknown[], path: readonly string[], change: Change, from: number): unknown {
  let out: unknown[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = changeAt(item, path, change, from);
    if (next !== item) (out ??= [...items])[index] = next;
  }
  return out ?? items;
}
