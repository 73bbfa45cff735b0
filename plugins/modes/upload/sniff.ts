/** Detects the type of a file from its bytes, and compares it with the declared and allowed types. */
import { createReadStream } from 'node:fs';
import { fileTypeFromBuffer, fileTypeFromFile, supportedMimeTypes } from 'file-type';
import type { UploadedFile } from '../../../contract/plan.js';
import {
  isAllowedType,
  getExtension,
  isActive,
  isTextType,
  normalizeMediaType,
} from '../../storages/shared/media.light.js';

export interface MediaType {
  readonly type: string;
  readonly extension: string;
}

const UNKNOWN = 'application/octet-stream';
/** Milliseconds for inspecting an archive. */
const LOOK_MS = 2000;

/** Null: rejected. */
export async function detectFileType(file: UploadedFile, allowed: readonly string[] | null): Promise<MediaType | null> {
  const declared = file.declaredType === '' ? UNKNOWN : normalizeMediaType(file.declaredType);
  const marked = await detectMarkedType(file);
  const found =
    marked === null || isMarkup(marked.type)
      ? await detectUnmarkedType(file, declared)
      : matchDeclared(marked, declared);
  return found !== null && isAllowedType(allowed, found.type) ? found : null;
}

/** A ZIP archive is inspected further. */
async function detectMarkedType({ head, path }: UploadedFile): Promise<MediaType | null> {
  if (beginsAsUtf16(head)) return null;
  const first = await fileTypeFromBuffer(head).catch(() => undefined);
  const found =
    first?.mime === 'application/zip'
      ? ((await fileTypeFromFile(path, { signal: AbortSignal.timeout(LOOK_MS) } as never).catch(() => undefined)) ??
        first)
      : first;
  if (found === undefined) return null;
  return { type: normalizeMediaType(found.mime.split(';')[0]?.trim() ?? ''), extension: found.ext };
}

/** It also looks like an MPEG audio frame. */
const beginsAsUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const isMarkup = (type: string): boolean => type === 'application/xml' || isActive(type);

/** Container formats that do not reveal the exact type. */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  'application/x-cfb': ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  'application/ogg': ['audio/ogg', 'video/ogg'],
  'audio/ogg': ['application/ogg'],
  'video/ogg': ['application/ogg'],
};

function matchDeclared(found: MediaType, declared: string): MediaType | null {
  if (declared === UNKNOWN || declared === found.type) return found;
  const holds = Object.hasOwn(HOLDS, found.type) ? HOLDS[found.type] : undefined;
  return holds?.includes(declared) === true ? { type: declared, extension: found.extension } : null;
}

/** Text, markup, or a binary format without a signature. */
async function detectUnmarkedType(file: UploadedFile, declared: string): Promise<MediaType | null> {
  const toMediaType = (type: string): MediaType => ({ type, extension: getExtension(type) });
  if (!(await isText(file))) {
    // False where the signature of a known type is missing.
    const isMisdeclared = declared !== UNKNOWN && supportedMimeTypes.has(declared);
    return isMisdeclared || isTextType(declared) ? null : toMediaType(declared);
  }
  if (hasMarkup(file.head)) return isMarkup(declared) ? toMediaType(declared) : null;
  if (declared === UNKNOWN) return toMediaType('text/plain');
  return isTextType(declared) ? toMediaType(declared) : null;
}

/** True for UTF-8 without NUL in the whole file. */
async function isText({ head, path, size }: UploadedFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const isValidChunk = (chunk: Uint8Array, more: boolean): boolean => {
    if (chunk.includes(0)) return false;
    try {
      decoder.decode(chunk, { stream: more });
      return true;
    } catch {
      return false;
    }
  };
  if (size <= head.length) return isValidChunk(head, false);
  for await (const chunk of createReadStream(path)) if (!isValidChunk(chunk as Buffer, true)) return false;
  return isValidChunk(new Uint8Array(), false);
}

/** Where a browser that sniffs content would detect HTML. */
const hasMarkup = (head: Uint8Array): boolean =>
  /^[\s\u{feff}]*<[!?/a-z]/iu.test(Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8'));
