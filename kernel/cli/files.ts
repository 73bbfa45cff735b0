/** Writing and reading files for the commands, with failures in the words of the catalogue. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** False for a file that is there already; it is left alone. */
export async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(file, 'it cannot be written', error);
  }
}
