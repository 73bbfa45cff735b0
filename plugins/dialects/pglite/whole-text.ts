/**
 * Decodes results again that contain U+FEFF, because the engine's `TextDecoder` drops it at the start of a value. Also enforces
 * the size limit.
 */
import type { PGlite } from '@electric-sql/pglite';
import { checkResultSize, type ResultLimits } from '../../shared/results.js';

type Engine = Pick<PGlite, 'execProtocol'>;
type Run = PGlite['execProtocolStream'];
type Messages = Awaited<ReturnType<Run>>;

/** U+FEFF in UTF-8. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const HEADER = 5;
const DATA_ROW = 0x44;

/** Every statement of the engine goes through this method. */
export function readWholeText(db: PGlite, limits: ResultLimits): void {
  db.execProtocolStream = runWhole(limits);
}

const runWhole = (limits: ResultLimits) =>
  async function (this: Engine, ...[message, options]: Parameters<Run>): Promise<Messages> {
    const { messages, data } = await this.execProtocol(message, options);
    const refusal = checkResultSize(0, data.byteLength, limits);
    if (refusal !== null) throw refusal;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.includes(MARK)) readRows(messages, bytes);
    return messages;
  };

function readRows(messages: Messages, bytes: Buffer): void {
  const rows = messages.filter((message) => message.name === 'dataRow') as unknown as { fields: (string | null)[] }[];
  let row = 0;
  for (let at = 0; at + HEADER <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    if (bytes[at] !== DATA_ROW) continue;
    const found = rows[row++];
    if (found !== undefined) found.fields = readFields(bytes, at + HEADER);
  }
}

function readFields(bytes: Buffer, at: number): (string | null)[] {
  const fields: (string | null)[] = [];
  let from = at + 2;
  for (let left = bytes.readInt16BE(at); left > 0; left--) {
    const length = bytes.readInt32BE(from);
    from += 4;
    fields.push(length < 0 ? null : bytes.toString('utf8', from, from + length));
    from += Math.max(length, 0);
  }
  return fields;
}
