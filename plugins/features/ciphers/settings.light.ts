/** Constants shared by spec and runtime of `ciphers`. */

export const DEFAULT_ENCODING = 'Base64';
/** Before all steps that read the result, such as `verify_hashables`. */
export const BEFORE_OTHERS = -200;
