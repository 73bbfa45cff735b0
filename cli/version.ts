/** Reads the version of this package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageFolder } from '../language/project/package-folder.js';

export function readPackageVersion(): string {
  const text = readFileSync(join(findPackageFolder(import.meta.url), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
