/**
 * Parses the response of another service: JSON under limits, or text. An unreadable response throws a Fault that contains none
 * of it.
 */
import { isUtf8 } from 'node:buffer';
import { createFault } from '../../../contract/fault.js';
import type { Outbound } from '../../../contract/outbound.js';
import { parseBounded } from '../../../language/strings/bounded-json.js';

export type ReplyLimits = Outbound['limits'];

const JSON_TYPE = /^(application|text)\/([a-z0-9.!#$&^_-]+\+)?json$/;
const TEXT_TYPE = /^(text\/.+|application\/(.+\+)?xml|application\/x-www-form-urlencoded|application\/javascript)$/;

const createUnreadableFault = (what: string) => createFault('OUT_UNREADABLE', { what });

/** An empty body is null. Without a content type, the body is inspected. */
export function readReply(bytes: Buffer, contentType: string | undefined, limits: ReplyLimits): unknown {
  if (bytes.length === 0) return null;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (JSON_TYPE.test(name)) return readJson(bytes, limits);
  if (name === '') return isJsonLike(bytes) ? readJson(bytes, limits) : readText(bytes, undefined);
  if (!TEXT_TYPE.test(name)) throw createUnreadableFault('it is neither JSON nor text');
  const charset = parameters.map((one) => /^\s*charset="?([^"\s]+)"?\s*$/.exec(one)?.[1]).find(Boolean);
  return readText(bytes, charset);
}

function readJson(bytes: Buffer, limits: ReplyLimits): unknown {
  // Some services send a byte order mark, which JSON does not allow.
  const json = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  if (!isUtf8(json)) throw createUnreadableFault('it is not UTF-8');
  try {
    return parseBounded(json, () => json.toString('utf8'), limits);
  } catch {
    throw createUnreadableFault('it is no JSON within the limits');
  }
}

function readText(bytes: Buffer, charset: string | undefined): string {
  let text: string;
  try {
    text = new TextDecoder(charset ?? 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw createUnreadableFault('its characters cannot be read');
  }
  if (text.includes('\0')) throw createUnreadableFault('it is not text');
  return text;
}

function isJsonLike(bytes: Buffer): boolean {
  const first = bytes.subarray(0, 64).toString('latin1').trimStart()[0];
  return first === '{' || first === '[';
}
