/** argon2id on bytes, in the thread pool. Must not depend on definitions or limit concurrency. */
import { timingSafeEqual } from 'node:crypto';
import { hashRaw } from '@node-rs/argon2';

/** Memory in KiB, passes, lanes. */
export interface Costs {
  readonly memory: number;
  readonly time: number;
  readonly lanes: number;
}

interface ParsedHash extends Costs {
  readonly salt: Buffer;
  readonly digest: Buffer;
}

const NUMBER = '([1-9][0-9]{0,9})';
const BASE64 = '([A-Za-z0-9+/]+)';
const HASH = new RegExp(`^\\$argon2id\\$v=19\\$([mtp]=[0-9,mtp=]+)\\$${BASE64}\\$${BASE64}$`);
const PARAMETER = (name: string): RegExp => new RegExp(`(?:^|,)${name}=${NUMBER}(?:,|$)`);
const PARAMETERS = [PARAMETER('m'), PARAMETER('t'), PARAMETER('p')] as const;
const DIGEST_BYTES = 32;

/** Null for anything but argon2id of version 1.3, with costs in any order. */
export function parse(stored: string): ParsedHash | null {
  const [, written = '', salt = '', digest = ''] = HASH.exec(stored) ?? [];
  const [memory = 0, time = 0, lanes = 0] = PARAMETERS.map((parameter) => Number(parameter.exec(written)?.[1] ?? 0));
  const isWhole = written.split(',').length === PARAMETERS.length && memory >= 8 * lanes && time > 0 && lanes > 0;
  const parsed = { memory, time, lanes, salt: decodeBase64(salt), digest: decodeBase64(digest) };
  if (!isWhole || parsed.salt.length < 8 || parsed.digest.length < 16 || parsed.digest.length > 64) return null;
  return write(parsed, parsed.salt, parsed.digest).endsWith(`$${salt}$${digest}`) ? parsed : null;
}

const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const encodeBase64 = (data: Buffer): string => data.toString('base64').replaceAll('=', '');

/** The order of the costs is that of the reference implementation, which accepts no other. */
const write = ({ memory, time, lanes }: Costs, salt: Buffer, digest: Buffer): string =>
  `$argon2id$v=19$m=${memory},t=${time},p=${lanes}$${encodeBase64(salt)}$${encodeBase64(digest)}`;

const ARGON2ID = 2;

const computeDigest = (
  password: Buffer,
  { memory, time, lanes }: Costs,
  salt: Buffer,
  outputLen: number,
): Promise<Buffer> =>
  hashRaw(password, {
    algorithm: ARGON2ID,
    memoryCost: memory,
    timeCost: time,
    parallelism: lanes,
    outputLen,
    salt,
  });

export async function hashBytes(password: Buffer, costs: Costs, salt: Buffer): Promise<string> {
  return write(costs, salt, await computeDigest(password, costs, salt, DIGEST_BYTES));
}

/** False for invalid hashes. */
export async function verifyBytes(password: Buffer, stored: string): Promise<boolean> {
  const parsed = parse(stored);
  if (parsed === null) return false;
  return timingSafeEqual(await computeDigest(password, parsed, parsed.salt, parsed.digest.length), parsed.digest);
}

/** A well-formed hash of these costs, which takes as long to verify as any other. */
export const createArgon2Dummy = (costs: Costs): string => write(costs, Buffer.alloc(16), Buffer.alloc(DIGEST_BYTES));
