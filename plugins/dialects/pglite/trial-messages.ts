/** Messages of PostgreSQL's protocol that have a statement read and not run. */

/** Describes the statement that was parsed last, and ends what an error would skip. */
export const ANALYSE = Buffer.from([0x44, 0, 0, 0, 6, 0x53, 0, 0x53, 0, 0, 0, 4]);

/** Without a name, and without types: those follow from the text. */
export function parseMessage(text: string): Buffer {
  const body = Buffer.from(text);
  const message = Buffer.alloc(body.length + 9);
  message[0] = 0x50;
  message.writeInt32BE(message.length - 1, 1);
  body.copy(message, 6);
  return message;
}
