/**
 * The relay on Redis: one stream that every process appends to and reads, its own messages too, so that the order is
 * the same everywhere.
 */
import { randomBytes } from 'node:crypto';
import type { RuntimeServices } from '../../../contract/deferred.js';
import type { Delivery } from '../../../contract/delivery.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import type { Relay } from '../kind.js';
import {
  COMMAND_TIMEOUT,
  createRedisClient,
  dropIfSilent,
  waitForSettled,
  type RedisAddress,
} from '../../shared/redis.js';
import { formatMessageId, parseMessageNumber, packMessage, unpackMessage } from '../shared/messages.js';
import { createRing, RING_BYTES } from '../shared/ring.js';
import type { RelaySettings } from '../shared/settings.js';
import { createPendingMessages, type PendingMessage } from './pending-messages.js';
import { BLOCK, createReader, type StreamPosition, type StreamEntry } from './reader.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export interface RedisRelayOptions extends RelaySettings, RedisAddress {
  readonly deliver: RuntimeServices['deliverMessage'];
  readonly log: Log;
}

export interface RedisRelay extends Relay {
  open(): Promise<void>;
  flushPending(): Promise<void>;
  close(): void;
  /** Rejects while the server is unavailable. */
  pingServer(): Promise<void>;
  lost(): number;
}

/** With more messages in flight, the server counts as unavailable. */
const MOST_UNDER_WAY = 10_000;
/** Milliseconds between attempts to send retained messages. */
const PAY_AGAIN = 500;
/** Milliseconds to wait for a message that a client has already seen elsewhere. */
const BEHIND = 1000;

const randomName = (): string => randomBytes(9).toString('base64url');

