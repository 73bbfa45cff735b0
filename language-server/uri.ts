/** Converts between file names and URIs. */
import { fileURLToPath, pathToFileURL } from 'node:url';

export const uriOf = (name: string): string => pathToFileURL(name).href;

/**
 * Returns null if the URI is not a file (unsaved buffer, version control revision). Normalizes Windows drives to lower case,
 * because editors spell them differently (`file:///c%3A/...`).
 */
export function nameOfUri(uri: string, windows = process.platform === 'win32'): string | null {
  try {
    const name = fileURLToPath(uri, { windows });
    return windows ? name.replace(/^[A-Z](?=:)/, (drive) => drive.toLowerCase()) : name;
  } catch {
    return null;
  }
}
