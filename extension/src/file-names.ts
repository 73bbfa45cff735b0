/** Formats counts, derives file names, and validates typed names. */
import { RESOURCE_PATH } from './generated.js';

/** `1 error`, `2 errors`. */
export const formatCount = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Derives a file name from a path: `notes/:note/done` → `notes-note-done`. */
export const toFileName = (path: string): string =>
  path
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();

/** Returns a message, or null if the path is valid for a resource. */
export function validateResourcePath(path: string): string | null {
  if (path.trim() === '') return 'A name is needed, such as notes/list.';
  if (toFileName(path) === '') return 'At least one letter or digit is needed.';
  return new RegExp(RESOURCE_PATH).test(path)
    ? null
    : 'Letters, digits, "-", "_", "." and "~", with "/" between segments; a segment ":name" stands for any value.';
}

/** Returns a message, or null if the name is valid for a table. */
export const validateTableName = (name: string): string | null =>
  /^[a-z][a-z0-9_]{0,59}$/.test(name) ? null : 'Lower-case letters, digits and "_", with a letter first.';
