/**
 * Prepares the folder of an embedded database, empty or completely initialized: a new database must not replace a
 * damaged one.
 */
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFault } from '../../../contract/fault.js';
import { RESTORING } from '../../../contract/local-data.js';

/** Without these files, the engine takes the folder for empty or cannot read it. */
const NEEDED: readonly string[] = ['PG_VERSION', join('global', 'pg_control'), 'base', 'pg_wal'];

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/**
 * The folder must be locked; call the returned function once the database is initialized. Throws QRY_CONNECT, and
 * changes nothing, for anything but a complete database.
 */
export async function checkFolder(folder: string, instance: string): Promise<() => Promise<void>> {
  if (await isThere(folder + RESTORING))
    throw createFault('QRY_CONNECT', {
      instance,
      reason: `"${folder}${RESTORING}" is there: a restore into the folder was cut off; run \`lintel restore\` again`,
    });
  // Marks an unfinished initialization: such a database was never used, so its files are deleted.
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
    throw createFault('QRY_CONNECT', {
      instance,
      reason:
        `the folder "${folder}" holds ${names.length} files and folders, and of a database it lacks ${missing.join(', ')}; ` +
        'nothing was changed: restore the folder from a copy, or let "path" name an empty one',
    });
  return () => Promise.resolve();
}
