/** Defaults and limits of uploads. */

/** Files per request. */
export const DEFAULT_COUNT = 5;
/** Bytes per file. */
export const DEFAULT_BYTES = 10_485_760;
/** Removed keys per request. */
export const MAX_KEYS = 1000;
