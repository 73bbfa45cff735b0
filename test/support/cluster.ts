/**
 * Several processes of one project folder with a balancer, like a deployment: one PostgreSQL, one Redis on request.
 * Most are `lintel serve`, which can be stopped and killed; a kernel in this process is cheaper and joins them.
 */
import { randomUUID } from 'node:crypto';
import { startBalancer, type Balancer } from './balancer.js';
import { startCli, type Child, type Finished } from './child.js';
import { createClient, type Client } from './client.js';
import { pause, type ServerOrSkip } from './guarded-server.js';
import { startKernel, type TestKernel } from './kernel.js';
import { createPostgresDatabase, startPostgres } from './postgres.js';
import { createTempProject, type Files, type TempProject } from './project.js';
import { startRedis } from './redis.js';

/** One of a cluster. */
export interface Peer {
  /** Its variable `MEMBER`, different in each. */
  readonly name: string;
  readonly port: number;
  /** Past the balancer. */
  readonly url: string;
  /** Past the balancer. */
  readonly client: Client;
  /** Its log and output so far. */
  readonly output: () => string;
}

/** A `lintel serve`. */
export interface Member extends Peer {
  readonly child: Child;
}

export interface ClusterOptions {
  readonly files: Files;
  /** In addition to the config of the shared servers. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Processes at the start; they start at the same time. */
  readonly size?: number;
  /** Kernels in this process that start with them. */
  readonly joined?: number;
  /** A server other than the Redis of the run; null for none. */
  readonly redis?: string | null;
}

export interface Cluster {
  readonly project: TempProject;
  readonly database: string;
  readonly balancer: Balancer;
  /** Through the balancer. */
  readonly client: Client;
  /** Processes that were started and not ended. */
  readonly members: readonly Member[];
  /** Those, and the kernels in this process. */
  readonly peers: readonly Peer[];
  /** One more, on a free port or the given one; resolves when the balancer sends requests there. */
  start(port?: number): Promise<Member>;
  /** One more, in this process. */
  join(): Promise<Peer>;
  /** Signals a process and waits for its end. */
  stopMember(member: Member, signal?: NodeJS.Signals): Promise<Finished>;
  /** Closes a kernel in this process, once the balancer sends it nothing more. */
  removePeer(peer: Peer): Promise<void>;
  close(): Promise<void>;
}

/** A member runs for seconds: too short for an optimizing compiler to pay off. */
const NODE = ['--no-opt'];

export async function startCluster(options: ClusterOptions): Promise<ServerOrSkip<Cluster>> {
  const postgres = await startPostgres();
  if ('skip' in postgres) return postgres;
  const { redis: chosen } = options;
  const redis = typeof chosen === 'string' ? { url: chosen } : chosen === null ? null : await startRedis();
  if (redis !== null && 'skip' in redis) return redis;
  const database = await createPostgresDatabase();
  const project = await createTempProject({
    'lintel.config.json': {
      ...(redis && { cache: { use: 'redis', url: '$ENV.REDIS_URL', prefix: `cluster:${randomUUID()}:` } }),
      ...options.config,
    },
    ...options.files,
  });
  const env = { DATABASE_URL: database, ...(redis && { REDIS_URL: redis.url }), ...options.env };
  const front = await startBalancer();
  const members: Member[] = [];
  const joined = new Map<Peer, TestKernel>();
  const children: Child[] = [];
  let names = 0;

  async function start(port = 0): Promise<Member> {
    const name = `m${++names}`;
    const child = startCli(['serve'], {
      cwd: project.folder,
      env: { ...env, PORT: String(port), MEMBER: name },
      node: NODE,
    });
    children.push(child);
    const [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    const member = { ...createPeer(name, url), child, output: () => child.output() };
    await addToBalancer(member);
    members.push(member);
    return member;
  }

  async function join(): Promise<Peer> {
    const name = `m${++names}`;
    const kernel = await startKernel({ project, env: { ...env, PORT: '0', MEMBER: name }, wait: true });
    const readOutput = (): string => kernel.log.map((row) => `${row.message} ${JSON.stringify(row.fields)}`).join('\n');
    const peer = { ...createPeer(name, kernel.url), output: readOutput };
    joined.set(peer, kernel);
    await kernel.kernel.complete();
    await addToBalancer(peer);
    return peer;
  }

  const createPeer = (name: string, url: string) => ({
    name,
    url,
    port: Number(new URL(url).port),
    client: createClient(url),
  });

  async function addToBalancer({ port }: Peer): Promise<void> {
    front.add(port);
    await front.waitForState(port, 'up');
  }

  async function removePeer(peer: Peer): Promise<void> {
    const kernel = joined.get(peer);
    joined.delete(peer);
    if (kernel === undefined) return;
    kernel.server.markClosing();
    await front.waitForState(peer.port, 'down');
    front.remove(peer.port);
    // As `lintel serve` does: a request may be on its way.
    await pause(kernel.kernel.config.http.timeouts.linger * 1000);
    await kernel.close();
  }

  async function close(): Promise<void> {
    await front.close();
    const closing = [...joined.values()].map((kernel) => kernel.close());
    await Promise.all([...closing, ...children.map((child) => child.stop('SIGKILL'))]);
    await project.dispose();
  }
  try {
    const { size = 3, joined: more = 0 } = options;
    await Promise.all([...Array.from({ length: size }, () => start()), ...Array.from({ length: more }, () => join())]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    project,
    database,
    balancer: front,
    client: createClient(front.url),
    members,
    get peers() {
      return [...members, ...joined.keys()];
    },
    start,
    join,
    async stopMember(member, signal = 'SIGTERM') {
      members.splice(members.indexOf(member), 1);
      const finished = await member.child.stop(signal);
      front.remove(member.port);
      return finished;
    },
    removePeer,
    close,
  };
}
