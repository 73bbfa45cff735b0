/** The .vsix out of the extension's folder as it is; `.vscodeignore` says what stays out. */
import { createVSIX } from '@vscode/vsce';
import { EXTENSION } from './places.js';

/** The bundles hold what they need, so no package is looked for. */
export const pack = (file: string, folder = EXTENSION): Promise<void> =>
  createVSIX({ cwd: folder, packagePath: file, dependencies: false, allowMissingRepository: true });
