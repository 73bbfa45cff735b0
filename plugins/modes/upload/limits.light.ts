/** What holds of an upload where the definition says nothing else, and what always holds. Light. */

/** Files of one request. */
export const DEFAULT_COUNT = 5;
/** Bytes of one file. */
export const DEFAULT_BYTES = 10_485_760;
/** Keys that one request may remove. */
export const MAX_KEYS = 1000;
