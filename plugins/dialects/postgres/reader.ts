/**
 * A `pg` connection that passes rows as bytes to their statement, which avoids string decoding and two event emitters per row.
 * Depends on internals of the pg version in package.json.
 */
import { EventEmitter } from 'node:events';
import pg from 'pg';

/** `at`: the offset after the message header. */
export interface RowReceiver {
  receiveRow(bytes: Buffer, at: number): void;
}

interface InnerClient {
  readonly connection: { attachListeners(stream: EventEmitter): void };
  _getActiveQuery(): Partial<RowReceiver> | null | undefined;
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
      stream.on('data', createReader(this as unknown as InnerClient, others));
    };
  }
}

/** Parts of an incomplete message are collected and joined once. */
function createReader(client: InnerClient, others: EventEmitter): (chunk: Buffer) => void {
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
    const end = dispatchMessages(bytes, client, others);
    have = bytes.length - end;
    parts = have > 0 ? [bytes.subarray(end)] : [];
    need = have < HEADER ? HEADER : readLength(bytes, end);
  };
}

const readLength = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1);

/** Returns the offset after the last complete message. */
function dispatchMessages(bytes: Buffer, client: InnerClient, others: EventEmitter): number {
  const end = bytes.length;
  let from = 0;
  let at = 0;
  while (end - at >= HEADER) {
    const next = at + readLength(bytes, at);
    if (next > end) break;
    const code = bytes[at];
    if (code === DATA_ROW) {
      // Earlier messages determine which statement the row belongs to.
      if (at > from) others.emit('data', bytes.subarray(from, at));
      from = at;
      const active = client._getActiveQuery();
      if (active?.receiveRow !== undefined) {
        active.receiveRow(bytes, at + HEADER);
        from = next;
      }
    } else if (code === BIND_COMPLETE && at === from) {
      // BindComplete has no listener.
      from = next;
    }
    at = next;
  }
  if (at > from) others.emit('data', bytes.subarray(from, at));
  return at;
}
