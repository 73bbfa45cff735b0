/** Serves a stored file, whole or one range, with a type that browsers do not execute. */
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { createFault } from '../../../contract/fault.js';
import type { RouteReply, RouteRequest } from '../../../contract/route.js';
import { findTypeByExtension } from '../shared/media.light.js';
import { createServingHeaders } from '../shared/serving-headers.js';
import type { Folder } from './folder.js';
import { getSecondsLeft } from './signature.js';

const HEAD_BYTES = 4100;
const CHUNK = 65_536;
const HOUR = 3600;

export async function serveFrom(folder: Folder, request: RouteRequest): Promise<RouteReply> {
  const { rest: key, query } = request;
  const left = query === '' ? null : getSecondsLeft(folder.secret, key, query, Date.now());
  // The response must not reveal whether the file exists.
  if (query !== '' && left === null) throw createFault('STO_LINK');
  const path = (await folder.find(key, left === null ? 'open' : 'signed')) ?? null;
  const file = path === null ? null : await openPlain(path);
  if (path === null || file === null) throw createFault('REQ_NOT_FOUND');
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw createFault('REQ_NOT_FOUND');
    const headers = { ...SAFE, ...createCacheHeaders(stats, left), ...(await createTypeHeaders(file, key)) };
    return createReply(path, stats, headers, request);
  } finally {
    await file.close();
  }
}

/** Null: missing, or a link. */
async function openPlain(path: string): Promise<FileHandle | null> {
  try {
    // Opening a named pipe must not block.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO'].includes(code)) return null;
    throw error;
  }
}

const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  // Allows pages of other origins to show images.
  'cross-origin-resource-policy': 'cross-origin',
  'accept-ranges': 'bytes',
};

/** The content of a key never changes, but the file may be removed. */
function createCacheHeaders({ size, mtimeMs, mtime }: Stats, left: number | null): Record<string, string> {
  return {
    etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`,
    'last-modified': mtime.toUTCString(),
    'cache-control': left === null ? `public, max-age=${HOUR}` : `private, max-age=${Math.min(left, HOUR)}`,
  };
}

async function createTypeHeaders(file: FileHandle, key: string): Promise<Record<string, string>> {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  const found = await fileTypeFromBuffer(head.subarray(0, bytesRead)).catch(() => undefined);
  const extension = key.includes('.') ? key.slice(key.lastIndexOf('.') + 1) : '';
  const type = findTypeByExtension(extension) ?? found?.mime ?? 'application/octet-stream';
  return createServingHeaders(type);
}

function createReply(
  path: string,
  { size }: Stats,
  headers: Record<string, string>,
  { method, header }: RouteRequest,
): RouteReply {
  const etag = headers['etag'] ?? '';
  if (isKnown(header('if-none-match'), etag)) {
    const { 'content-type': _type, 'content-disposition': _as, ...kept } = headers;
    return { status: 304, headers: kept, body: null };
  }
  const whole = { first: 0, last: size - 1 };
  const range = parseRange(header('range'), header('if-range'), etag, size);
  if (range === 'none') throw createFault('STO_RANGE', {}, { headers: { 'content-range': `bytes */${size}` } });
  const { first, last } = range ?? whole;
  const length = String(last - first + 1);
  const partial = range === null ? {} : { 'content-range': `bytes ${first}-${last}/${size}` };
  const body = method === 'HEAD' || size === 0 ? null : readChunks(path, first, last);
  return { status: range === null ? 200 : 206, headers: { ...headers, ...partial, 'content-length': length }, body };
}

const isKnown = (values: readonly string[], etag: string): boolean =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim().replace(/^W\//, ''))
    .some((value) => value === etag || value === '*');

/** Null: the whole file, which RFC 9110 allows for several ranges and unknown forms. */
function parseRange(
  ranges: readonly string[],
  conditions: readonly string[],
  etag: string,
  size: number,
): { readonly first: number; readonly last: number } | 'none' | null {
  const [range = ''] = ranges;
  if (ranges.length !== 1 || conditions.some((condition) => condition !== etag)) return null;
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (from === '' && to === '') return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  return first > last ? 'none' : { first, last };
}

/** Opened at the first read, so that an unread response holds no file. */
async function* readChunks(path: string, first: number, last: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (let at = first; at <= last;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, last - at + 1));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
