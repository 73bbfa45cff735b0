/**
 * All connections to one server: a few shared ones that pipeline statements (reads; inserts where commits do not
 * wait), and a pool for the rest. Without the shared ones, a row by key takes 1.6 times the processor time, an insert 1.5 times.
 */
import pg from 'pg';
import type { Requester } from '../../../contract/requester.js';
import { createFault } from '../../../contract/fault.js';
import { createLimiter, type ReleaseSlot } from '../../../contract/limiter.js';
import type { Log } from '../../../contract/plugin.js';
import { clock } from '../../../language/project/clock.js';
import type { PoolUsage } from '../kind.js';
import type { PostgresOptions } from './options.js';
import { destroySocket, RowClient } from './pg-internals.js';
import { cancelStatement } from './cancel.js';
import { createPgConnection, rejectOverdue } from './connection.js';
import type { PgConnection } from './connection.js';

/** Milliseconds without progress after which a shared connection gets no new statements. */
const STALL_MS = 25;
const MAX_IN_FLIGHT = 64;
/** Milliseconds between checks for overdue statements. */
const WATCH_MS = 100;
/** Milliseconds for which a receiver that takes nothing may keep a connection that others wait for. */
const PAUSE_MS = 1000;
/** Milliseconds between attempts to reopen a shared connection. */
const REOPEN_MS = 500;

/** `isTypical` false: how long the connection was in use depended on the client. */
export type Release = (broken: boolean, isTypical?: boolean) => void;
export type TakeConnection = (error: unknown, wire: PgConnection | undefined, release: Release) => void;

interface Lease {
  readonly wire: PgConnection;
  readonly done: (broken: boolean) => void;
}

export interface PgConnections {
  readonly all: ReadonlySet<PgConnection>;
  /** Rejects when the server is unavailable. */
  open(): Promise<void>;
  /** Returns the least busy connection, or undefined when none is usable. */
  findShared(use: 'read' | 'insert'): PgConnection | undefined;
  /** Waiting callers are served fairly, in turns of their clients. */
  acquire(requester: Requester | null, take: TakeConnection): void;
  /** One that requests leave free. */
  acquireSpare(take: TakeConnection): void;
  measure(): PoolUsage;
  close(): Promise<void>;
}

/** Inserts have their own connections, because one that waits for a lock delays all behind it. */
interface ConnectionGroup {
  readonly wires: PgConnection[];
  wanted: number;
  opening: number;
  nextTry: number;
}

const createGroup = (wanted: number): ConnectionGroup => ({ wires: [], wanted, opening: 0, nextTry: 0 });

