/**
 * All connections to one server: a few shared ones on which reading statements travel one behind the other without
 * waiting for answers, and a pool of those that serve one caller at a time (writes, transactions, slow reads). Decides
 * who gets which; knows nothing of statements.
 */
import pg from 'pg';
import type { Log } from '../../../kernel/contract/plugin.js';
import type { PostgresOptions } from './options.js';
import { createWire } from './wire.js';
import type { Wire } from './wire.js';

/** A shared connection takes no more when it made no progress for so long: what is behind a slow statement waits. */
const STALL_MS = 25;
const MAX_IN_FLIGHT = 64;
/** Between attempts to open a shared connection that was lost. */
const REOPEN_MS = 500;

export type Release = (broken: boolean) => void;

export interface Wires {
  readonly all: ReadonlySet<Wire>;
  /** Opens the shared connections; fails when the server cannot be reached. */
  open(): Promise<void>;
  /** The least busy shared connection, or undefined when none is fit. */
  shared(): Wire | undefined;
  /** A connection for one caller. */
  lease(take: (error: unknown, wire: Wire | undefined, release: Release) => void): void;
  close(): Promise<void>;
}

export function createWires(options: PostgresOptions, log: Log): Wires {
  const all = new Set<Wire>();
  const byClient = new WeakMap<object, Wire>();
  const readers: Wire[] = [];
  let opening = 0;
  let nextTry = 0;
  let closed = false;

  /** Remembers a connection until it ends. A listener for errors must always be there, or the process would end. */
  function track(client: pg.Client, shared: boolean): Wire {
    const wire = createWire(client, shared);
    all.add(wire);
    byClient.set(client, wire);
    client.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
    client.on('end', () => {
      all.delete(wire);
      const at = readers.indexOf(wire);
      if (at >= 0) readers.splice(at, 1);
    });
    return wire;
  }

  const pool = new pg.Pool({ ...options.client, pipeline: true, max: options.pool });
  pool.on('connect', (client) => void track(client, false));
  pool.on('error', (error) => log.debug({ err: error }, 'idle database connection dropped'));

  async function openReader(): Promise<void> {
    opening++;
    const client = new pg.Client({ ...options.client, pipeline: true });
    const wire = track(client, true);
    try {
      await client.connect();
      if (closed) await client.end();
      else readers.push(wire);
    } catch (error) {
      all.delete(wire);
      throw error;
    } finally {
      opening--;
    }
  }

  /** Brings lost shared connections back in the background; the pool serves meanwhile. */
  function reopen(now: number): void {
    if (closed || now < nextTry) return;
    nextTry = now + REOPEN_MS;
    while (readers.length + opening < options.readers) {
      openReader().catch((error: unknown) => log.debug({ err: error }, 'shared database connection not opened'));
    }
  }

  // A peer that vanished without a word is noticed by its silence.
  const watch = setInterval(() => {
    const now = performance.now();
    for (const wire of all) {
      if (wire.inFlight > 0 && now - wire.since > options.deadline) wire.client.connection.stream.destroy();
    }
  }, 1000);
  watch.unref();

  return {
    all,
    open: async () => {
      await Promise.all(Array.from({ length: options.readers }, openReader));
      // Without shared connections the pool has to prove that the server is there.
      if (options.readers === 0) (await pool.connect()).release();
    },
    shared() {
      if (readers.length < options.readers) reopen(performance.now());
      let best: Wire | undefined;
      for (const wire of readers) if (!best || wire.inFlight < best.inFlight) best = wire;
      if (!best || best.inFlight === 0) return best;
      return best.inFlight < MAX_IN_FLIGHT && performance.now() - best.since < STALL_MS ? best : undefined;
    },
    lease(take) {
      pool.connect((error, client, done) => {
        const wire = client && byClient.get(client);
        take(error, wire, (broken) => done(broken));
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(watch);
      // Callers that hold a connection may finish; one that does not come back is cut off.
      const cut = setTimeout(() => {
        for (const wire of all) wire.client.connection.stream.destroy();
      }, 5000);
      await Promise.allSettled([pool.end(), ...readers.map((wire) => wire.client.end())]);
      clearTimeout(cut);
    },
  };
}
