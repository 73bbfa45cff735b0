/** A small pool, and a connection that listens for jobs of other processes. The first statement creates the tables. */
import type { JobRepository } from 'agenda';
import pg from 'pg';
import type { Log } from '../../../contract/plugin.js';
import type { Row } from '../../dialects/kind.js';
import { listenForJobs, RECONNECT, type JobListener } from '../shared/job-listener.js';
import { createNotification } from '../shared/job.js';
import { makeTables, TABLE, type AgendaPool } from '../shared/sql-schema.js';
import type { RunSql } from '../shared/store.js';

/** Milliseconds. */
const STATEMENT_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 800;
/** An arbitrary advisory lock key. */
const LOCK = 7_239_104_556_218_733;

export interface Server {
  readonly run: RunSql;
  readonly notifyWorkers: () => Promise<void>;
  readonly jobs: () => Promise<JobRepository>;
  /** Rejects when the server is unavailable. */
  ready(): Promise<void>;
  /** Also calls `woken` when notifications may have been missed. */
  listen(woken: () => void): void;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly url: string;
  readonly size: number;
}

export function createServer({ url, size }: ServerOptions, log: Log): Server {
  const client = {
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: STATEMENT_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
  };
  const pool = new pg.Pool({ ...client, application_name: 'lintel queue', max: size });
  // Without a listener, a lost connection would end the process.
  pool.on('error', (error) => log.debug({ err: error }, 'idle queue connection dropped'));
  let making: Promise<void> | null = null;
  const ensureTables = (): Promise<void> =>
    (making ??= createTablesLocked(pool).catch((error: unknown) => {
      making = null;
      throw error;
    }));
  async function createRepository(): Promise<JobRepository> {
    const { PostgresBackend } = await import('@agendajs/postgres-backend');
    return new PostgresBackend({ pool, tableName: TABLE, ensureSchema: false, disableNotifications: true }).repository;
  }
  let jobs: Promise<JobRepository> | null = null;
  let ear: JobListener | null = null;

  return {
    ready: ensureTables,
    async run(name, text, values) {
      await ensureTables();
      const { rows } = await pool.query<Row>({ name: `lintel_queue_${name}`, text, values: [...values] });
      return rows;
    },
    jobs: () => (jobs ??= createRepository()),
    // Agenda's channel publishes only while it is subscribed.
    async notifyWorkers() {
      await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(createNotification())]);
    },
    listen(woken) {
      ear ??= listenOn({ ...client, application_name: 'lintel queue (listens)' }, woken, log);
    },
    async close() {
      await ear?.stop();
      await pool.end();
    },
  };
}

/** Agenda's statements must not run concurrently. */
async function createTablesLocked(pool: pg.Pool): Promise<void> {
  const session = await pool.connect();
  let broken = true;
  try {
    await session.query('BEGIN');
    await session.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
    await makeTables(async (text) => {
      const { rows } = await session.query<Row>(text);
      return rows ?? [];
    });
    await session.query('COMMIT');
    broken = false;
  } finally {
    session.release(broken);
  }
}

const CHANNEL = 'lintel_jobs';

/** The channel does not close a connection that was lost before it listened. */
function createConnections(config: pg.ClientConfig) {
  let current: pg.Client | null = null;
  let closed = false;
  let rejectConnect = (_reason: Error): void => undefined;
  const endCurrent = (): void => {
    current?.end().catch(() => undefined);
    current = null;
    rejectConnect(new Error('the connection is ended'));
  };
  return {
    async connect(): Promise<pg.Client & { release(): void }> {
      endCurrent();
      if (closed) throw new Error('the queue is closed');
      const client = new pg.Client(config);
      current = client;
      // Needed until the channel adds its own listener.
      client.on('error', () => undefined);
      // The `connect` of an ended client never settles.
      const ended = new Promise<never>((_, reject) => (rejectConnect = reject));
      ended.catch(() => undefined);
      await Promise.race([client.connect(), ended]);
      return Object.assign(client, { release: endCurrent });
    },
    close() {
      closed = true;
      endCurrent();
    },
  };
}

/** Agenda's channel (`LISTEN`), on a dedicated connection outside the pool. */
export function listenOn(config: pg.ClientConfig, woken: () => void, log: Log): JobListener {
  const made = createConnections(config);
  const pool: AgendaPool = made;
  return listenForJobs({
    async createChannel() {
      const { PostgresNotificationChannel } = await import('@agendajs/postgres-backend');
      return new PostgresNotificationChannel({ pool: pool as pg.Pool, channelName: CHANNEL, reconnect: RECONNECT });
    },
    close: () => made.close(),
    onWake: woken,
    log,
  });
}
