/** Limits shared by spec and runtime. */

/** Maximum per request; verifying one token takes microseconds. */
export const MAX_TOKENS = 1000;
