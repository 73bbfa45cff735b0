/**
 * The stores of queues: the embedded database, and servers that the run starts. Each creates a new, empty location for
 * every measurement and describes itself for the report.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startOwnMongo } from '../../test/support/mongo.js';
import { startOwnRedis } from '../../test/support/redis.js';
import type { ServerOrSkip } from '../../test/support/guarded-server.js';
import type { Address } from '../../test/support/queues.js';
import { onCleanup } from '../cleanup.js';
import { startDatabase } from '../database.js';
import { listDescendants, pinRunning } from '../proc.js';

export interface Store {
  readonly name: 'embedded' | 'postgres' | 'redis' | 'mongo';
  readonly about: string;
  /** Number of jobs of one measurement. */
  readonly count: number;
  /** Concurrent connections and additions. */
  readonly atOnce: number;
  /** True: Agenda has a backend for this store. */
  readonly compared: boolean;
  createPlace(): Promise<QueueLocation>;
}

export interface QueueLocation {
  readonly address: Address;
  /** For `lintel serve`. */
  readonly config: { readonly connections: object; readonly queue: object };
}

interface JobStoreOptions {
  readonly folder: string;
  /** The core of the servers, if roles are pinned to cores. */
  readonly core: number | undefined;
  readonly durable: boolean;
}

const AT_ONCE = 32;
const createEmbeddedConnections = (path: string): object => ({ main: { use: 'pglite', path } });

/** Opens the stores that this machine has, and prints the reason for each missing one. */
export async function openStores(
  names: readonly string[] | null,
  given: JobStoreOptions,
  print: (line: string) => void,
): Promise<Store[]> {
  const stores: Store[] = [];
  for (const [name, open] of Object.entries({
    embedded: openEmbedded,
    postgres: openPostgres,
    redis: openRedis,
    mongo: openMongo,
  })) {
    if (names !== null && !names.includes(name)) continue;
    const found = await open(given);
    if ('skip' in found) print(`left out: ${name}, because ${found.skip}`);
    else stores.push(found);
  }
  return stores;
}

const folderIn = (folder: string): Promise<string> => mkdtemp(join(folder, 'store-'));

async function openEmbedded({ folder }: JobStoreOptions): Promise<Store> {
  return {
    name: 'embedded',
    about: 'PGlite in the process that is measured: its work is in the CPU time',
    count: 1500,
    atOnce: AT_ONCE,
    compared: false,
    async createPlace() {
      const path = await folderIn(folder);
      return {
        address: { plugin: 'embedded', options: {}, path },
        config: { connections: createEmbeddedConnections(path), queue: { use: 'embedded' } },
      };
    },
  };
}

let made = 0;

async function openPostgres({ core, durable }: JobStoreOptions): Promise<Store> {
  const { url, client, description } = await startDatabase(core, durable);
  return {
    name: 'postgres',
    about: description,
    count: 4000,
    atOnce: AT_ONCE,
    compared: true,
    async createPlace() {
      const name = `bench_${++made}`;
      await client.query(`CREATE DATABASE ${name}`);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return {
        address: { plugin: 'postgres', options: { url: own.href } },
        config: {
          connections: { main: { use: 'postgres', url: own.href } },
          queue: { use: 'postgres', url: own.href },
        },
      };
    },
  };
}

async function openRedis({ folder, core }: JobStoreOptions): Promise<ServerOrSkip<Store>> {
  const server = await startOwnRedis();
  if ('skip' in server) return server;
  adoptServer(server.stop, core);
  return {
    name: 'redis',
    about: 'Redis in memory, nothing of it on disk',
    count: 1000,
    atOnce: AT_ONCE,
    compared: true,
    async createPlace() {
      const client = new Redis(server.url);
      await client.flushall();
      await client.quit();
      return {
        address: { plugin: 'redis', options: { url: server.url } },
        config: {
          connections: createEmbeddedConnections(await folderIn(folder)),
          queue: { use: 'redis', url: server.url },
        },
      };
    },
  };
}

async function openMongo({ folder, core }: JobStoreOptions): Promise<ServerOrSkip<Store>> {
  const server = await startOwnMongo();
  if ('skip' in server) return server;
  adoptServer(server.stop, core);
  return {
    name: 'mongo',
    about:
      process.env['TEST_MONGOD'] === undefined ? 'mongod' : 'mongod as TEST_MONGOD starts it, which may be emulated',
    count: 100,
    atOnce: 8,
    compared: true,
    async createPlace() {
      const url = new URL(server.url);
      url.pathname = `/bench_${++made}`;
      return {
        address: { plugin: 'mongo, patiently', options: { url: url.href } },
        config: {
          connections: createEmbeddedConnections(await folderIn(folder)),
          queue: { use: 'mongo', url: url.href },
        },
      };
    },
  };
}

/** Ends the server with the run, and keeps it off the core of the measured process. */
function adoptServer(stop: () => Promise<void>, core: number | undefined): void {
  onCleanup(stop);
  if (core !== undefined) pinRunning(core, listDescendants(process.pid));
}
