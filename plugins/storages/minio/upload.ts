/** Uploads one file completely or not at all, and not over an existing object if the server supports conditional writes. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'minio';
import { createFault } from '../../../contract/fault.js';
import type { Storable } from '../kind.js';
import { createServingHeaders } from '../shared/serving-headers.js';
import { isAbsent, isConnectionCut, isOutcomeUnknown, isAlreadyStored, hasErrorCode } from './errors.js';
import type { Leftover } from './sweep.js';

/** Larger files are uploaded in parts; S3 requires at least 5 MiB each. */
const PART = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;
/** Smaller sections are held in memory, to be read once. */
const MAX_IN_MEMORY = 256 * 1024;

type Headers = Readonly<Record<string, string>>;

interface Section {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

export interface Bucket {
  readonly client: Client;
  readonly name: string;
  /** A second attempt needs a new connection. */
  readonly closeIdleSockets: () => void;
  readonly addLeftover: (leftover: Leftover) => void;
  /** The server has rejected a conditional write as not implemented. */
  isUnconditional: boolean;
}

const streamSection = ({ path, start, size }: Section) => createReadStream(path, { start, end: start + size - 1 });

async function readSection({ path, start, size }: Section): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  const file = await open(path);
  try {
    const { bytesRead } = await file.read(bytes, 0, size, start);
    if (bytesRead !== size) throw new RangeError('the file is shorter than it was');
    return bytes;
  } finally {
    await file.close();
  }
}

/** Repeats an idempotent operation, because servers close connections that were idle too long. */
export async function retryOnConnectionCut<T>(
  { closeIdleSockets }: Bucket,
  attempt: (isAgain: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(false);
  } catch (error) {
    if (!isConnectionCut(error)) throw error;
  }
  closeIdleSockets();
  return attempt(true);
}

/** Sending the same bytes again is idempotent. */
async function send(
  bucket: Bucket,
  key: string,
  section: Section,
  request: { readonly query?: string; readonly headers: Headers },
): Promise<string> {
  const { client, name } = bucket;
  // Without TLS the signature covers the bytes; with TLS a header does.
  const hash = createHash(client.enableSHA256 ? 'sha256' : 'md5');
  const held = section.size <= MAX_IN_MEMORY ? await readSection(section) : null;
  if (held === null) await pipeline(streamSection(section), hash);
  else hash.update(held);
  const sum = hash.digest();
  const sendOnce = async (): Promise<string> => {
    const body = held ?? streamSection(section);
    const headers = { ...request.headers, 'content-length': String(section.size) };
    const signed = client.enableSHA256 ? headers : { ...headers, 'content-md5': sum.toString('base64') };
    const options = { method: 'PUT', bucketName: name, objectName: key, headers: signed };
    const whole = request.query === undefined ? options : { ...options, query: request.query };
    try {
      const sha256 = client.enableSHA256 ? sum.toString('hex') : '';
      const response = await client.makeRequestStreamAsync(whole, body, sha256, [200], '');
      response.resume();
      return String(response.headers.etag ?? '').replace(/^"|"$/g, '');
    } finally {
      if (!Buffer.isBuffer(body)) body.destroy();
    }
  };
  return retryOnConnectionCut(bucket, (isAgain) =>
    sendOnce().catch((error: unknown) => {
      // The object was created by the first attempt.
      if (isAgain && isAlreadyStored(error)) return '';
      throw error;
    }),
  );
}

const createTakenFault = () =>
  createFault('STO_REFUSED', {}, { cause: new Error('an object of this key is there already') });

async function putWhole(bucket: Bucket, key: string, file: Storable): Promise<void> {
  const section = { path: file.path, start: 0, size: file.size };
  const headers = { ...createServingHeaders(file.type) };
  const condition = { 'if-none-match': '*' };
  // Without conditional writes, only simultaneous uploads of one key can overwrite, and keys are random.
  if (bucket.isUnconditional && (await hasObject(bucket, key))) throw createTakenFault();
  try {
    await send(bucket, key, section, { headers: bucket.isUnconditional ? headers : { ...headers, ...condition } });
  } catch (error) {
    if (isAlreadyStored(error)) throw createTakenFault();
    if (!bucket.isUnconditional && hasErrorCode(error, 'NotImplemented')) {
      bucket.isUnconditional = true;
      return putWhole(bucket, key, file);
    }
    if (isOutcomeUnknown(error)) bucket.addLeftover({ key, parts: null });
    throw error;
  }
}

async function hasObject(bucket: Bucket, key: string): Promise<boolean> {
  const { client, name } = bucket;
  try {
    await retryOnConnectionCut(bucket, () => client.statObject(name, key));
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function putParts(bucket: Bucket, key: string, file: Storable): Promise<void> {
  const { client, name } = bucket;
  if (await hasObject(bucket, key)) throw createTakenFault();
  let uploadId: string | null = null;
  try {
    uploadId = await client.initiateNewMultipartUpload(name, key, { ...createServingHeaders(file.type) });
    const size = Math.max(PART, Math.ceil(file.size / MOST_PARTS));
    const etags: { part: number; etag: string }[] = [];
    for (let start = 0; start < file.size; start += size) {
      const part = etags.length + 1;
      const section = { path: file.path, start, size: Math.min(size, file.size - start) };
      const query = `partNumber=${part}&uploadId=${encodeURIComponent(uploadId)}`;
      etags.push({ part, etag: await send(bucket, key, section, { query, headers: {} }) });
    }
    await client.completeMultipartUpload(name, key, uploadId, etags);
  } catch (error) {
    bucket.addLeftover({ key, parts: { id: uploadId } });
    throw error;
  }
}

export const put = (bucket: Bucket, key: string, file: Storable): Promise<void> =>
  file.size > PART ? putParts(bucket, key, file) : putWhole(bucket, key, file);

/** Aborts the multipart upload, which may also have been completed. */
export async function clear(
  { client, name }: Pick<Bucket, 'client' | 'name'>,
  { key, parts }: Leftover,
): Promise<void> {
  let id = parts?.id ?? null;
  for (let isFirst = true; parts !== null; isFirst = false) {
    id = (isFirst ? id : null) ?? (await client.findUploadId(name, key)) ?? null;
    if (id === null) break;
    await client.abortMultipartUpload(name, key, id).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  }
  await client.removeObject(name, key);
}
