/**
 * A new embedded database in a fraction of the time: its files are made once, when the package is built, and unpacked where a
 * database is to begin. What cannot be found or unpacked is made as the engine makes it.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Bytes. */
const CHUNK = 1 << 22;

/** Files of one version of the engine are of no use to another. */
async function fileOf(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return fileURLToPath(new URL(`template-${version}.tar.gz`, import.meta.url));
}

/** For a database that begins; null where there is none. `folder`: null in memory. */
export async function templateFor(folder: string | null): Promise<Blob | null> {
  if (folder !== null && existsSync(join(folder, 'PG_VERSION'))) return null;
  try {
    // At once, in large pieces: the engine's own unpacking by streams takes twice as long.
    return new Held(gunzipSync(await readFile(await fileOf()), { chunkSize: CHUNK }));
  } catch {
    return null;
  }
}

/** Bytes for whoever asks for all of them at once, without the copies of a Blob: those take a sixth of the start. */
class Held extends Blob {
  constructor(private readonly whole: Buffer<ArrayBuffer>) {
    super([]);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.whole;
    return Promise.resolve(length === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + length));
  }
}

/** Nobody makes another database in it, so the two to copy from only cost time; its log of writes grows by the megabyte. */
const LEAN = `
  ALTER DATABASE template0 IS_TEMPLATE false;
  ALTER DATABASE template1 IS_TEMPLATE false`;

/** Makes the files, unless they are there. */
async function make(): Promise<void> {
  const file = await fileOf();
  if (existsSync(file)) return;
  const { PGlite } = await import('@electric-sql/pglite');
  const db = await PGlite.create('memory://', { initDbStartParams: ['--wal-segsize=1'] });
  await db.exec(LEAN);
  // Each by itself: that cannot be done in a transaction.
  for (const name of ['template0', 'template1']) await db.exec(`DROP DATABASE ${name}`);
  await db.exec('CHECKPOINT');
  const packed = await db.dumpDataDir('gzip');
  await db.close();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, Buffer.from(await packed.arrayBuffer()));
}

// The build runs this file by itself.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await make();
