/** The manifest of a `lintel backup` copy: its parts, and size and digest of every file. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestFile, runForEach, listEntries, type FileEntry } from './mirror.js';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

export interface PartEntry {
  /** Plugin kind and instance, e.g. `dialect:main`. */
  readonly part: string;
  readonly plugin: string;
  readonly folder: string;
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, FileEntry>>;
}

export interface CopyManifest {
  readonly format: number;
  readonly lintel: string;
  readonly made: string;
  readonly parts: readonly PartEntry[];
}

/** The copy is incomplete or damaged; `message` says how. */
export class DamagedBackupError extends Error {}

const hashManifest = (manifest: CopyManifest): string =>
  createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

export function formatBackupManifest(lintel: string, parts: readonly PartEntry[]): string {
  const manifest: CopyManifest = { format: FORMAT, lintel, made: new Date().toISOString(), parts };
  return `${JSON.stringify({ sha256: hashManifest(manifest), manifest }, null, 1)}\n`;
}

/** Also syncs the files to disk. */
export async function createPartEntry(
  copy: string,
  { part, plugin, folder }: Omit<PartEntry, 'files' | 'folders'>,
): Promise<PartEntry> {
  const { files, folders } = await listEntries(join(copy, folder));
  const entries = new Map<string, FileEntry>();
  await runForEach(files, async (file) => void entries.set(file, await digestFile(join(copy, folder, file), true)));
  return { part, plugin, folder, folders, files: Object.fromEntries([...entries].sort()) };
}

/** Returns the manifest if every file of the copy matches it. Throws DamagedCopy. */
export async function verifyCopy(copy: string): Promise<CopyManifest> {
  const manifest = await readManifest(copy);
  const expected = new Map<string, FileEntry>(
    manifest.parts.flatMap(({ folder, files }) =>
      Object.entries(files).map(([file, entry]) => [`${folder}/${file}`, entry] as const),
    ),
  );
  const folders = manifest.parts.flatMap((one) => [one.folder, ...one.folders.map((name) => `${one.folder}/${name}`)]);
  const found = await listEntries(copy, [MANIFEST]);
  const missing = [...expected.keys()].find((file) => !found.files.includes(file));
  const foreign = [...found.others, ...found.files.filter((file) => !expected.has(file))][0];
  if (missing !== undefined) throw new DamagedBackupError(`the file ${missing} is missing`);
  if (foreign !== undefined) throw new DamagedBackupError(`${foreign} is not in its manifest`);
  const gone = folders.find((folder) => !found.folders.includes(folder));
  if (gone !== undefined) throw new DamagedBackupError(`the folder ${gone} is missing`);
  await runForEach([...expected], async ([file, { size, sha256 }]) => {
    const now = await digestFile(join(copy, file));
    if (now.size !== size) throw new DamagedBackupError(`${file} has ${now.size} bytes instead of ${size}`);
    if (now.sha256 !== sha256) throw new DamagedBackupError(`${file} differs from the copied file`);
  });
  return manifest;
}

async function readManifest(copy: string): Promise<CopyManifest> {
  const text = await readFile(join(copy, MANIFEST), 'utf8').catch(() => null);
  if (text === null) throw new DamagedBackupError(`it has no ${MANIFEST}`);
  try {
    const { sha256, manifest } = JSON.parse(text) as { readonly sha256: unknown; readonly manifest: CopyManifest };
    if (sha256 === hashManifest(manifest) && manifest.format === FORMAT) return manifest;
  } catch {
    // Falls through to the error below.
  }
  throw new DamagedBackupError(`${MANIFEST} is damaged, or of another version of Lintel`);
}
