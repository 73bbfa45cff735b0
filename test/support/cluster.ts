/**
 * Several `lintel serve` processes of one project folder behind a balancer, as a deployment has them: one PostgreSQL, one
 * Redis, an S3 bucket where it is asked for. Processes can be added, ended and killed; it judges nothing.
 */
import { randomUUID } from 'node:crypto';
import { balancer, type Balancer } from './balancer.js';
import { startCli, type Child, type Finished } from './child.js';
import { createClient, type Client } from './client.js';
import type { Found } from './guarded.js';
import { freshDatabase, startPostgres } from './postgres.js';
import { tempProject, type Files, type TempProject } from './project.js';
import { startRedis } from './redis.js';

/** One process. */
export interface Member {
  /** Its variable `MEMBER`: nobody else of the cluster has it. */
  readonly name: string;
  readonly port: number;
  /** Past the balancer. */
  readonly url: string;
  readonly child: Child;
  /** Past the balancer. */
  readonly client: Client;
}

export interface ClusterOptions {
  readonly files: Files;
  /** Beside the config of the shared servers. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Processes at the start; they start at the same time. */
  readonly size?: number;
  /** Another server than the Redis of the run. */
  readonly redis?: string;
}

export interface Cluster {
  readonly project: TempProject;
  readonly database: string;
  readonly balancer: Balancer;
  /** Through the balancer. */
  readonly client: Client;
  /** Those that were started and not ended. */
  readonly members: readonly Member[];
  /** One more, on a free port or the given one; resolves when the balancer sends requests there. */
  start(port?: number): Promise<Member>;
  /** Signals a process and waits for its end. */
  end(member: Member, signal?: NodeJS.Signals): Promise<Finished>;
  close(): Promise<void>;
}

export async function startCluster(options: ClusterOptions): Promise<Found<Cluster>> {
  const [postgres, redis] = [
    await startPostgres(),
    options.redis === undefined ? await startRedis() : { url: options.redis },
  ];
  if ('skip' in postgres) return postgres;
  if ('skip' in redis) return redis;
  const database = await freshDatabase();
  const project = await tempProject({
    'lintel.config.json': {
      cache: { use: 'redis', url: '$ENV.REDIS_URL', prefix: `cluster:${randomUUID()}:` },
      ...options.config,
    },
    ...options.files,
  });
  const env = { DATABASE_URL: database, REDIS_URL: redis.url, ...options.env };
  const front = await balancer();
  const members: Member[] = [];

  async function start(port = 0): Promise<Member> {
    const name = `m${started.length + 1}`;
    const child = startCli(['serve'], { cwd: project.folder, env: { ...env, PORT: String(port), MEMBER: name } });
    started.push(child);
    const [, url = ''] = await child.printed(/ready at (http:\S+)/);
    const member = { name, url, port: Number(new URL(url).port), child, client: createClient(url) };
    front.add(member.port);
    await front.knows(member.port, 'up');
    members.push(member);
    return member;
  }

  const started: Child[] = [];
  async function close(): Promise<void> {
    await front.close();
    await Promise.all(started.map((child) => child.stop('SIGKILL')));
    await project.dispose();
  }
  try {
    await Promise.all(Array.from({ length: options.size ?? 3 }, () => start()));
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
    start,
    async end(member, signal = 'SIGTERM') {
      members.splice(members.indexOf(member), 1);
      const finished = await member.child.stop(signal);
      front.remove(member.port);
      return finished;
    },
    close,
  };
}
