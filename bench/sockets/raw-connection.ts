/**
 * A minimal client of WebSocket and HTTP, so that the server is the limit: frames and requests are prepared bytes, and
 * responses are split by their length. Only for the servers of the benchmark.
 */
import { connect as connectTcp, type Socket } from 'node:net';

export interface RawConnection {
  /** Sends bytes unchanged. */
  write(bytes: Buffer): void;
  /** Called with the text of each frame, or the body of each response. */
  onMessage: (content: Buffer) => void;
  /** Number of received pings. */
  pings(): number;
  readonly closed: Promise<string>;
  end(): void;
}

/** The length of the first complete message and the start of its content; null: it is incomplete. */
type MessageCutter = (bytes: Buffer) => { readonly from: number; readonly size: number; readonly kind: number } | null;

const TEXT = 1;
const CLOSE = 8;
const PING = 9;

/** Frames of clients must be masked; the mask of zeros changes nothing. */
export function encodeFrame(text: string, kind = TEXT): Buffer {
  const content = Buffer.from(text);
  const long = content.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head[0] = 0x80 | kind;
  head[1] = 0x80 | (long ? 126 : content.length);
  if (long) head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}

/** Frames of servers are not masked; those of the benchmark are not fragmented and at most 64 KiB long. */
const cutFrame: MessageCutter = (bytes) => {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const from = short === 126 ? 4 : 2;
  if (short === 127) throw new Error('a frame is too long for this client');
  if (bytes.length < from) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  return bytes.length < from + size ? null : { from, size, kind: (bytes[0] ?? 0) & 0x0f };
};

const HEAD_END = Buffer.from('\r\n\r\n');

/** Every response has a `content-length` and is a success. */
const cutAnswer: MessageCutter = (bytes) => {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const size = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN);
  if (!head.startsWith('HTTP/1.1 200') || !Number.isInteger(size)) throw new Error(`not a success: ${head}`);
  const from = end + HEAD_END.length;
  return bytes.length < from + size ? null : { from, size, kind: TEXT };
};

function createRawConnection(socket: Socket, cut: MessageCutter, first: Buffer): RawConnection {
  let rest = first;
  let pings = 0;
  let last = 'the server ended it';
  function readMessages(bytes: Buffer): void {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let found = cut(rest); found !== null; found = cut(rest)) {
      const content = rest.subarray(found.from, found.from + found.size);
      rest = rest.subarray(found.from + found.size);
      if (found.kind === PING) {
        pings += 1;
        socket.write(encodeFrame(content.toString('latin1'), 10));
      } else if (found.kind === CLOSE) last = `closed with ${content.readUInt16BE(0)} ${content.toString('utf8', 2)}`;
      else wire.onMessage(content);
    }
  }
  const wire: RawConnection = {
    write: (bytes) => void socket.write(bytes),
    onMessage: () => undefined,
    pings: () => pings,
    closed: new Promise((resolve) => {
      socket.on('error', (error) => (last = error.message)).on('close', () => resolve(last));
    }),
    end: () => socket.destroy(),
  };
  socket.on('data', (bytes) => {
    try {
      readMessages(bytes);
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  return wire;
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

export const connectHttp = async (port: number): Promise<RawConnection> =>
  createRawConnection(await openSocket(port), cutAnswer, Buffer.alloc(0));

/** `headers`: complete lines. */
export async function connectSocket(port: number, headers = ''): Promise<RawConnection> {
  const socket = await openSocket(port);
  const head =
    `GET /ws HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
    `sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`;
  socket.write(head);
  let bytes = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const rejectClosed = (): void => reject(new Error(`no connection: ${bytes.toString('latin1')}`));
    const readHead = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(HEAD_END);
      if (end === -1) return;
      if (!bytes.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) return rejectClosed();
      socket.off('data', readHead).off('close', rejectClosed);
      resolve(createRawConnection(socket, cutFrame, bytes.subarray(end + HEAD_END.length)));
    };
    socket.on('data', readHead).once('close', rejectClosed);
  });
}

/** A POST with a JSON body, as bytes. */
export function createHttpRequest(port: number, path: string, body: string, headers = ''): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
  );
}
