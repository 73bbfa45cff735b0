/** The form of every key of a stored file: whoever makes one, and whoever is handed one, holds it against this. */

const SEGMENT = '[A-Za-z0-9_-]{1,128}';
const KEY = new RegExp(`^(?:${SEGMENT}/){0,16}${SEGMENT}(?:\\.[a-z0-9]{1,16})?$`);

/** No dots but the one before the extension, no empty level, no escape: a key can lead nowhere else. */
export const isStorageKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length <= 512 && KEY.test(key);
