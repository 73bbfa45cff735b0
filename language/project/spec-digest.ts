/** Digest of the specs and kinds in a plugin folder: was a manifest written from them? Runs nothing. */
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

const MAX_DEPTH = 3;
const SPEC = /^(spec|kind)\.m?[jt]s$/;
/** A module of the same plugin, as a spec names it. A comment that looks like this only adds a file. */
const IMPORT = /\b(?:from|import)\s*(?:\(\s*)?(["'])(\.{1,2}\/[^"'\n]+)\1/g;
/** A source may name the file that is compiled from it. */
const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/\.js$/, '.ts'],
  [/\.mjs$/, '.mts'],
];

/** Includes the modules of the folder that specs import. Line ends do not count, because version control may change them. */
export async function createSpecDigest(folder: string): Promise<string> {
  const texts = new Map<string, string>();
  const waiting = await listSpecFiles(folder, '', 0);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (texts.has(name)) continue;
    const text = await readModule(join(folder, name));
    if (text === null) continue;
    texts.set(name, text.replaceAll('\r\n', '\n'));
    waiting.push(...listImports(folder, name, text));
  }
  const hash = createHash('sha256');
  for (const [name, text] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\n${text}\n`);
  return hash.digest('hex');
}

/** Null if it is no ordinary file: reading a device would never end. */
async function readModule(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(() => null);
  return stats?.isFile() === true ? readFile(file, 'utf8') : null;
}

/** Relative to the folder. Runtimes are irrelevant to a manifest. */
async function listSpecFiles(folder: string, below: string, depth: number): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  const names = entries.map(async (entry): Promise<string[]> => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) return SPEC.test(entry.name) ? [name] : [];
    const isSkipped =
      !entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.') || depth >= MAX_DEPTH;
    return isSkipped ? [] : listSpecFiles(folder, name, depth + 1);
  });
  return (await Promise.all(names)).flat();
}

/** Modules outside the folder are left out, as is what a package contains. */
function listImports(folder: string, name: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, , path = '']) => {
    const place = relative(folder, resolve(folder, dirname(name), path))
      .split(sep)
      .join('/');
    if (place.startsWith('../') || place.includes('node_modules/')) return [];
    return [place, ...SOURCES.flatMap(([end, other]) => (end.test(place) ? [place.replace(end, other)] : []))];
  });
}
