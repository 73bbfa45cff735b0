/**
 * Paths into plain data, through lists to every item: finds values, or returns a changed copy. Unchanged parts keep
 * their identity.
 */
import { POISON_KEYS } from '../../../contract/json.js';

export type Change = (value: unknown) => unknown;

export interface PathMatch {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Only indexes of a list: `length` is a field of its items. */
function hasStep(value: object, segment: string): boolean {
  if (Array.isArray(value) && !/^\d+$/.test(segment)) return false;
  return Object.hasOwn(value, segment) && !POISON_KEYS.has(segment);
}

const stepInto = (value: object, segment: string): unknown => (value as Readonly<Record<string, unknown>>)[segment];

/** Matches in the order of the data; empty when the path does not exist. */
export function findPathMatches(
  value: unknown,
  path: readonly string[],
  from = 0,
  before: readonly string[] = [],
): PathMatch[] {
  const segment = path[from];
  if (segment === undefined) return [{ path: before, value }];
  if (typeof value !== 'object' || value === null) return [];
  if (hasStep(value, segment)) return findPathMatches(stepInto(value, segment), path, from + 1, [...before, segment]);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) => findPathMatches(item, path, from, [...before, String(index)]));
}

/** `from`: index of the first segment. A path that does not exist changes nothing. */
export function changeAt(value: unknown, path: readonly string[], change: Change, from = 0): unknown {
  const segment = path[from];
  if (segment === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (hasStep(value, segment)) {
    const old = stepInto(value, segment);
    const next = changeAt(old, path, change, from + 1);
    if (next === old) return value;
    return Array.isArray(value)
      ? (value as readonly unknown[]).with(Number(segment), next)
      : { ...value, [segment]: next };
  }
  return Array.isArray(value) ? changeItems(value as readonly unknown[], path, change, from) : value;
}

function changeItems(items: readonly unknown[], path: readonly string[], change: Change, from: number): unknown {
  let out: unknown[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = changeAt(item, path, change, from);
    if (next !== item) (out ??= [...items])[index] = next;
  }
  return out ?? items;
}
