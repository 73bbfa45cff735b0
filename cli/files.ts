/** File access for the commands; failures are reported as catalogue errors. */
import { constants } from 'node:fs';
import { mkdir, open, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { BootError } from '../contract/boot-error.js';

/** `what`: e.g. "it cannot be read"; the system's error code is appended. */
export function createFileError(file: string, what: string, error: unknown): BootError {
  const { code = 'no reason given' } = error as NodeJS.ErrnoException;
  return new BootError('CLI_FILE', { file, what: `${what} (${code})` }, error);
}

/** Null if the file does not exist. */
export async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw createFileError(file, 'it cannot be read', error);
  }
}

export async function writeText(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw createFileError(file, 'it cannot be written', error);
  }
}

/** Creates the file with mode 0600. Rejects symbolic links, which may point elsewhere. */
export async function appendPrivateFile(file: string, text: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    // O_NOFOLLOW does not exist on every platform.
    const flags = O_WRONLY | O_APPEND | O_CREAT | ((O_NOFOLLOW as number | undefined) ?? 0);
    const handle = await open(file, flags, 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
    throw createFileError(file, isLink ? 'it is a link; links are not followed' : 'it cannot be written', error);
  }
}

/** The real path of a folder that may not exist yet. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return join(await realFolder(dirname(folder)), basename(folder));
  }
}

/** Throws if a symbolic link leads the file's folder out of `folder`. */
async function assertInsideFolder(folder: string, file: string): Promise<void> {
  const [around, place] = await Promise.all([realFolder(folder), realFolder(dirname(file))]);
  if (place === around || place.startsWith(around.endsWith(sep) ? around : around + sep)) return;
  throw new BootError('CLI_FILE', { file, what: 'its path contains a link out of the folder' });
}

/** Returns false, and changes nothing, if the file already exists. */
export async function createNewFile(folder: string, name: string, text: string): Promise<boolean> {
  const file = join(folder, name);
  try {
    await assertInsideFolder(folder, file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof BootError) throw error;
    // EEXIST of `mkdir`: a file has the name of a folder.
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && syscall === 'open') return false;
    throw createFileError(file, 'it cannot be written', error);
  }
}
