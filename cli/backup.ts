/** `lintel backup`: copies local data atomically. A second pass, with stores held, copies what changed. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Fault } from '../contract/fault.js';
import { isFolder, listStoredParts, type StoredPart } from './stored-parts.js';
import type { CommandOptions } from './options.js';
import {
  DamagedBackupError,
  createPartEntry,
  MANIFEST,
  formatBackupManifest,
  verifyCopy,
  type PartEntry,
} from './backup-manifest.js';
import { listEntries, mirrorFolder, syncFolder, type Copies } from './mirror.js';
import type { Terminal } from './terminal.js';
import { readPackageFile } from '../language/project/package-folder.js';

export async function runBackup(options: CommandOptions, terminal: Terminal): Promise<number> {
  const [name] = options.arguments;
  const { stdout, stderr } = terminal;
  const failWith = (text: string, code = 1): number => {
    stderr.write(`${text}\n`);
    return code;
  };
  if (name === undefined) return failWith('Which folder? lintel backup <folder>', 2);
  const target = resolve(terminal.cwd, name);
  try {
    if (options.verify) {
      const { parts, made } = await verifyCopy(target);
      stdout.write(`valid: ${formatPartCounts(parts)}, created ${made}\n`);
      return 0;
    }
    const kept = await listStoredParts('backup', options, terminal);
    if (typeof kept === 'number') return kept;
    stderr.write(kept.elsewhere.join(''));
    const here: StoredPart[] = [];
    for (const part of kept.here) if (await isFolder(part.folder)) here.push(part);
    if (here.length === 0) return failWith('There is no data on this machine to copy.');
    const around = here.find(({ folder }) => `${target}${sep}`.startsWith(`${folder}${sep}`));
    if (around !== undefined) return failWith(`"${name}" is inside "${around.folder}", which is to be copied.`);
    const { files, folders } = await listEntries(target);
    if (files.length + folders.length > 0) return failWith(`"${name}" already contains files.`);
    stdout.write(`${name}: ${formatPartCounts(await copy(here, target))}\n`);
    return 0;
  } catch (error) {
    if (error instanceof DamagedBackupError) return failWith(`"${name}" is damaged: ${error.message}.`);
    if (error instanceof Fault) return failWith(`Nothing was copied: ${String(error.params['reason'] ?? error.code)}.`);
    throw error;
  }
}

function formatPartCounts(parts: readonly PartEntry[]): string {
  const files = parts.flatMap((part) => Object.values(part.files));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return `${parts.map(({ part }) => part).join(', ')}; ${files.length} files, ${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** Encodes instance names, because users choose them. */
const toFolderName = (part: string): string => encodeURIComponent(part.replaceAll(':', '-'));

async function copy(here: readonly StoredPart[], target: string): Promise<readonly PartEntry[]> {
  // Renamed when complete; the next attempt removes a leftover.
  const unfinished = join(dirname(target), `${basename(target)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    const rounds = here.map((part) => ({
      ...part,
      to: join(unfinished, toFolderName(part.part)),
      copies: new Map() as Copies,
    }));
    const mirrorParts = async (): Promise<void> => {
      for (const { folder, to, without = [], copies } of rounds) await mirrorFolder(folder, to, without, copies);
    };
    await mirrorParts();
    await runWithStoresHeld(here, mirrorParts);
    const entries: PartEntry[] = [];
    for (const { part, plugin } of here)
      entries.push(await createPartEntry(unfinished, { part, plugin, folder: toFolderName(part) }));
    await writeFile(join(unfinished, MANIFEST), formatBackupManifest(readPackageFile().version, entries), {
      mode: 0o600,
      flush: true,
    });
    await syncFolder(unfinished);
    await rename(unfinished, target);
    await syncFolder(dirname(target));
    return entries;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** While all stores are held; throws if holding or releasing one fails. */
async function runWithStoresHeld(here: readonly StoredPart[], work: () => Promise<void>): Promise<void> {
  const releases: (() => Promise<void>)[] = [];
  try {
    for (const { hold } of here) if (hold !== undefined) releases.push(await hold());
    await work();
  } catch (error) {
    await Promise.allSettled(releases.map((release) => release()));
    throw error;
  }
  for (const release of releases) await release();
}
