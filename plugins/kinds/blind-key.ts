/** The variable under which indexes of encrypted columns are made. Data only: checks and statements name the same one. */
export const BLIND_KEY = 'BLIND_INDEX_KEY';
/** Least length of its value. */
export const BLIND_KEY_BYTES = 32;
