/** Writes the files of `lintel init` with fresh secrets. Imports no editor API. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { createValue } from './gallery.js';

/** The secrets are readable by the user only. */
const PRIVATE = 0o600;
const ENV_HEADER = '# Created from .env.example. Contains secrets: do not commit this file.\n';

/** A message for the user. */
export class ProjectFolderError extends Error {}

/** `template`: the packed files, see `writeProjectTemplate` in `extension/tools/built-in.ts`. `dependency`: the version of `lintel`. */
export async function writeProject(folder: string, template: string, dependency: string): Promise<void> {
  const packed = brotliDecompressSync(await readFile(template)).toString();
  const words = { name: toPackageName(basename(folder)), dependency };
  await assertEmpty(folder);
  for (const [file, text] of JSON.parse(packed) as [string, string][]) {
    const filled = Object.entries(words).reduce((known, [key, word]) => known.replaceAll(`{{${key}}}`, word), text);
    await writeNew(join(folder, file), filled);
    if (file === '.env.example') await writeNew(join(folder, '.env'), createEnvText(filled), PRIVATE);
  }
}

/** Before the first file is written; a folder of another content stays as it is. */
export async function assertEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new ProjectFolderError(`${folder} cannot be used (${error.code ?? error.message}).`);
  });
  if (entries.some((entry) => entry !== '.git'))
    throw new ProjectFolderError(`${folder} is not empty; nothing was written.`);
}

async function writeNew(file: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
}

const createEnvText = (example: string): string =>
  ENV_HEADER +
  [...example.matchAll(/^(\w+)=(.*)$/gm)]
    .map(([, name = '', value = '']) => `${name}=${createValue(value)}\n`)
    .join('');

const toPackageName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '') || 'backend';

/** Returns a message, or null if the name is valid for a folder. */
export function validateFolderName(name: string): string | null {
  if (name.trim() === '') return 'A name is needed, such as my-backend.';
  return /^[^\s.\\/:*?"<>|][^\\/:*?"<>|]*$/.test(name) && !/[\s.]$/.test(name)
    ? null
    : 'One folder: no "/" and none of \\ : * ? " < > |, no "." or space at the ends.';
}
