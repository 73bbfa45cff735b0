/** JWT algorithms allowed in definitions, shared by spec and runtime. */
export const ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'EdDSA'] as const;
export const DEFAULT_ALGORITHM = 'HS256';

export const isShared = (algorithm: string): boolean => algorithm.startsWith('HS');

/** A key shorter than the hash is weaker than the algorithm (RFC 7518, 3.2). */
export const getMinKeyBytes = (algorithm: string): number => Number(algorithm.slice(2)) / 8;
