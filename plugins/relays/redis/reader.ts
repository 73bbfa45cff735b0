/** Reads the stream; after a lost connection, from the last message. The consumer detects gaps. */
import type { Redis } from 'ioredis';
import { COMMAND_TIMEOUT, dropConnection, waitForSettled } from '../../shared/redis.js';
import type { Scripted } from './scripts.js';

/** Milliseconds for which the server blocks a read; bounds the detection of a dead connection. */
export const BLOCK = 2000;
const BATCH = 50;
const LONGEST_PAUSE = 2000;

export interface StreamEntry {
  readonly epoch: string;
  readonly number: number;
  /** The publishing process and its message counter. */
  readonly from: string;
  readonly text: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The message predates this process: record its number but do not deliver it. */
  readonly isOld: boolean;
}

export interface StreamPosition {
  readonly epoch: string;
  readonly number: number;
  /** No earlier message will be read. */
  readonly isStart: boolean;
}

export interface ReaderOptions {
  readonly client: Redis & Scripted;
  readonly stream: string;
  readonly counter: string;
  /** For a stream that has none. */
  readonly epoch: () => string;
  /** Milliseconds: younger messages are read at the start as old ones. Null: none are. */
  readonly keep: number | null;
  /** Called at each connection, before its first message. */
  readonly onPosition: (position: StreamPosition) => void;
  readonly onEntry: (entry: StreamEntry) => void;
  readonly onError: (error: unknown) => void;
}

export interface StreamReader {
  /** Resolves after the first connection or a timeout. */
  open(): Promise<void>;
  close(): void;
}

type Entries = readonly (readonly [id: string, fields: readonly string[]])[];
type Reply = readonly (readonly [stream: string, entries: Entries])[] | null;

export function createReader(options: ReaderOptions): StreamReader {
  const { client, stream, counter, keep, onEntry } = options;
  const openedAt = Date.now();
  /** The last id read; null before the first connection. */
  let place: string | null = null;
  let epoch: string | null = null;
  let isOld: (number: number, at: number) => boolean = () => false;
  let [closed, failures] = [false, 0];
  let stood: (() => void) | null = null;
  let wake: (() => void) | null = null;
  // Without a listener, ioredis prints errors to the console.
  client.on('error', options.onError);
  client.on('ready', () => wake?.());

  async function syncPosition(): Promise<void> {
    const [known, digits, latest, seconds] = await client.lintelStand(stream, counter, options.epoch());
    const number = Number(digits);
    const isFirst = place === null;
    // The server may have received messages since the start.
    const isLate = Date.now() - openedAt > COMMAND_TIMEOUT;
    if (place === null) {
      isOld = isLate ? (_, at) => at < openedAt : (other) => other <= number;
      const since = isLate ? `${openedAt}-0` : latest;
      place = keep === null ? since : `${Number(seconds) * 1000 - keep}-0`;
    } else if (known !== epoch) {
      // None of the new stream has been read.
      place = '0-0';
      isOld = () => false;
    }
    epoch = known;
    options.onPosition({ epoch: known, number, isStart: isFirst && !isLate && keep === null });
    stood?.();
  }

  async function readEntries(): Promise<void> {
    await syncPosition();
    while (!closed) {
      const from = place ?? '0-0';
      const reply = (await client.xread('COUNT', BATCH, 'BLOCK', BLOCK, 'STREAMS', stream, from)) as Reply;
      failures = 0;
      for (const [id, fields] of reply?.[0]?.[1] ?? []) {
        place = id;
        onEntry(toStreamEntry(id, fields));
      }
    }
  }

  function toStreamEntry(id: string, fields: readonly string[]): StreamEntry {
    const [, of = '', , digits = '', , from = '', , text = ''] = fields;
    const [number, at] = [Number(digits), Number.parseInt(id, 10)];
    return { epoch: of, number, from, text, at, isOld: of === epoch && isOld(number, at) };
  }

  async function run(): Promise<void> {
    while (!closed) {
      if (client.status !== 'ready') await new Promise<void>((resolve) => (wake = resolve));
      wake = null;
      if (closed) return;
      try {
        await readEntries();
      } catch (error) {
        if (isClosed()) return;
        options.onError(error);
        dropConnection(client);
        await pause(Math.min(LONGEST_PAUSE, 10 * 2 ** failures++));
      }
    }
  }
  const isClosed = (): boolean => closed;

  return {
    async open() {
      const standing = new Promise<void>((resolve) => (stood = resolve));
      client.connect().catch(() => undefined);
      void run();
      await waitForSettled(standing);
    },
    close() {
      closed = true;
      client.disconnect();
      wake?.();
    },
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
