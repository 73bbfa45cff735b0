/** Splits PostgreSQL's bytes into messages: rows go to their statement, all else to the driver. */

export interface MessageParser {
  emit(event: 'data', bytes: Buffer): unknown;
}

/** `at`: the offset after the message header. */
export interface RowReceiver {
  receiveRow(bytes: Buffer, at: number): void;
}

type FindReceiver = () => Partial<RowReceiver> | null | undefined;

const HEADER = 5;
const DATA_ROW = 0x44;

/** Parts of an incomplete message are collected and joined once. */
export function createMessageReader(findReceiver: FindReceiver, others: MessageParser): (chunk: Buffer) => void {
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
    const end = dispatchMessages(bytes, findReceiver, others);
    have = bytes.length - end;
    parts = have > 0 ? [bytes.subarray(end)] : [];
    need = have < HEADER ? HEADER : readLength(bytes, end);
  };
}

const readLength = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1);

/** Returns the offset after the last complete message. */
function dispatchMessages(bytes: Buffer, findReceiver: FindReceiver, others: MessageParser): number {
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
      const active = findReceiver();
      if (active?.receiveRow !== undefined) {
        active.receiveRow(bytes, at + HEADER);
        from = next;
      }
    }
    at = next;
  }
  if (at > from) others.emit('data', bytes.subarray(from, at));
  return at;
}
