/**
 * Bodies of responses: the JSON text of a long one is written in turns of the event loop, another leaves with its head as one piece.
 * Two pieces take 1.2 times the processor time of a small response.
 */
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { RawJson } from '../../contract/raw-json.js';
import type { Reply } from '../../contract/reply.js';
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

/** In bytes. Larger bodies are not copied to be joined with their head. */
const LONGEST_COPY = 16_384;

const toLatin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

/** `length`: of the body, in bytes. `res.end(content)` would write an empty piece too. */
export function endWithBody(res: ServerResponse, content: string | Uint8Array, length: number): void {
  const text = typeof content === 'string' || length > LONGEST_COPY ? content : toLatin1(content);
  if (typeof text !== 'string') res.write(text);
  else res.write(text, text.length === length ? 'latin1' : 'utf8');
  res.socket?.uncork();
  res.end();
}
