/**
 * A WebSocket client of bare bytes, for frames that no library would send and for clients that do not read. It sends
 * nothing by itself, not even a pong.
 */
import { connect, type Socket } from 'node:net';
import { formatRequestHead } from './client.js';

export interface RawFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface RawSocket {
  readonly socket: Socket;
  write(...chunks: readonly Buffer[]): void;
  /** Frames of the server, in order. */
  readonly frames: readonly RawFrame[];
  /** Resolves when the server has closed: with the code of its close frame, or null. */
  readonly closed: Promise<number | null>;
  /** Resolves when more than so many frames have arrived. */
  waitForFrame(count: number): Promise<void>;
}

const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame of a client. The mask is all zeros, so the bytes are readable. */
export function encodeClientFrame(
  opcode: number | keyof typeof OPCODE,
  content: string | Buffer = '',
  { fin = true, masked = true, announced }: { fin?: boolean; masked?: boolean; announced?: number } = {},
): Buffer {
  const payload = Buffer.from(content);
  const length = announced ?? payload.length;
  const code = typeof opcode === 'number' ? opcode : OPCODE[opcode];
  const size = Buffer.alloc(length > 65_535 ? 9 : length > 125 ? 3 : 1);
  if (length > 65_535) size.writeBigUInt64BE(BigInt(length), 1);
  else if (length > 125) size.writeUInt16BE(length, 1);
  size[0] = (masked ? 0x80 : 0) | (length > 65_535 ? 127 : length > 125 ? 126 : length);
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | code]), size, Buffer.alloc(masked ? 4 : 0), payload]);
}

/** Resolves once the server has sent 101. */
export function connectRaw(
  url: string,
  path = '/ws',
  headers: Readonly<Record<string, string>> = {},
): Promise<RawSocket> {
  const frames: RawFrame[] = [];
  const waiting = new Set<() => void>();
  let buffer = Buffer.alloc(0);
  let opened = false;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const closed = new Promise<number | null>((over) => {
      socket.on('close', () => {
        const last = frames.find(({ opcode }) => opcode === OPCODE.close);
        over(last === undefined ? null : last.payload.readUInt16BE(0));
      });
    });
    const raw: RawSocket = {
      socket,
      frames,
      closed,
      write: (...chunks) => chunks.forEach((chunk) => socket.write(chunk)),
      waitForFrame: (count) =>
        new Promise((resolveWait) => {
          const look = (): void => {
            if (frames.length <= count) return;
            waiting.delete(look);
            resolveWait();
          };
          waiting.add(look);
          look();
        }),
    };
    socket.on('error', (error) => !opened && reject(error));
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      if (!opened) {
        const end = buffer.indexOf('\r\n\r\n');
        if (end === -1) return;
        opened = true;
        if (!buffer.toString('latin1').startsWith('HTTP/1.1 101'))
          return reject(new Error(buffer.toString('latin1', 0, end)));
        buffer = buffer.subarray(end + 4);
        resolve(raw);
      }
      buffer = takeFrames(buffer, frames);
      for (const look of [...waiting]) look();
      // A client disconnects after a close frame.
      if (frames.some(({ opcode }) => opcode === OPCODE.close)) socket.end();
    });
    socket.write(
      formatRequestHead('GET', path, {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-version': 13,
        ...headers,
      }),
    );
  });
}

/** The rest is the beginning of a frame. */
function takeFrames(buffer: Buffer, frames: RawFrame[]): Buffer<ArrayBuffer> {
  let rest = Buffer.from(buffer);
  while (rest.length >= 2) {
    const short = (rest[1] ?? 0) & 0x7f;
    const top = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (rest.length < top) break;
    const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < top + length) break;
    frames.push({ opcode: (rest[0] ?? 0) & 0x0f, payload: rest.subarray(top, top + length) });
    rest = rest.subarray(top + length);
  }
  return rest;
}
