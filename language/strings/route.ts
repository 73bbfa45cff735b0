/** Splits resource paths such as `users/:id/notes`; the HTTP layer matches them. */

export interface PathParameter {
  readonly name: string;
  /** Without the colon. */
  readonly start: number;
  readonly end: number;
}

export const listParameterSpans = (path: string): PathParameter[] =>
  [...path.matchAll(/(?<=^|\/):([^/]+)/g)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    start: index + 1,
    end: index + whole.length,
  }));

export const listPathParameters = (path: string): string[] => listParameterSpans(path).map(({ name }) => name);

export const hasParameters = (path: string): boolean => listPathParameters(path).length > 0;

export const fillPath = (path: string, valueOf: (name: string) => string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? valueOf(segment.slice(1)) : segment))
    .join('/');

/** Paths with the same shape match the same URLs. */
export const toPathShape = (path: string): string => fillPath(path, () => ':');
