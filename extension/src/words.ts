/** Texts that people read or type: counts, and names made of what somebody typed. */
import { RESOURCE_PATH } from './generated.js';

/** `1 error`, `2 errors`. */
export const countOf = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** What a file of this path is called: `notes/:note/done` is `notes-note-done`. */
export const fileNameOf = (path: string): string =>
  path
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();

/** Null when the path of a resource may be this. */
export function pathMistake(path: string): string | null {
  if (path.trim() === '') return 'A name is needed, such as notes/list.';
  if (fileNameOf(path) === '') return 'At least one letter or digit is needed.';
  return new RegExp(RESOURCE_PATH).test(path)
    ? null
    : 'Letters, digits, "-", "_", "." and "~", with "/" between segments; a segment ":name" stands for any value.';
}

/** Null when a table may be called this. */
export const tableMistake = (name: string): string | null =>
  /^[a-z][a-z0-9_]{0,59}$/.test(name) ? null : 'Lower-case letters, digits and "_", with a letter first.';
