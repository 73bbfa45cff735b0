/** Paths of resources: `users/:id/notes`. Splits them; matching is done by whoever listens. */

export interface PathParameter {
  readonly name: string;
  /** Where the name stands in the path, without its colon. */
  readonly start: number;
  readonly end: number;
}

/** The path parameters, in order. */
export const parameterSpans = (path: string): PathParameter[] =>
  [...path.matchAll(/(?<=^|\/):([^/]+)/g)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    start: index + 1,
    end: index + whole.length,
  }));

export const pathParameters = (path: string): string[] => parameterSpans(path).map(({ name }) => name);

export const hasParameters = (path: string): boolean => pathParameters(path).length > 0;

/** The path with a value in the place of each parameter. */
export const fillPath = (path: string, valueOf: (name: string) => string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? valueOf(segment.slice(1)) : segment))
    .join('/');

/** Two paths of one shape answer the same addresses, whatever their parameters are called. */
export const pathShape = (path: string): string => fillPath(path, () => ':');
