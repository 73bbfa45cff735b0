/** Paths into plain data: dotted names and indexes, compiled to a reader. Own properties only; `undefined` is absence. */
import { isObject, POISON_KEYS } from '../contract/json.js';

export type PathReader = (root: unknown) => unknown;

/** Segments that could reach a prototype read as absent, whatever the data holds. */
export function compilePath(segments: readonly string[]): PathReader {
  if (segments.some((segment) => POISON_KEYS.has(segment))) return () => undefined;
  const [only] = segments;
  if (only !== undefined && segments.length === 1) return (root) => readOwn(root, only);
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

/** Whether one of two paths leads into what the other names. */
export function overlap(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.every((segment, at) => segment === long[at]);
}

export const splitPath = (path: string): string[] => path.split('.');

/** Puts a value where `compilePath` of the same segments finds it, with new objects on the way. */
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
