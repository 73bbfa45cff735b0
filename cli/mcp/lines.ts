/** The messages of a client, one per line. What is too large or no JSON is answered here and read no further. */
import { Transform, type Writable } from 'node:stream';

/** Bytes of a message. */
export const MAX_MESSAGE = 1_048_576;

const NEWLINE = 10;

export function createMessageReader(answer: Pick<Writable, 'write'>): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const reject = (code: number, message: string): void =>
    void answer.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  const add = (part: Buffer): void => {
    bytes += part.length;
    // The rest of the line is counted and dropped.
    if (bytes > MAX_MESSAGE) parts = [];
    else parts.push(part);
  };
  const take = (): Buffer | null => {
    const line = Buffer.concat(parts);
    const isLarge = bytes > MAX_MESSAGE;
    [parts, bytes] = [[], 0];
    if (isLarge) reject(-32_600, `The message is larger than ${MAX_MESSAGE} bytes.`);
    else if (line.length > 0 && !isJson(line)) reject(-32_700, 'The message is no JSON.');
    else if (line.length > 0) return line;
    return null;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        const line = take();
        if (line !== null) this.push(Buffer.concat([line, Buffer.from('\n')]));
        start = end + 1;
      }
      add(chunk.subarray(start));
      done();
    },
  });
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
