/** Paths into plain data: dotted names and indexes, compiled to a reader. Own properties only; `undefined` is absence. */
import { POISON_KEYS } from '../contract/json.js';

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

export const splitPath = (path: string): string[] => path.split('.');
