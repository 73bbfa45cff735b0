/** Packs the extension's folder into a .vsix; `.vscodeignore` lists the excluded files. */
import { createVSIX } from '@vscode/vsce';
import { EXTENSION } from './places.js';

/** The bundles contain all dependencies, so packing skips the dependency search. */
export const pack = (file: string, folder = EXTENSION): Promise<void> =>
  createVSIX({ cwd: folder, packagePath: file, dependencies: false, allowMissingRepository: true });
