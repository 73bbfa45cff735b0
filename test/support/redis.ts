/**
 * A Redis server for tests: TEST_REDIS_URL, or the local `redis-server` in a temporary folder on a free port. One for
 * the whole run, started by the first suite that needs it; a suite that stops or fills its server starts a separate
 * one. An external server is never emptied: suites use unique key prefixes.
 */
import { Redis } from 'ioredis';
import { pickFreePort, skipWithReason, findProgram, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { shareServer, stopSharedServer, runAtEnd } from './shared-server.js';
import { NO_REDIS } from './skip.js';

export interface RedisServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}
export type TestRedis = ServerOrSkip<RedisServer>;

/** Responds to PING, or rejects. */
async function pingServer(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}

/**
 * A server for one suite, always a local one. On the same `port` again it is the restarted server, empty. `settings`
 * are arguments of the command line, such as `--maxmemory 1mb`.
 */
export async function startOwnRedis(
  port?: number,
  settings = '',
): Promise<ServerOrSkip<RedisServer & { readonly port: number }>> {
  const program = findProgram('redis-server');
  if (program === undefined) return skipWithReason(NO_REDIS);
  const chosen = port ?? (await pickFreePort());
  const url = `redis://127.0.0.1:${chosen}`;
  const { stop } = await startGuardedServer({
    name: 'redis',
    script: (folder) =>
      `keep '${program}' --port ${chosen} --bind 127.0.0.1 --dir '${folder}' --save '' --appendonly no ${settings}`,
    ready: () => pingServer(url),
  });
  return { url, port: chosen, stop };
}

/** The server of this run. */
export function startRedis(): Promise<TestRedis> {
  const given = process.env['TEST_REDIS_URL'];
  return shareServer('redis', async () => (given ? { url: given, stop: async () => {} } : startOwnRedis()));
}

/** Stops the server of this run, if this run started it. */
export const stopRedis = (): Promise<void> => stopSharedServer('redis');
runAtEnd(stopRedis);
