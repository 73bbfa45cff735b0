/**
 * Where a server of `lintel dev` listens for its own machine: a port of 127.0.0.1 and a token, in a file that only the owner of the
 * project's folder can read. Web pages reach loopback too, but do not know the token.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const LOOPBACK = '127.0.0.1';

export interface LoopbackAddress {
  readonly port: number;
  readonly token: string;
}

const getFile = (folder: string, name: string): string => join(folder, '.lintel', `${name}.json`);

export const createToken = (): string => randomBytes(32).toString('base64url');

/** Compares in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export async function writeAddress(folder: string, name: string, address: LoopbackAddress): Promise<void> {
  const file = getFile(folder, name);
  await mkdir(dirname(file), { recursive: true });
  // A file that exists would keep its mode.
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(address), { mode: 0o600, flag: 'wx' });
}

/** Null where no server of this folder listens. */
export async function readAddress(folder: string, name: string): Promise<LoopbackAddress | null> {
  try {
    const { port, token } = JSON.parse(await readFile(getFile(folder, name), 'utf8')) as Partial<LoopbackAddress>;
    return typeof port === 'number' && typeof token === 'string' ? { port, token } : null;
  } catch {
    return null;
  }
}

/** Leaves the address of another server that has begun since. */
export async function removeAddress(folder: string, name: string, { token }: LoopbackAddress): Promise<void> {
  if ((await readAddress(folder, name))?.token === token) await rm(getFile(folder, name), { force: true });
}
