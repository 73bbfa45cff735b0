/**
 * How a process hears that others added work: a channel of Agenda, which looks for a new connection by itself when one is lost. Whoever
 * makes the channel makes its connections, and ends them.
 */
import type { NotificationChannel } from 'agenda';
import type { Log } from '../../../kernel/contract/plugin.js';

export interface Ear {
  end(): Promise<void>;
}

export interface HearingInput {
  readonly channel: () => Promise<NotificationChannel>;
  /** Ends the connection, and gives the channel no other. */
  readonly close: () => void;
  /** Somebody added work, or may have while nobody listened. */
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
    // Where this fails it has planned the next attempt.
    return { channel, connecting: channel.connect().catch(() => undefined) };
  }

  return {
    async end() {
      closed = true;
      const { channel, connecting } = await opening;
      // An attempt that fails from now on plans another one, which must not be the next of many: that would keep the process.
      channel.connect = () => new Promise(() => undefined);
      close();
      await connecting;
      await new Promise((resolve) => setImmediate(resolve));
      await channel.disconnect();
    },
  };
}
