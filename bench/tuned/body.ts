/** The bytes of a request, at most a mebibyte of them: what is announced as larger or becomes larger is refused. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.js';

const limit = 1_048_576;
export const empty: Buffer = Buffer.alloc(0);

/** Most bodies arrive in one part, which is then used as it is. */
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
