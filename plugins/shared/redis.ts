/**
 * Redis connections (server, sentinels or cluster) that reconnect. Commands fail immediately while the server is
 * unavailable.
 */
import { Cluster, Redis } from 'ioredis';

/** Milliseconds. */
export const COMMAND_TIMEOUT = 800;
/** Bounds the end of a connection, because commands would wait for it. */
const END_TIMEOUT = 100;
const LONGEST_PAUSE = 2000;

export interface RedisAddress {
  readonly servers: RedisServers;
  readonly prefix: string;
  readonly tls: boolean;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

interface Host {
  readonly host: string;
  readonly port: number;
}

export type RedisServers =
  | { readonly url: string }
  | { readonly sentinels: readonly Host[]; readonly name: string; readonly db: number; readonly login: Login }
  | { readonly nodes: readonly Host[]; readonly login: Login };

/**
 * No standard URL has several hosts: `redis+sentinel://:password@a:26379,b:26379/name/0`,
 * `redis+cluster://:password@a:7000,b:7000`.
 */
const SEVERAL =
  /^redis(?<s>s?)\+(?<form>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^@/?#]+)(?:\/(?<name>[^/?#]*))?(?:\/(?<db>\d+))?\/?$/;
const HOST = /^(?<host>\[[\da-fA-F:.]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/;

/** Null for an invalid address. */
export function parseRedisAddress({ url, prefix, tls }: Readonly<Record<string, unknown>>): RedisAddress | null {
  if (typeof url !== 'string') return null;
  const rest = { prefix: typeof prefix === 'string' ? prefix : 'lintel:', tls: tls === true };
  if (/^rediss?:\/\/./.test(url)) return { ...rest, servers: { url } };
  const groups = SEVERAL.exec(url)?.groups;
  if (groups === undefined) return null;
  const { s, form, user = '', password, hosts = '', name = '', db = '0' } = groups;
  const isSentinel = form === 'sentinel';
  const list = hosts.split(',').flatMap((text) => parseHost(text, isSentinel ? 26_379 : 6379) ?? []);
  // Sentinels need a name; a cluster has none.
  if (list.length !== hosts.split(',').length || isSentinel === (name === '')) return null;
  try {
    const login = {
      ...(user !== '' && { username: decodeURIComponent(user) }),
      ...(password !== undefined && { password: decodeURIComponent(password) }),
    };
    const servers = isSentinel ? { sentinels: list, name, db: Number(db), login } : { nodes: list, login };
    return { ...rest, tls: rest.tls || s === 's', servers };
  } catch {
    return null;
  }
}

function parseHost(text: string, other: number): Host | null {
  const { host = '', port } = HOST.exec(text)?.groups ?? {};
  const number = port === undefined ? other : Number(port);
  return host === '' || number < 1 || number > 65_535 ? null : { host: host.replaceAll(/[[\]]/g, ''), port: number };
}

/** Exponential, with jitter so that processes do not reconnect together. */
const calculateBackoff = (attempt: number): number =>
  Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 4);

/** Retries of a command for a moved key; `pause` in milliseconds. */
const MOVED = { pause: 150, most: 3 };

/** Connects on `connect()`; the caller must listen for `error` events. */
export function createRedisClient<Scripted>(
  { servers, tls }: Pick<RedisAddress, 'servers' | 'tls'>,
  scripts: Record<string, { lua: string; numberOfKeys: number }>,
  timeout = COMMAND_TIMEOUT,
): Redis & Scripted {
  const each = {
    commandTimeout: timeout,
    connectTimeout: COMMAND_TIMEOUT,
    disconnectTimeout: END_TIMEOUT,
    disableClientInfo: true,
    ...(tls && { tls: {} }),
  };
  if ('nodes' in servers)
    return connectAllMasters(
      new Cluster([...servers.nodes], {
        lazyConnect: true,
        enableOfflineQueue: false,
        scripts,
        clusterRetryStrategy: calculateBackoff,
        maxRedirections: MOVED.most,
        retryDelayOnFailover: MOVED.pause,
        retryDelayOnClusterDown: MOVED.pause,
        slotsRefreshTimeout: COMMAND_TIMEOUT,
        redisOptions: { ...each, ...servers.login },
      }),
    ) as unknown as Redis & Scripted;
  const one = {
    ...each,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: calculateBackoff,
    // A failover made this server a replica.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    scripts,
  };
  if ('url' in servers) return new Redis(servers.url, one) as Redis & Scripted;
  const { sentinels, name, db, login } = servers;
  return new Redis({
    ...one,
    ...login,
    sentinels: [...sentinels],
    name,
    db,
    sentinelRetryStrategy: calculateBackoff,
    sentinelCommandTimeout: COMMAND_TIMEOUT,
    enableTLSForSentinelMode: tls,
    ...(tls && { sentinelTLS: {} }),
  }) as Redis & Scripted;
}

/** Without a connection to each master, commands could arrive in another order through other nodes. */
function connectAllMasters(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  cluster.connect = async () => {
    await connect();
    const waiting = cluster.nodes('master').filter(({ status }) => status === 'wait');
    await Promise.all(waiting.map((node) => node.connect().catch(() => undefined)));
  };
  return cluster;
}

/** For subscriptions; does not reconnect. */
export function createSubscriber(client: Redis): Redis {
  const own = { lazyConnect: true, enableOfflineQueue: true };
  const stopRetrying = (): null => null;
  const other: unknown = client;
  return other instanceof Cluster
    ? (other.duplicate([], { ...own, clusterRetryStrategy: stopRetrying }) as unknown as Redis)
    : client.duplicate({ ...own, autoResubscribe: false, retryStrategy: stopRetrying });
}

/** Resolves when the work has settled, or after the command timeout. */
export async function waitForSettled(work: Promise<unknown>): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, COMMAND_TIMEOUT)));
  await Promise.race([work.catch(() => undefined), patience]);
  clearTimeout(late);
}

/** Until a hanging connection is replaced, commands fail immediately. */
export function dropConnection(client: Redis): void {
  if (client.status === 'ready') client.disconnect(true);
}

/** A command timeout means that the connection hangs. */
export function dropIfSilent(client: Redis, error: unknown): void {
  if (error instanceof Error && error.message === 'Command timed out') dropConnection(client);
}
