/** Converts between file names and URIs. */
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
