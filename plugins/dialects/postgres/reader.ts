/**
 * A connection of `pg` that hands rows to the statement they belong to as bytes; every other message goes pg's own way.
 * Decoding each field to a string first, and passing each row through two event emitters, was most of the cost of a
 * list. Depends on the inner interface of the exact version of pg in package.json, as `wire.ts` does.
 */
import { EventEmitter } from 'node:events';
import pg from 'pg';

/** A statement that wants its rows as they come. `at` is behind the header of the message. */
export interface RowTaker {
  takeRow(bytes: Buffer, at: number): void;
}

interface InnerClient {
  readonly connection: { attachListeners(stream: EventEmitter): void };
  _getActiveQuery(): Partial<RowTaker> | null | undefined;
}

const HEADER = 5;
const DATA_ROW = 0x44;
const BIND_COMPLETE = 0x32;

export class RowClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as InnerClient;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new EventEmitter();
      attach(others);
      stream.on('data', reading(this as unknown as InnerClient, others));
    };
  }
}

/** Cuts what arrives into messages. Broken ones are kept until the rest is there; then they are joined once. */
function reading(client: InnerClient, others: EventEmitter): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let have = 0;
  let need = 0;
  return (chunk) => {
    let bytes = chunk;
    if (have > 0) {
      parts.push(chunk);
      have += chunk.length;
      if (have < need) return;
      bytes = Buffer.concat(parts, have);
    }
    const end = hand(bytes, client, others);
    have = bytes.length - end;
    parts = have > 0 ? [bytes.subarray(end)] : [];
    need = have < HEADER ? HEADER : lengthAt(bytes, end);
  };
}

/** Of the whole message that begins at `at`. */
const lengthAt = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1);

/** Hands out the whole messages, in their order; gives the place behind the last. */
function hand(bytes: Buffer, client: InnerClient, others: EventEmitter): number {
  const end = bytes.length;
  let from = 0;
  let at = 0;
  while (end - at >= HEADER) {
    const next = at + lengthAt(bytes, at);
    if (next > end) break;
    const code = bytes[at];
    if (code === DATA_ROW) {
      // What came before decides whose row this is.
      if (at > from) others.emit('data', bytes.subarray(from, at));
      from = at;
      const active = client._getActiveQuery();
      if (active?.takeRow !== undefined) {
        active.takeRow(bytes, at + HEADER);
        from = next;
      }
    } else if (code === BIND_COMPLETE && at === from) {
      // Nobody listens to it.
      from = next;
    }
    at = next;
  }
  if (at > from) others.emit('data', bytes.subarray(from, at));
  return at;
}
