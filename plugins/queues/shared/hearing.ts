/**
 * Subscribes to jobs added by other processes over an Agenda channel, which reconnects by itself. The creator of the channel
 * opens and closes its connections.
 */
import type { NotificationChannel } from 'agenda';
import type { Log } from '../../../kernel/contract/plugin.js';

export interface Ear {
  end(): Promise<void>;
}

export interface HearingInput {
  readonly channel: () => Promise<NotificationChannel>;
  /** Closes the connection and makes the channel get no other one. */
  readonly close: () => void;
  /** Jobs were added, or may have been while the channel was disconnected. */
  readonly woken: () => void;
  readonly log: Log;
}

export const RECONNECT = { enabled: true, initialDelayMs: 250, maxDelayMs: 250, maxAttempts: Infinity } as const;

export function hear({ channel: make, close, woken, log }: HearingInput): Ear {
  let closed = false;
  const opening = open();

  async function open() {
    const channel = await make();
    channel.on('error', (error) => {
      if (!closed) log.debug({ err: error }, 'the queue does not hear of new work at the moment');
    });
    channel.on('stateChange', (state) => {
      if (state === 'connected') woken();
    });
    channel.subscribe(woken);
    // The channel schedules its own next attempt after a failure.
    return { channel, connecting: channel.connect().catch(() => undefined) };
  }

  return {
    async end() {
      closed = true;
      const { channel, connecting } = await opening;
      // A later failed attempt schedules another one; a promise that never settles ends the chain, which would keep the process
      // alive.
      channel.connect = () => new Promise(() => undefined);
      close();
      await connecting;
      await new Promise((resolve) => setImmediate(resolve));
      await channel.disconnect();
    },
  };
}
