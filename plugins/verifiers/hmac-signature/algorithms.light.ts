/** Hash algorithms allowed in definitions, shared by spec and runtime. */
export const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
export const DEFAULT_ALGORITHM: Algorithm = 'sha256';
