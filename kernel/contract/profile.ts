/** The profile of the config: whether definitions, clients and variables are those of the earlier system. */

/** What that changes is said where it does. */
export const isSub0 = (profile: string | null): boolean => profile === 'sub0';

/** The media type of problems: clients of the earlier system read `application/json` alone. */
export const problemTypeOf = (profile: string | null): string =>
  isSub0(profile) ? 'application/json' : 'application/problem+json';
