/** Paths of the repository. These modules run from `dist/extension/tools`, hence three levels up. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const EXTENSION = join(ROOT, 'extension');
export const VSIX = join(ROOT, 'dist', 'lintel.vsix');
