/** What spec and runtime both know of revoking. Light. */

/** Of one request. Judging costs some microseconds each. */
export const MAX_TOKENS = 1000;
