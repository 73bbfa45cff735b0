/**
 * Prepares the folder of an embedded database: private to its user, and either empty or with a completely initialized database.
 * Anything else may be a database that lost files, which a new one must not replace silently.
 */
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault } from '../../../kernel/contract/fault.js';
import { RESTORING } from '../../../kernel/contract/keeping.js';

/** Without these files, the engine takes the folder for empty or cannot read it. */
const NEEDED: readonly string[] = ['PG_VERSION', join('global', 'pg_control'), 'base', 'pg_wal'];

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Creates the folder if it is missing, accessible only to its user. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/**
 * Checks a folder that this process has locked; the returned function must be called when the database is initialized. Throws
 * QRY_CONNECT and changes nothing unless the folder is empty or holds a complete database.
 */
export async function checkFolder(folder: string, instance: string): Promise<() => Promise<void>> {
  if (await isThere(folder + RESTORING))
    throw fault('QRY_CONNECT', {
      instance,
      reason: `"${folder}${RESTORING}" is there: a restore into the folder was cut off; run \`lintel restore\` again`,
    });
  // This marker exists next to the folder while a database is initialized: a database interrupted meanwhile was never used, so
  // its files are deleted.
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
