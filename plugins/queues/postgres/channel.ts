/** Agenda's channel on PostgreSQL (`LISTEN`), on a dedicated connection outside the pool. */
import pg from 'pg';
import type { Log } from '../../../contract/plugin.js';
import { hear, RECONNECT, type Ear } from '../shared/hearing.js';

export const CHANNEL = 'lintel_jobs';

/** The channel does not close a connection that was lost before it listened. */
function connections(config: pg.ClientConfig) {
  let current: pg.Client | null = null;
  let closed = false;
  let giveUp = (_reason: Error): void => undefined;
  const end = (): void => {
    current?.end().catch(() => undefined);
    current = null;
    giveUp(new Error('the connection is ended'));
  };
  return {
    async connect(): Promise<pg.Client & { release(): void }> {
      end();
      if (closed) throw new Error('the queue is closed');
      const client = new pg.Client(config);
      current = client;
      // Needed until the channel adds its own listener.
      client.on('error', () => undefined);
      // The `connect` of an ended client never settles.
      const ended = new Promise<never>((_, reject) => (giveUp = reject));
      ended.catch(() => undefined);
      await Promise.race([client.connect(), ended]);
      return Object.assign(client, { release: end });
    },
    close() {
      closed = true;
      end();
    },
  };
}

export function listenOn(config: pg.ClientConfig, woken: () => void, log: Log): Ear {
  const made = connections(config);
  const pool = made as unknown as pg.Pool;
  return hear({
    async channel() {
      const { PostgresNotificationChannel } = await import('@agendajs/postgres-backend');
      return new PostgresNotificationChannel({ pool, channelName: CHANNEL, reconnect: RECONNECT });
    },
    close: () => made.close(),
    woken,
    log,
  });
}
