/** Reads the body of a request. A body above 1 MiB, by `content-length` or by its bytes, is rejected. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.js';

const limit = 1_048_576;
export const empty: Buffer = Buffer.alloc(0);

/** A body that arrives in one part is not copied. */
export function readBody(req: IncomingMessage, done: (error: Error | null, body: Buffer) => void): void {
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    done(new Refusal(413, 'the body is too large'), empty);
    return;
  }
  let first: Buffer = empty;
  let parts: Buffer[] | undefined;
  let size = 0;
  req.on('data', (part: Buffer) => {
    size += part.length;
    if (size > limit) {
      req.removeAllListeners('data').removeAllListeners('end');
      done(new Refusal(413, 'the body is too large'), empty);
    } else if (size === part.length) first = part;
    else (parts ??= [first]).push(part);
  });
  req.on('end', () => {
    done(null, parts === undefined ? first : Buffer.concat(parts));
  });
  req.on('error', (error) => {
    done(error, empty);
  });
}
