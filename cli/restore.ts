/**
 * `lintel restore`: stages the copy next to its target, then replaces folders. A store does not start while a staged
 * copy exists.
 */
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Fault } from '../contract/fault.js';
import { RESTORING } from '../contract/local-data.js';
import { listStoredParts, type StoredPart } from './stored-parts.js';
import type { CommandOptions } from './options.js';
import { DamagedBackupError, verifyCopy, type PartEntry } from './backup-manifest.js';
import { digestFile, runForEach, mirrorFolder, syncFolder } from './mirror.js';
import type { Terminal } from './terminal.js';

interface Move {
  readonly part: StoredPart;
  readonly entry: PartEntry;
}

export async function runRestore(options: CommandOptions, terminal: Terminal): Promise<number> {
  const [name] = options.arguments;
  const { stdout, stderr } = terminal;
  const failWith = (text: string, code = 1): number => {
    stderr.write(`${text}\n`);
    return code;
  };
  if (name === undefined) return failWith('Which folder? lintel restore <folder>', 2);
  const copy = resolve(terminal.cwd, name);
  const locks: (() => Promise<void>)[] = [];
  try {
    const kept = await listStoredParts('restore', options, terminal);
    if (typeof kept === 'number') return kept;
    stderr.write(kept.elsewhere.join(''));
    const { parts } = await verifyCopy(copy);
    const moves: Move[] = [];
    for (const entry of parts) {
      const part = kept.here.find((one) => one.part === entry.part && one.plugin === entry.plugin);
      if (part === undefined)
        return failWith(`The copy contains ${entry.part} (${entry.plugin}), which the config does not store.`);
      moves.push({ part, entry });
    }
    for (const { part } of moves) if (part.lock !== undefined) locks.push(await part.lock());
    for (const { part } of moves)
      if (!options.replace && (await listNames(part.folder)).length > 0)
        return failWith(`"${part.folder}" is not empty; with --replace it is renamed and kept.`);
    for (const { part, entry } of moves) await stagePart(join(copy, entry.folder), part.folder + RESTORING, entry);
    const suffix = `.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    // Parts with locks move last, after those they depend on.
    moves.sort((a, b) => Number(a.part.lock !== undefined) - Number(b.part.lock !== undefined));
    for (const { part } of moves) {
      const aside = await replaceFolder(part.folder, suffix);
      const formatPath = (path: string): string => relative(terminal.cwd, path);
      stdout.write(
        `${part.part}: ${formatPath(part.folder)}${aside === null ? '' : `, previous files are in ${formatPath(aside)}`}\n`,
      );
    }
    return 0;
  } catch (error) {
    if (error instanceof DamagedBackupError)
      return failWith(`"${name}" is damaged: ${error.message}. Nothing was changed.`);
    if (error instanceof Fault)
      return failWith(`Nothing was changed: ${String(error.params['reason'] ?? error.code)}.`);
    throw error;
  } finally {
    for (const unlock of locks) await unlock();
  }
}

const listNames = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Copies next to the target and verifies what was written. */
async function stagePart(from: string, to: string, { files }: PartEntry): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mirrorFolder(from, to, [], new Map());
  await runForEach(Object.entries(files), async ([file, { sha256 }]) => {
    const now = await digestFile(join(to, file), true);
    if (now.sha256 !== sha256) throw new DamagedBackupError(`${file} changed while it was copied`);
  });
}

/** Where the previous content is now; null if there was none. */
async function replaceFolder(folder: string, suffix: string): Promise<string | null> {
  const aside = (await listNames(folder)).length > 0 ? folder + suffix : null;
  if (aside !== null) await rename(folder, aside);
  else await rmdir(folder).catch(() => undefined);
  await rename(folder + RESTORING, folder);
  await syncFolder(dirname(folder));
  return aside;
}
