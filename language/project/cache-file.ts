/**
 * Files that a start writes to be faster the next time: safe to delete, replaced as a whole, and never needed. What is
 * served can depend on one, so a file is read only if no other user can have written it.
 */
import { constants } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, type JsonObject } from '../../contract/json.js';

const WRITABLE_BY_OTHERS = 0o022;

export async function readCacheFile(file: string, maxBytes: number): Promise<JsonObject | null> {
  const user = process.geteuid?.();
  // Opened before it is looked at, so that it cannot be replaced in between. A FIFO must not block.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    // Without user ids (Windows) no file is trusted.
    const isOwn = stats.uid === user && (stats.mode & WRITABLE_BY_OTHERS) === 0;
    if (!isOwn || !stats.isFile() || stats.size > maxBytes) return null;
    const found: unknown = JSON.parse(await handle.readFile('utf8'));
    return isObject(found) ? found : null;
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

/** Readable only by its owner, as definitions may be confidential. Ignores errors: the folder may be read-only. */
export async function writeCacheFile(file: string, content: object, maxBytes: number): Promise<void> {
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) > maxBytes) return;
  const temporary = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
