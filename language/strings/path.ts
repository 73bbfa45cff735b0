/** Compiles dotted paths into readers of own properties; `undefined` means absent. */
import { isObject, POISON_KEYS } from '../../contract/json.js';

export type PathReader = (root: unknown) => unknown;

/** Segments that could reach a prototype are always absent. */
export function compilePath(segments: readonly string[]): PathReader {
  if (segments.some((segment) => POISON_KEYS.has(segment))) return () => undefined;
  return (root) => {
    let value = root;
    for (const segment of segments) {
      value = readOwn(value, segment);
      if (value === undefined) return undefined;
    }
    return value;
  };
}

function readOwn(value: unknown, segment: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
  return (value as Record<string, unknown>)[segment];
}

/** True if one path is a prefix of the other. */
export function hasOverlap(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.every((segment, at) => segment === long[at]);
}

export const splitPath = (path: string): string[] => path.split('.');

/** Creates missing objects. */
export function writePath(root: Record<string, unknown>, segments: readonly string[], value: unknown): void {
  if (segments.some((segment) => POISON_KEYS.has(segment))) return;
  let target = root;
  for (const segment of segments.slice(0, -1)) {
    const next = Object.hasOwn(target, segment) ? target[segment] : undefined;
    if (isObject(next)) target = next;
    else target = target[segment] = {};
  }
  target[segments.at(-1) ?? ''] = value;
}