function findLeastBusy({ wires }: ConnectionGroup): PgConnection | undefined {
  let best: PgConnection | undefined;
  for (const wire of wires) if (!wire.dropped && (!best || wire.inFlight < best.inFlight)) best = wire;
  if (!best || best.inFlight === 0) return best;
  return best.inFlight < MAX_IN_FLIGHT && performance.now() - best.since < STALL_MS ? best : undefined;
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/**
 * pg keeps the callback of a new connection until that closes, and the callback the request that waits. So it is dropped
 * after its call.
 */
function connectOnce(pool: pg.Pool, take: ConnectCallback): void {
  let waiting: ConnectCallback | null = take;
  pool.connect((error, client, done) => {
    const callback = waiting;
    waiting = null;
    callback?.(error, client, done);
  });
}

export function createPgConnections(options: PostgresOptions, log: Log): PgConnections {
  const all = new Set<PgConnection>();
  const byClient = new WeakMap<object, PgConnection>();
  const lanes = { read: createGroup(options.readers), insert: createGroup(0) };
  let closed = false;

  /** Without an error listener, the process would end. */
  function trackConnection(client: RowClient, shared: boolean): PgConnection {
    const wire = createPgConnection(client, shared, options.limits);
    all.add(wire);
    byClient.set(client, wire);
    client.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
    client.on('end', () => {
      all.delete(wire);
      for (const { wires } of Object.values(lanes)) if (wires.includes(wire)) wires.splice(wires.indexOf(wire), 1);
    });
    return wire;
  }

  const pool = new pg.Pool({ ...options.client, pipeline: true, max: options.pool + 1, Client: RowClient });
  pool.on('connect', (client) => void trackConnection(client as RowClient, false));
  pool.on('error', (error) => log.debug({ err: error }, 'idle database connection dropped'));

  async function openShared(into: ConnectionGroup): Promise<void> {
    into.opening++;
    const client = new RowClient({ ...options.client, pipeline: true });
    const wire = trackConnection(client, true);
    try {
      await client.connect();
      if (closed) await client.end();
      else into.wires.push(wire);
    } catch (error) {
      all.delete(wire);
      throw error;
    } finally {
      into.opening--;
    }
  }

  /** Runs in the background; the pool serves meanwhile. */
  function reopenConnections(into: ConnectionGroup, now: number): void {
    if (closed || now < into.nextTry) return;
    into.nextTry = now + REOPEN_MS;
    while (into.wires.length + into.opening < into.wanted) {
      openShared(into).catch((error: unknown) => log.debug({ err: error }, 'shared database connection not opened'));
    }
  }

  /** If commits wait for the disk, each insert would delay those behind it. */
  async function openInserts(): Promise<void> {
    const client = lanes.read.wires[0]?.client;
    if (client === undefined || options.inserters === 0) return;
    const { rows } = await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    if (rows[0]?.synchronous_commit !== 'off') return;
    lanes.insert.wanted = options.inserters;
    pool.options.max -= options.inserters;
    await openAll(lanes.insert);
  }

  const openAll = (into: ConnectionGroup): Promise<unknown> =>
    Promise.all(Array.from({ length: into.wanted }, () => openShared(into)));

  const line = createLimiter(
    () => pool.options.max - 1,
    Infinity,
    (seconds) => createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock, patience: options.patience },
  );

  function takeConnection(take: TakeConnection, leave: ReleaseSlot): void {
    connectOnce(pool, (error, client, done) => {
      const wire = client && byClient.get(client);
      if (wire !== undefined) return void lendConnection({ wire, done }, leave, take);
      leave();
      take(error, undefined, done);
    });
  }

  /** For requests that wait: ends a receiver that takes nothing, then one beyond its deadline. */
  function endStream(now: number): void {
    const still = findLeast(({ pausedAt, head }) => {
      // The connection waits while a client takes a large piece.
      const since = Math.max(pausedAt, head?.requester?.invocation.movedAt ?? 0);
      return now - since > PAUSE_MS ? since : Infinity;
    });
    const ended = still ?? findLeast(({ head }) => head?.getMissedDeadline(now) ?? Infinity);
    ended?.head?.abort(createFault('QRY_UNAVAILABLE', {}, { retryable: true }));
  }

  /** Null: all are Infinity. */
  function findLeast(measure: (wire: PgConnection) => number): PgConnection | null {
    let [least, found]: [number, PgConnection | null] = [Infinity, null];
    for (const wire of all) if (measure(wire) < least) [least, found] = [measure(wire), wire];
    return found;
  }

  /** The next request that waits takes it at once. Through the pool, the balance chain takes 1.1 times the processor time. */
  let released: Lease | null = null;

  function lendConnection({ wire, done }: Lease, leave: ReleaseSlot, take: TakeConnection): void {
    take(undefined, wire, (broken, isTypical = true) => {
      // The result of a running statement is not needed any more.
      if (broken && wire.inFlight > 0) cancelStatement(wire.client);
      if (broken || !all.has(wire)) done(broken);
      else released = { wire, done };
      leave(isTypical);
      released?.done(false);
      released = null;
    });
  }

  const watch = setInterval(() => {
    const now = performance.now();
    for (const wire of all) {
      if (wire.inFlight === 0) continue;
      rejectOverdue(wire, now, wire.shared ? options.patience : Infinity, options.deadline);
      // A dead peer is detected by its silence.
      if (now - wire.since > options.deadline) destroySocket(wire.client);
    }
    if (line.waiting > 0) endStream(now);
  }, WATCH_MS);
  watch.unref();

  return {
    all,
    open: async () => {
      await openAll(lanes.read);
      await openInserts();
      // Verifies that the server is available.
      if (options.readers === 0) (await pool.connect()).release();
    },
    findShared(use) {
      const from = lanes[use];
      if (from.wires.length < from.wanted) reopenConnections(from, performance.now());
      return findLeastBusy(from);
    },
    measure: () => ({
      most: pool.options.max + lanes.read.wanted + lanes.insert.wanted,
      open: all.size,
      busy: [...all].filter(({ inFlight }) => inFlight > 0).length,
      waiting: line.waiting,
    }),
    acquire(requester, take) {
      line.requestSlot(requester, (refusal, leave) => {
        if (refusal !== null) return void take(refusal, undefined, leave);
        const lease = released;
        released = null;
        if (lease === null) takeConnection(take, leave);
        else lendConnection(lease, leave, take);
      });
    },
    acquireSpare: (take) => takeConnection(take, () => undefined),
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(watch);
      line.close(createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } }));
      const shared = [...lanes.read.wires, ...lanes.insert.wires];
      // Lease holders may finish; connections not released in time are closed.
      const cut = setTimeout(() => {
        for (const wire of all) destroySocket(wire.client);
      }, 5000);
      await Promise.allSettled([pool.end(), ...shared.map((wire) => wire.client.end())]);
      clearTimeout(cut);
    },
  };
}
