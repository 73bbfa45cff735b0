/** JSON text of a long body, read and written in turns of the event loop. */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { createFault } from '../../contract/fault.js';
import { RawJson } from '../../contract/raw-json.js';
import type { Reply } from '../../contract/reply.js';
import { parseInSteps, type JsonLimits } from '../strings/bounded-json.js';
import { writeJsonPieces } from '../strings/json-pieces.js';

const takeTurn = promisify(setImmediate);

export async function writeLongBody(reply: Reply): Promise<Reply> {
  const { body } = reply;
  const pieces: Buffer[] = [];
  for (const text of writeJsonPieces(body)) {
    pieces.push(Buffer.from(text));
    await takeTurn();
  }
  return { ...reply, body: new RawJson(Buffer.concat(pieces), () => body) };
}

export const LONG_BODY = 131_072;

/** As `parseBounded`. */
export async function parseLongBody(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  if (!isUtf8(bytes)) throw createFault('REQ_MALFORMED');
  const steps = parseInSteps(bytes, (from, to) => bytes.toString('utf8', from, to), limits);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await takeTurn();
  }
}
