/**
 * Makes transactions that read before they write wait for each other: MongoDB has no read locks and rejects the second writer.
 * Uses a queue in this process and a server document among processes.
 */
import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { fault } from '../../../contract/fault.js';
import type { Document } from '../kind.js';
import type { Connection } from './connection.js';
import { isRetryable, numberOf, toFault } from './errors.js';

/** Holds counters only. */
const COLLECTION = 'lintel_turns';
/** 4096 turns; filters that share one only wait for each other. */
const DIGITS = 3;
const EXISTS = 48;
/** Milliseconds between two attempts. */
const PAUSE = 15;

export const keyFor = (collection: string, filter: Document): string =>
  createHash('sha256')
    .update(`${collection} ${JSON.stringify(filter)}`)
    .digest('hex')
    .slice(0, DIGITS);

export const keyOfAll = (collection: string): string => `all of ${collection}`;

export interface Turns {
  /** Resolves with the end of the turn; rejects after `patience` milliseconds. */
  readonly take: (key: string, patience: number) => Promise<() => void>;
}

export function createTurns(): Turns {
  /** Without the holder of the turn. */
  const waiting = new Map<string, Set<() => void>>();

  function leave(key: string): void {
    const others = waiting.get(key);
    const [next] = others ?? [];
    if (next === undefined) waiting.delete(key);
    else {
      others?.delete(next);
      next();
    }
  }

  async function take(key: string, patience: number): Promise<() => void> {
    const others = waiting.get(key);
    if (others === undefined) waiting.set(key, new Set());
    else await queued(others, patience);
    let over = false;
    return () => {
      if (!over) leave(key);
      over = true;
    };
  }

  return { take };
}

const queued = (others: Set<() => void>, patience: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const go = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      others.delete(go);
      reject(fault('QRY_TIMEOUT', {}, { headers: { 'retry-after': '1' } }));
    }, patience);
    others.add(go);
  });

/** The collection is created beforehand, because concurrent creation inside transactions conflicts. */
const ready = new WeakMap<Connection, Promise<void>>();

function made(connection: Connection): Promise<void> {
  const known = ready.get(connection);
  if (known !== undefined) return known;
  const making = connection.db.createCollection(COLLECTION).then(
    () => undefined,
    (error: unknown) => {
      if (numberOf(error) === EXISTS) return;
      ready.delete(connection);
      throw toFault(error);
    },
  );
  ready.set(connection, making);
  return making;
}

/** Restarts the transaction while another one holds one of the turns. */
export async function hold(
  connection: Connection,
  session: ClientSession,
  keys: readonly string[],
  end: number,
): Promise<void> {
  await made(connection);
  const { db, settings } = connection;
  const turns = db.collection<{ _id: string; n: number }>(COLLECTION);
  for (;;) {
    try {
      const options = { upsert: true, session, maxTimeMS: settings.deadline };
      for (const key of keys) await turns.updateOne({ _id: key }, { $inc: { n: 1 } }, options);
      return;
    } catch (error) {
      if (Date.now() > end || !isRetryable(toFault(error))) throw error;
      await session.abortTransaction();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE));
      session.startTransaction(settings.transaction);
    }
  }
}
