/** What spec and runtime both know of `ciphers`. Light. */

export const DEFAULT_ENCODING = 'Base64';
/** Before everything that looks at the result, such as `verify_hashables`. */
export const BEFORE_OTHERS = -200;
