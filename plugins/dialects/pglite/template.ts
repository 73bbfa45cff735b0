/**
 * Initial files for a new embedded database, which take the engine seconds. They are created once for an
 * installation.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { findPackageFolder } from '../../../language/project/package-folder.js';

const CHUNK = 1 << 22;
/** Kept while memory allows: a process that checks statements starts several engines. */
let unpacked: WeakRef<Blob> | undefined;

/** Template files depend on the version of the engine. */
async function locateTemplate(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return join(findPackageFolder(import.meta.url), `dist/pglite-template-${version}.tar.gz`);
}

/** Null where the folder has its files, or the engine must create them. */
export async function loadTemplate(folder: string | null): Promise<Blob | null> {
  if (folder !== null && existsSync(join(folder, 'PG_VERSION'))) return null;
  try {
    const known = unpacked?.deref();
    if (known !== undefined) return known;
    // One call with large chunks takes half the time of the engine's streams.
    const template = new BufferBlob(gunzipSync(await getTemplate(), { chunkSize: CHUNK }));
    unpacked = new WeakRef(template);
    return template;
  } catch {
    return null;
  }
}

/** Returns its buffer without copying, which would take a sixth of the start. */
export class BufferBlob extends Blob {
  constructor(private readonly whole: Buffer<ArrayBuffer>) {
    super([]);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.whole;
    return Promise.resolve(length === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + length));
  }
}

/** No further database is created, so the templates are not needed. */
const LEAN = `
  ALTER DATABASE template0 IS_TEMPLATE false;
  ALTER DATABASE template1 IS_TEMPLATE false`;

/** In a folder without permission to write, each process creates it again. */
async function getTemplate(): Promise<Buffer> {
  const file = await locateTemplate();
  if (existsSync(file)) return readFile(file);
  const packed = await packTemplate();
  await storeTemplate(file, packed).catch(() => undefined);
  return packed;
}

/** Another process that starts at the same time reads all or nothing. */
async function storeTemplate(file: string, packed: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, packed);
  await rename(`${file}.${process.pid}`, file);
}

async function packTemplate(): Promise<Buffer> {
  const { PGlite } = await import('@electric-sql/pglite');
  const db = await PGlite.create('memory://', { initDbStartParams: ['--wal-segsize=1'] });
  await db.exec(LEAN);
  // DROP DATABASE cannot run in a transaction.
  for (const name of ['template0', 'template1']) await db.exec(`DROP DATABASE ${name}`);
  await db.exec('CHECKPOINT');
  const packed = await db.dumpDataDir('gzip');
  await db.close();
  return Buffer.from(await packed.arrayBuffer());
}

// The build runs this file as a script.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await getTemplate();
