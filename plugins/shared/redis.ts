/**
 * Connections to a Redis server: looked for until they are there, given up when they do not answer. Nothing waits in a queue;
 * while a server is away every command fails at once. What is told of that is the business of those who connect.
 */
import { Redis, type RedisOptions } from 'ioredis';

/** Milliseconds in which a command has to be answered. */
export const COMMAND_TIMEOUT = 800;
/** A connection that has been ended must not linger: commands would wait for its end. */
const END_TIMEOUT = 100;
const LONGEST_PAUSE = 2000;

export interface RedisAddress {
  readonly url: string;
  /** What every key begins with. */
  readonly prefix: string;
  readonly tls: boolean;
}

/** Null where the address is not one of Redis. */
export function addressIn({ url, prefix, tls }: Readonly<Record<string, unknown>>): RedisAddress | null {
  if (typeof url !== 'string' || !/^rediss?:\/\/./.test(url)) return null;
  return { url, prefix: typeof prefix === 'string' ? prefix : 'lintel:', tls: tls === true };
}

/** Twice as long each time, and not all processes at once. */
const backoff = (attempt: number): number =>
  Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 4);

/** `Scripted`: the commands that `scripts` adds. Connects when it is told to; its `error` events have to be listened to. */
export const connectionTo = <Scripted>(
  { url, tls }: Pick<RedisAddress, 'url' | 'tls'>,
  scripts: NonNullable<RedisOptions['scripts']>,
  timeout = COMMAND_TIMEOUT,
): Redis & Scripted =>
  new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeout,
    connectTimeout: COMMAND_TIMEOUT,
    disconnectTimeout: END_TIMEOUT,
    retryStrategy: backoff,
    // A replica that took the place of the one that writes: the address has to be looked up again.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    disableClientInfo: true,
    scripts,
    ...(tls && { tls: {} }),
  }) as Redis & Scripted;

/** Resolves when the work is done, has failed, or takes longer than a command may. */
export async function soon(work: Promise<unknown>): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, COMMAND_TIMEOUT)));
  await Promise.race([work.catch(() => undefined), patience]);
  clearTimeout(late);
}

/** Gives up a connection that hangs: until there is a new one, commands fail at once. */
export function giveUp(client: Redis): void {
  if (client.status === 'ready') client.disconnect(true);
}

/** A connection on which a command was not answered hangs. */
export function giveUpIfSilent(client: Redis, error: unknown): void {
  if (error instanceof Error && error.message === 'Command timed out') giveUp(client);
}
