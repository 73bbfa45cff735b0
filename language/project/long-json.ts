/** JSON text of a long body, written in turns of the event loop. */
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
