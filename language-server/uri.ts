/** Between the names of files and the addresses that editors give them. */
import { fileURLToPath, pathToFileURL } from 'node:url';

export const uriOf = (name: string): string => pathToFileURL(name).href;

/**
 * Null for what is no file: an unsaved buffer, a revision of a version control system. Drives of Windows have one spelling,
 * whatever letter and whatever signs an editor writes (`file:///c%3A/...`).
 */
export function nameOfUri(uri: string, windows = process.platform === 'win32'): string | null {
  try {
    const name = fileURLToPath(uri, { windows });
    return windows ? name.replace(/^[A-Z](?=:)/, (drive) => drive.toLowerCase()) : name;
  } catch {
    return null;
  }
}