const createUnavailableFault = (cause: unknown): Fault =>
  createFault('RLY_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

export function createRedisRelay(options: RedisRelayOptions): RedisRelay {
  const { replay, keep, most, deliver, log } = options;
  const [stream, counter] = [`{${options.prefix}relay}:messages`, `{${options.prefix}relay}:counter`];
  const me = randomName();
  const writer = createRedisClient<Scripted>(options, SCRIPTS);
  const ring = createRing({ keep, most, bytes: RING_BYTES, now: () => Date.now() });
  /** Unacknowledged messages; true: already read from the stream. */
  const underWay = new Map<string, boolean>();
  /** Delivered locally, although the server may have them too. */
  const skipped = new Set<string>();
  /** Messages to resend; used only with `replay`. */
  const owed = createPendingMessages(Math.min(most, MOST_UNDER_WAY), keep, () => lost++);
  let paying: Promise<void> | null = null;
  let payAgain: NodeJS.Timeout | null = null;
  const sending = new Set<Promise<unknown>>();
  const waiting: { readonly number: number; readonly resume: () => void }[] = [];
  let [sent, lost, isAway] = [0, 0, false];
  let epoch: string | null = null;
  /** The last number read; null when the next may have any number. */
  let latest: number | null = null;

  const logUnavailable = (error: unknown): void => {
    if (isAway) return;
    isAway = true;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'relay unavailable; messages reach only clients of this process');
  };
  const logAvailable = (): void => {
    if (isAway) log.info({ lost }, 'relay available');
    isAway = false;
  };
  // Without a listener, ioredis prints errors to the console.
  writer.on('error', logUnavailable);
  writer.on('ready', () => {
    logAvailable();
    void resendPending();
  });

  function begin(next: string): void {
    if (next === epoch) return;
    if (epoch !== null) log.warn({}, 'relay is empty after a reconnect: earlier messages are lost');
    epoch = next;
    latest = null;
    ring.begin(0);
  }

  function applyPosition({ epoch: of, number, isStart }: StreamPosition): void {
    const isNew = of !== epoch;
    begin(of);
    if (!isNew) return;
    if (isStart) latest = number;
    ring.begin(number);
  }

  function applyEntry({ epoch: of, number, from, text, at, isOld }: StreamEntry): void {
    begin(of);
    if (latest !== null && number > latest + 1) {
      log.warn(
        { missed: number - latest - 1 },
        'messages to clients lost: the relay was unavailable for longer than its retention',
      );
    }
    latest = number;
    if (underWay.has(from)) underWay.set(from, true);
    owed.delete(from);
    const read = unpackMessage(text);
    if (read === null) return;
    const message: Delivery = Object.freeze({ ...read, id: replay ? formatMessageId(of, number) : null });
    if (replay) ring.add(number, message, text.length, at);
    if (!skipped.delete(from) && !isOld) deliver(message);
    while (waiting[0] !== undefined && waiting[0].number <= ring.latest()) waiting.shift()?.resume();
  }

  async function send(message: Omit<Delivery, 'id'>, text: string): Promise<void> {
    const one = { from: `${me}:${++sent}`, text, at: performance.now() };
    const { from } = one;
    // Preserves the order.
    const waits = owed.size() > 0;
    try {
      if (waits) throw new Error('others wait to be sent');
      if (underWay.size >= MOST_UNDER_WAY) throw new Error('too many messages are on their way');
      underWay.set(from, false);
      await write(one);
      underWay.delete(from);
    } catch (error) {
      dropIfSilent(writer, error);
      const cameBack = underWay.get(from) === true;
      underWay.delete(from);
      if (cameBack) return;
      if (replay) owed.add(one);
      else lost++;
      if (!waits) logUnavailable(error);
      recordSkipped(from);
      deliver({ ...message, id: null });
      if (!replay) throw createUnavailableFault(error);
      scheduleResend();
    }
  }

  const write = ({ from, text }: PendingMessage): Promise<number> =>
    writer.lintelPublish(stream, counter, from, text, randomName(), most, keep);

  /** Resends retained messages after this process has read everything in the stream. */
  function resendPending(): Promise<void> {
    if (owed.size() === 0 || writer.status !== 'ready') return Promise.resolve();
    return (paying ??= resendAll()
      .catch((error: unknown) => dropIfSilent(writer, error))
      .finally(() => {
        paying = null;
        if (owed.size() > 0) scheduleResend();
      }));
  }

  async function resendAll(): Promise<void> {
    const [of, digits] = await writer.lintelStand(stream, counter, randomName());
    const number = Number(digits);
    if (number > ring.latest() || of !== epoch) await waitForNumber(waiting, number);
    if (of !== epoch || number > ring.latest()) throw new Error('not everything has been read');
    const count = await owed.sendAll(write);
    if (count > 0) log.info({ messages: count }, 'pending messages sent to other processes');
  }

  function scheduleResend(): void {
    payAgain ??= setTimeout(() => {
      payAgain = null;
      void resendPending();
      if (owed.size() > 0) scheduleResend();
    }, PAY_AGAIN).unref();
  }

  function recordSkipped(from: string): void {
    skipped.add(from);
    const [oldest] = skipped;
    if (skipped.size > MOST_UNDER_WAY && oldest !== undefined) skipped.delete(oldest);
  }

  const reader = createReader({
    client: createRedisClient<Scripted>(options, SCRIPTS, BLOCK + COMMAND_TIMEOUT),
    stream,
    counter,
    epoch: randomName,
    keep: replay ? keep : null,
    onPosition: applyPosition,
    onEntry: applyEntry,
    onError: logUnavailable,
  });

  return {
    async publish(message) {
      const { text } = packMessage(message);
      const work = send(message, text);
      sending.add(work);
      try {
        await work;
      } finally {
        sending.delete(work);
      }
    },
    async listSince(id) {
      const number = replay && epoch !== null ? parseMessageNumber(id, epoch) : null;
      if (number === null) return null;
      // Another process may be ahead.
      if (number > ring.latest()) await waitForNumber(waiting, number);
      return epoch !== null && parseMessageNumber(id, epoch) === number ? ring.listAfter(number) : null;
    },
    async open() {
      // Waits for the first attempts but not for their success: the driver reconnects.
      await Promise.all([waitForSettled(writer.connect()), reader.open()]);
    },
    async flushPending() {
      await Promise.allSettled(sending);
      await resendPending();
    },
    close() {
      if (payAgain !== null) clearTimeout(payAgain);
      if (owed.size() > 0) log.warn({ lost: owed.size() }, 'messages not sent to other processes before shutdown');
      reader.close();
      writer.disconnect();
    },
    async pingServer() {
      await writer.ping();
    },
    lost: () => lost,
  };
}

function waitForNumber(
  waiting: { readonly number: number; readonly resume: () => void }[],
  number: number,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => endWait(), BEHIND);
    const one = { number, resume: () => endWait() };
    const endWait = (): void => {
      clearTimeout(timer);
      const at = waiting.indexOf(one);
      if (at !== -1) waiting.splice(at, 1);
      resolve();
    };
    const behind = waiting.findIndex((other) => other.number > number);
    waiting.splice(behind === -1 ? waiting.length : behind, 0, one);
  });
}
