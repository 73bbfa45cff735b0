/** Agenda's channel on Redis (`SUBSCRIBE`), on a dedicated connection. */
import type { RedisNotificationChannelConfig } from '@agendajs/redis-backend';
import type { Redis } from 'ioredis';
import type { Log } from '../../../contract/plugin.js';
import { createSubscriber } from '../../shared/redis.js';
import { listenForJobs, RECONNECT, type JobListener } from '../shared/job-listener.js';

type AgendaRedis = NonNullable<RedisNotificationChannelConfig['redis']>;

/** Emits an error when a connection ends: the channel reconnects only after an error. */
function createConnections(client: Redis) {
  let current: Redis | null = null;
  let closed = false;
  const disconnectCurrent = (): void => current?.disconnect();
  return {
    duplicate(): Redis {
      disconnectCurrent();
      const ear = createSubscriber(client);
      current = ear;
      ear.on('error', () => undefined);
      ear.on('end', () => {
        if (!closed && current === ear) ear.emit('error', new Error('the connection has ended'));
      });
      if (closed) ear.disconnect();
      return ear;
    },
    close() {
      closed = true;
      disconnectCurrent();
    },
  };
}

export function listenOn(client: Redis, channelName: string, woken: () => void, log: Log): JobListener {
  const made = createConnections(client);
  // All that Agenda's channel uses of its version of the driver.
  const redis: { duplicate(): object } = made;
  return listenForJobs({
    async createChannel() {
      const { RedisNotificationChannel } = await import('@agendajs/redis-backend');
      return new RedisNotificationChannel({ redis: redis as AgendaRedis, channelName, reconnect: RECONNECT });
    },
    close: () => made.close(),
    onWake: woken,
    log,
  });
}
