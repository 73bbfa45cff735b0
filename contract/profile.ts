/** The profile of the config: `sub0` makes definitions, clients and variables compatible with the earlier system. */

export const isSub0 = (profile: string | null): boolean => profile === 'sub0';

/** Clients of the earlier system read `application/json` only. */
export const getProblemType = (profile: string | null): string =>
  isSub0(profile) ? 'application/json' : 'application/problem+json';
