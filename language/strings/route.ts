/** Splits resource paths such as `users/:id/notes`; the HTTP layer matches them. */

export interface PathParameter {
  readonly name: string;
  /** Without the colon. */
  readonly start: number;
  readonly end: number;
}

export function listParameterSpans(path: string): PathParameter[] {
  if (!path.includes(':')) return [];
  return [...path.matchAll(/(?<=^|\/):([^/]+)/g)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    start: index + 1,
    end: index + whole.length,
  }));
}

export const listPathParameters = (path: string): string[] => listParameterSpans(path).map(({ name }) => name);

export const hasParameters = (path: string): boolean => listPathParameters(path).length > 0;

export const fillPath = (path: string, valueOf: (name: string) => string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? valueOf(segment.slice(1)) : segment))
    .join('/');

/** Paths with the same shape match the same URLs. */
export const toPathShape = (path: string): string => fillPath(path, () => ':');

/** Normalizes percent escapes; null for invalid ones. */
export function normalizeEscapes(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return null;
  }
}

/** Fixed text precedes a parameter at the first segment of different kinds. */
export function compareSpecificity(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  if (left.length !== right.length) return left.length - right.length;
  const differs = left.findIndex((segment, index) => isParameter(segment) !== isParameter(right[index] ?? ''));
  return differs === -1 ? 0 : isParameter(left[differs] ?? '') ? 1 : -1;
}

const isParameter = (segment: string): boolean => segment.startsWith(':');

/** Removes a final slash. Returns '' for invalid escapes. */
export function normalizeFixedPath(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!bare.includes('%')) return bare;
  // An escaped slash is part of a value, not a separator.
  if (/%2f/i.test(bare)) return '';
  try {
    return decodeURIComponent(bare);
  } catch {
    return '';
  }
}
