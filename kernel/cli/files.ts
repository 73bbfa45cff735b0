/** Writing and reading files for the commands, with failures in the words of the catalogue. */
import { constants } from 'node:fs';
import { mkdir, open, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { BootError } from '../contract/boot-error.js';

/** `what`: `it cannot be read`; the system's own code stands behind it. */
export function fileError(file: string, what: string, error: unknown): BootError {
  const { code = 'no reason given' } = error as NodeJS.ErrnoException;
  return new BootError('CLI_FILE', { file, what: `${what} (${code})` }, error);
}

/** Null when there is no such file. */
export async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fileError(file, 'it cannot be read', error);
  }
}

/** Writes over what is there. */
export async function writeWhole(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw fileError(file, 'it cannot be written', error);
  }
}

/** Adds to what is there, or makes a file for its owner alone. A link is refused: it may lead to a file of another sort. */
export async function appendPrivate(file: string, text: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    // Not on every platform.
    const flags = O_WRONLY | O_APPEND | O_CREAT | ((O_NOFOLLOW as number | undefined) ?? 0);
    const handle = await open(file, flags, 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
    throw fileError(file, isLink ? 'it is a link, and links are not followed' : 'it cannot be written', error);
  }
}

/** Where a folder really is, or will be made. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return join(await realFolder(dirname(folder)), basename(folder));
  }
}

/** Throws when the way from the folder to the file leads out of it, over a link. */
async function assertInside(folder: string, file: string): Promise<void> {
  const [around, place] = await Promise.all([realFolder(folder), realFolder(dirname(file))]);
  if (place === around || place.startsWith(around.endsWith(sep) ? around : around + sep)) return;
  throw new BootError('CLI_FILE', { file, what: 'a link on the way leads out of the folder' });
}

/** False for a file that is there already; it is left alone. */
export async function writeNew(folder: string, name: string, text: string): Promise<boolean> {
  const file = join(folder, name);
  try {
    await assertInside(folder, file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof BootError) throw error;
    // A file where a folder is to be made is another thing.
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && syscall === 'open') return false;
    throw fileError(file, 'it cannot be written', error);
  }
}
