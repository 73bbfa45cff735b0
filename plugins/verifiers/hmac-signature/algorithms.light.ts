/** The hashes that definitions may name. Light: the spec and the runtime read the same list. */
export const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
export const DEFAULT_ALGORITHM: Algorithm = 'sha256';
