/** Agenda's channel on Redis (`SUBSCRIBE`), on a dedicated connection. */
import type { RedisNotificationChannelConfig } from '@agendajs/redis-backend';
import type { Redis } from 'ioredis';
import type { Log } from '../../../contract/plugin.js';
import { earLike } from '../../shared/redis.js';
import { hear, RECONNECT, type Ear } from '../shared/hearing.js';

/** Emits an error when a connection ends: the channel reconnects only after an error. */
function connections(client: Redis) {
  let current: Redis | null = null;
  let closed = false;
  const end = (): void => current?.disconnect();
  return {
    duplicate(): Redis {
      end();
      const ear = earLike(client);
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
      end();
    },
  };
}

export function listenOn(client: Redis, channelName: string, woken: () => void, log: Log): Ear {
  const made = connections(client);
  const redis = made as unknown as NonNullable<RedisNotificationChannelConfig['redis']>;
  return hear({
    async channel() {
      const { RedisNotificationChannel } = await import('@agendajs/redis-backend');
      return new RedisNotificationChannel({ redis, channelName, reconnect: RECONNECT });
    },
    close: () => made.close(),
    woken,
    log,
  });
}
