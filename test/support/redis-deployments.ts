/** Several connected Redis servers for one suite: a cluster, and a server with a replica and sentinels. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { pickFreePort, skipWithReason, findProgram, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { startOwnRedis } from './redis.js';
import { NO_REDIS } from './skip.js';
import { waitUntil } from './until.js';

export interface RedisDeployment {
  readonly url: string;
  /** Ends the first of them. */
  readonly lose: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const SLOTS = 16_384;

async function onServer<T>(port: number, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Three servers, each with a third of the keys. */
export async function startRedisCluster(): Promise<ServerOrSkip<RedisDeployment>> {
  const servers: { readonly port: number; readonly bus: number; readonly stop: () => Promise<void> }[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
  for (let at = 0; at < 3; at += 1) {
    const bus = await pickFreePort();
    const settings = `--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-port ${bus} --cluster-node-timeout 1000`;
    const found = await startOwnRedis(undefined, settings);
    if ('skip' in found) return found;
    servers.push({ ...found, bus });
  }
  const [first, ...others] = servers;
  for (const [at, { port }] of servers.entries()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * SLOTS) / servers.length));
    await onServer(port, async (client) => {
      await client.call('CLUSTER', 'ADDSLOTSRANGE', Number(from), Number(to) - 1);
      if (at > 0) return;
      for (const other of others) await client.call('CLUSTER', 'MEET', '127.0.0.1', other.port, other.bus);
    });
  }
  const isWhole = async ({ port }: { readonly port: number }): Promise<boolean> =>
    onServer(port, async (client) => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
    });
  await waitUntil(async () => (await Promise.all(servers.map(isWhole))).every(Boolean), 'the cluster is whole');
  const url = `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return { url, lose: async () => first?.stop(), stop };
}

/** A server, its replica, and a sentinel that puts the replica in its place. */
export async function startRedisSentinel(): Promise<ServerOrSkip<RedisDeployment>> {
  const program = findProgram('redis-server');
  if (program === undefined) return skipWithReason(NO_REDIS);
  const master = await startOwnRedis(undefined, '--repl-diskless-sync-delay 0');
  if ('skip' in master) return master;
  const [replica, sentinel] = [await pickFreePort(), await pickFreePort()];
  const others = await startGuardedServer({
    name: 'sentinel',
    prepare: (folder) =>
      writeFile(
        join(folder, 'sentinel.conf'),
        [
          `port ${sentinel}`,
          'bind 127.0.0.1',
          `dir ${folder}`,
          `sentinel monitor main 127.0.0.1 ${master.port} 1`,
          'sentinel down-after-milliseconds main 300',
          'sentinel failover-timeout main 3000',
          '',
        ].join('\n'),
      ),
    script: (folder) => `
      keep '${program}' --port ${replica} --bind 127.0.0.1 --dir '${folder}' --save '' --replicaof 127.0.0.1 ${master.port}
      keep '${program}' '${folder}/sentinel.conf' --sentinel`,
    ready: async () => {
      const known = await onServer(sentinel, (client) => client.call('SENTINEL', 'REPLICAS', 'main'));
      const info = await onServer(replica, (client) => client.info('replication'));
      if ((known as unknown[]).length === 0 || !info.includes('master_link_status:up')) throw new Error('not yet');
    },
  });
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel}/main`,
    lose: () => master.stop(),
    stop: async () => void (await Promise.all([master.stop(), others.stop()])),
  };
}
