/**
 * Makes transactions that read before they write wait for each other: MongoDB has no read locks. Uses a queue in this
 * process and a server document among processes.
 */
import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { createFault } from '../../../contract/fault.js';
import type { Document } from '../kind.js';
import type { MongoConnection } from './connection.js';
import { isMongoRetryable, getErrorNumber, toMongoFault } from './errors.js';

/** Holds counters only. */
const COLLECTION = 'lintel_turns';
/** 4096 turns; filters that share one only wait for each other. */
const DIGITS = 3;
const EXISTS = 48;
/** Milliseconds between two attempts. */
const PAUSE = 15;

export const createTurnKey = (collection: string, filter: Document): string =>
  createHash('sha256')
    .update(`${collection} ${JSON.stringify(filter)}`)
    .digest('hex')
    .slice(0, DIGITS);

export const createCollectionKey = (collection: string): string => `all of ${collection}`;

export interface TurnQueue {
  /** Resolves with the end of the turn; rejects after `patience` milliseconds. */
  readonly acquire: (key: string, patience: number) => Promise<() => void>;
}

export function createTurnQueue(): TurnQueue {
  /** Without the holder of the turn. */
  const waiting = new Map<string, Set<() => void>>();

  function releaseTurn(key: string): void {
    const others = waiting.get(key);
    const [next] = others ?? [];
    if (next === undefined) waiting.delete(key);
    else {
      others?.delete(next);
      next();
    }
  }

  async function acquire(key: string, patience: number): Promise<() => void> {
    const others = waiting.get(key);
    if (others === undefined) waiting.set(key, new Set());
    else await waitInQueue(others, patience);
    let over = false;
    return () => {
      if (!over) releaseTurn(key);
      over = true;
    };
  }

  return { acquire };
}

const waitInQueue = (others: Set<() => void>, patience: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const proceed = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      others.delete(proceed);
      reject(createFault('QRY_TIMEOUT', {}, { headers: { 'retry-after': '1' } }));
    }, patience);
    others.add(proceed);
  });

/** Restarts the transaction while another one holds one of the turns. */
export type LockTurns = (
  connection: MongoConnection,
  session: ClientSession,
  keys: readonly string[],
  end: number,
) => Promise<void>;

export function createTurnLock(): LockTurns {
  /** The collection is created beforehand, because concurrent creation inside transactions conflicts. */
  let ready: { readonly connection: MongoConnection; readonly made: Promise<void> } | null = null;

  function ensureCollection(connection: MongoConnection): Promise<void> {
    if (ready?.connection === connection) return ready.made;
    const made = connection.db.createCollection(COLLECTION).then(
      () => undefined,
      (error: unknown) => {
        if (getErrorNumber(error) === EXISTS) return;
        ready = null;
        throw toMongoFault(error);
      },
    );
    ready = { connection, made };
    return made;
  }

  return (connection, session, keys, end) =>
    ensureCollection(connection).then(() => lockTurns(connection, session, keys, end));
}

async function lockTurns(...[connection, session, keys, end]: Parameters<LockTurns>): Promise<void> {
  const { db, settings } = connection;
  const turns = db.collection<{ _id: string; n: number }>(COLLECTION);
  for (;;) {
    try {
      const options = { upsert: true, session, maxTimeMS: settings.deadline };
      for (const key of keys) await turns.updateOne({ _id: key }, { $inc: { n: 1 } }, options);
      return;
    } catch (error) {
      if (Date.now() > end || !isMongoRetryable(toMongoFault(error))) throw error;
      await session.abortTransaction();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE));
      session.startTransaction(settings.transaction);
    }
  }
}
