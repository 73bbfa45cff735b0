/** The format of storage keys, validated when created and received. */

const SEGMENT = '[A-Za-z0-9_-]{1,128}';
const KEY = new RegExp(`^(?:${SEGMENT}/){0,16}${SEGMENT}(?:\\.[a-z0-9]{1,16})?$`);

/** One dot only, before the extension, so that a key cannot traverse directories. */
export const isStorageKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length <= 512 && KEY.test(key);
