/** Variable of the key for blind indexes of encrypted columns. */
export const BLIND_KEY = 'BLIND_INDEX_KEY';
/** Minimum length of its value in bytes. */
export const BLIND_KEY_BYTES = 32;
