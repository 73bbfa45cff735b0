/** Agenda's channel on PostgreSQL (`LISTEN`), on a dedicated connection outside the pool. */
import pg from 'pg';
import type { Log } from '../../../contract/plugin.js';
import { listenForJobs, RECONNECT, type JobListener } from '../shared/job-listener.js';
import type { AgendaPool } from '../shared/sql-schema.js';

export const CHANNEL = 'lintel_jobs';

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
