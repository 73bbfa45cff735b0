/** Digest of the specs and kinds in a plugin folder: was a manifest written from them? Runs nothing. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_DEPTH = 3;

/** Line ends do not count, because version control may change them. */
export async function createSpecDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of await listSpecFiles(folder, '', 0))
    hash.update(`${name}\n${(await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')}\n`);
  return hash.digest('hex');
}

/** Sorted, relative to the folder. Runtimes are irrelevant to a manifest. */
async function listSpecFiles(folder: string, below: string, depth: number): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  const names = entries.map(async (entry): Promise<string[]> => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) return /^(spec|kind)\.m?[jt]s$/.test(entry.name) ? [name] : [];
    const isSkipped =
      !entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.') || depth >= MAX_DEPTH;
    return isSkipped ? [] : listSpecFiles(folder, name, depth + 1);
  });
  return (await Promise.all(names)).flat().sort();
}
