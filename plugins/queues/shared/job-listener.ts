/** Jobs added by other processes over an Agenda channel. The creator of the channel owns its connections. */
import type { NotificationChannel } from 'agenda';
import type { Log } from '../../../contract/plugin.js';

export interface JobListener {
  stop(): Promise<void>;
}

export interface JobListenerInput {
  readonly createChannel: () => Promise<NotificationChannel>;
  /** The channel must get no other connection afterwards. */
  readonly close: () => void;
  /** Jobs were added, or may have been while disconnected. */
  readonly onWake: () => void;
  readonly log: Log;
}

export const RECONNECT = { enabled: true, initialDelayMs: 250, maxDelayMs: 250, maxAttempts: Infinity } as const;

export function listenForJobs({ createChannel: make, close, onWake, log }: JobListenerInput): JobListener {
  let closed = false;
  const opening = open();

  async function open() {
    const channel = await make();
    channel.on('error', (error) => {
      if (!closed) log.debug({ err: error }, 'queue notifications unavailable');
    });
    channel.on('stateChange', (state) => {
      if (state === 'connected') onWake();
    });
    channel.subscribe(onWake);
    // The channel schedules its own next attempt.
    return { channel, connecting: channel.connect().catch(() => undefined) };
  }

  return {
    async stop() {
      closed = true;
      const { channel, connecting } = await opening;
      // A later failed attempt would schedule another one and keep the process alive.
      channel.connect = () => new Promise(() => undefined);
      close();
      await connecting;
      await new Promise((resolve) => setImmediate(resolve));
      await channel.disconnect();
    },
  };
}
