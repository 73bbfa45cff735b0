/** Messages of the PostgreSQL protocol that parse a statement without running it. */

/** Describe (unnamed statement) and Sync, which ends the skipping after an error. */
export const ANALYSE = Buffer.from([0x44, 0, 0, 0, 6, 0x53, 0, 0x53, 0, 0, 0, 4]);

/** Parse message without a name and without types, which the server infers. */
export function parseMessage(text: string): Buffer {
  const body = Buffer.from(text);
  const message = Buffer.alloc(body.length + 9);
  message[0] = 0x50;
  message.writeInt32BE(message.length - 1, 1);
  body.copy(message, 6);
  return message;
}
