/**
 * Reads the stream, message by message, for as long as it is open: from where it stood at the start, and after a lost
 * connection from where it was. It judges nothing; who takes the messages sees by their numbers whether one is missing.
 */
import type { Redis } from 'ioredis';
import { COMMAND_TIMEOUT, giveUp, soon } from '../../shared/redis.js';
import type { Scripted } from './scripts.js';

/** Milliseconds that the server lets a reader wait for something new; a connection that hangs is noticed after them. */
export const BLOCK = 2000;
/** Messages at a time. */
const BATCH = 50;
const LONGEST_PAUSE = 2000;

export interface StreamEntry {
  readonly epoch: string;
  readonly number: number;
  /** Who published it, and as which of its messages. */
  readonly from: string;
  readonly text: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** It was there before this process: to be known, and told to nobody. */
  readonly isOld: boolean;
}

/** Where a stream stands. */
export interface Stand {
  readonly epoch: string;
  readonly number: number;
  /** Nothing before it will be read. */
  readonly isStart: boolean;
}

export interface ReaderOptions {
  readonly client: Redis & Scripted;
  readonly stream: string;
  readonly counter: string;
  /** A new one, for a stream that has none. */
  readonly epoch: () => string;
  /** Milliseconds: at the start younger messages are read too, as old ones. Null: none are. */
  readonly keep: number | null;
  /** At each connection, before its first message. */
  readonly stands: (stand: Stand) => void;
  readonly take: (entry: StreamEntry) => void;
  readonly failed: (error: unknown) => void;
}

export interface StreamReader {
  /** Resolves when it has stood at the stream once, or could not for a while. */
  open(): Promise<void>;
  close(): void;
}

type Entries = readonly (readonly [id: string, fields: readonly string[]])[];
type Reply = readonly (readonly [stream: string, entries: Entries])[] | null;

export function createReader(options: ReaderOptions): StreamReader {
  const { client, stream, counter, keep, take } = options;
  const openedAt = Date.now();
  /** Up to where everything was read; null before it stood there for the first time. */
  let place: string | null = null;
  let epoch: string | null = null;
  let isOld: (number: number, at: number) => boolean = () => false;
  let [closed, failures] = [false, 0];
  let stood: (() => void) | null = null;
  let wake: (() => void) | null = null;
  // Without a listener ioredis prints errors by itself.
  client.on('error', options.failed);
  client.on('ready', () => wake?.());

  async function stand(): Promise<void> {
    const [known, digits, latest, seconds] = await client.lintelStand(stream, counter, options.epoch());
    const number = Number(digits);
    const isFirst = place === null;
    // A server that was away at the start may have been told something since then.
    const isLate = Date.now() - openedAt > COMMAND_TIMEOUT;
    if (place === null) {
      isOld = isLate ? (_, at) => at < openedAt : (other) => other <= number;
      const since = isLate ? `${openedAt}-0` : latest;
      place = keep === null ? since : `${Number(seconds) * 1000 - keep}-0`;
    } else if (known !== epoch) {
      // The stream began anew: nothing of it has been read.
      place = '0-0';
      isOld = () => false;
    }
    epoch = known;
    options.stands({ epoch: known, number, isStart: isFirst && !isLate && keep === null });
    stood?.();
  }

  async function readOn(): Promise<void> {
    await stand();
    while (!closed) {
      const from = place ?? '0-0';
      const reply = (await client.xread('COUNT', BATCH, 'BLOCK', BLOCK, 'STREAMS', stream, from)) as Reply;
      failures = 0;
      for (const [id, fields] of reply?.[0]?.[1] ?? []) {
        place = id;
        take(entryOf(id, fields));
      }
    }
  }

  function entryOf(id: string, fields: readonly string[]): StreamEntry {
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
        await readOn();
      } catch (error) {
        if (isClosed()) return;
        options.failed(error);
        giveUp(client);
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
      await soon(standing);
    },
    close() {
      closed = true;
      client.disconnect();
      wake?.();
    },
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
