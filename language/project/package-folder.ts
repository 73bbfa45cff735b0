/** Files of this package, from a module or a bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder above a module that has a `package.json`. */
export function findPackageFolder(moduleUrl: string): string {
  let folder = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`no package.json above ${moduleUrl}`);
    folder = above;
  }
  return folder;
}

/** Below the folder of the package. Each is an entry of `cli/bundle.ts`. */
export const SCRATCH_WORKER = 'dist/bundle/scratch-worker.js';

export interface PackageFile {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** The versions that a project installs. */
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Reads the `package.json` of Lintel. */
export const readPackageFile = (): PackageFile =>
  JSON.parse(readFileSync(join(findPackageFolder(import.meta.url), 'package.json'), 'utf8')) as PackageFile;
