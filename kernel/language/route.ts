/** Paths of resources: `users/:id/notes`. Splits them; matching is done by whoever listens. */

/** Names of the path parameters, in order. */
export const pathParameters = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));

export const hasParameters = (path: string): boolean => pathParameters(path).length > 0;

/** Two paths of one shape answer the same addresses, whatever their parameters are called. */
export const pathShape = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? ':' : segment))
    .join('/');
