/** Where things lie. These files run from `dist/extension/tools`, and the sources stand beside `dist`. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const EXTENSION = join(ROOT, 'extension');
export const VSIX = join(ROOT, 'dist', 'lintel.vsix');
