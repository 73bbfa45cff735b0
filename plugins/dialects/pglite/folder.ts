/**
 * The folder of an embedded database: private to its user, and used only where it is empty, or holds a database whose making was
 * over. Anything else may be a database that lost files, and beginning a new one in it would serve no rows and say nothing.
 */
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault } from '../../../kernel/contract/fault.js';
import { RESTORING } from '../../../kernel/contract/keeping.js';

/** Files without which the engine takes a folder for empty, or cannot read it. */
const NEEDED: readonly string[] = ['PG_VERSION', join('global', 'pg_control'), 'base', 'pg_wal'];

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Makes the folder where there is none, and keeps others of the machine out. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/**
 * Of a folder that this process has locked. The result is called when the database has begun. Throws QRY_CONNECT, and changes nothing,
 * where the folder holds anything but a whole database.
 */
export async function checkFolder(folder: string, instance: string): Promise<() => Promise<void>> {
  if (await isThere(folder + RESTORING))
    throw fault('QRY_CONNECT', {
      instance,
      reason: `"${folder}${RESTORING}" is there: a restore into the folder was cut off; run \`lintel restore\` again`,
    });
  // Stands beside the folder while a database is made in it: a process that ended meanwhile had served nothing.
  const unfinished = `${folder}.unfinished`;
  if (await isThere(unfinished))
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  const names = await readdir(folder);
  if (names.length === 0) {
    await writeFile(unfinished, '', { mode: 0o600 });
    return () => rm(unfinished, { force: true });
  }
  const there = await Promise.all(NEEDED.map((name) => isThere(join(folder, name))));
  const missing = NEEDED.filter((_, i) => there[i] !== true);
  if (missing.length > 0)
    throw fault('QRY_CONNECT', {
      instance,
      reason:
        `the folder "${folder}" holds ${names.length} files and folders, and of a database it lacks ${missing.join(', ')}; ` +
        'nothing was changed: restore the folder from a copy, or let "path" name an empty one',
    });
  return () => Promise.resolve();
}
