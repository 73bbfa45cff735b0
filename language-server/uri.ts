/** Converts between file names and URIs. */
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const toFileUri = (name: string): string => pathToFileURL(name).href;

/** Null if the URI is not a file. Windows drives become lower case, because editors differ. */
export function toFilePath(uri: string, windows = process.platform === 'win32'): string | null {
  try {
    const name = fileURLToPath(uri, { windows });
    return windows ? name.replace(/^[A-Z](?=:)/, (drive) => drive.toLowerCase()) : name;
  } catch {
    return null;
  }
}

/** Of no file on disk. */
const UNTITLED_FOLDER = '.untitled';

/** Nothing is wrong in a new document before something is typed. */
export const isNewDocument = (name: string, text: string | undefined): boolean =>
  text?.trim() === '' && basename(dirname(name)) === UNTITLED_FOLDER;

/** The name that an unsaved document has in a project; null for other URIs. */
export function toUntitledName(uri: string, folder: string): string | null {
  const [, path] = /^untitled:(.+)$/.exec(uri) ?? [];
  return path === undefined ? null : join(folder, UNTITLED_FOLDER, path.slice(path.lastIndexOf('/') + 1));
}
