/**
 * Queues for tests, opened like in the kernel: by the runtime of the plugin, on a running store. Passes each plugin its
 * store, and is independent of its implementation.
 */
import type { Json } from '../../contract/json.js';
import type { JobEntry } from '../../contract/deferred.js';
import type { Log, PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { Dialect } from '../../plugins/dialects/kind.js';
import type { Queue } from '../../plugins/queues/kind.js';

export type Options = Readonly<Record<string, unknown>>;

/** The identity of a queue: enough for a child process to open the same one. */
export interface Address {
  readonly plugin: string;
  readonly options: Options;
  /** Of the embedded database. */
  readonly path?: string;
}

export interface OpenedQueue {
  readonly queue: Queue;
  /** The connection `main`, for queues that lie in it. */
  readonly main: Dialect | null;
  /** Messages of the log, in order. */
  readonly messages: readonly string[];
  readonly close: () => Promise<void>;
}

/** The server may be an emulated one: where it is not the subject, time is not counted. */
async function patientMongo(): Promise<PluginRuntime<Queue>> {
  const { default: mongo, createMongoQueue } = await import('../../plugins/queues/mongo/runtime.js');
  return { ...mongo, create: (context) => createMongoQueue(context, 20_000) };
}
/** Loaded when they are used: a child process needs one of them. */
const RUNTIMES: Readonly<Record<string, () => Promise<PluginRuntime<Queue>>>> = {
  embedded: async () => (await import('../../plugins/queues/embedded/runtime.js')).default,
  mongo: async () => (await import('../../plugins/queues/mongo/runtime.js')).default,
  'mongo, patiently': patientMongo,
  postgres: async () => (await import('../../plugins/queues/postgres/runtime.js')).default,
  redis: async () => (await import('../../plugins/queues/redis/runtime.js')).default,
};

const doNothing = (): void => {};
const SILENT: Log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

export interface Main {
  readonly handle: Dialect;
  readonly close: () => Promise<void>;
}

export async function openMain(path: string, log: Log = SILENT): Promise<Main> {
  await import('./pglite-pool.js');
  const { default: pglite } = await import('../../plugins/dialects/pglite/runtime.js');
  const context = { options: { path }, instance: 'main', folder: '/', log } as unknown as RuntimeContext;
  const handle = pglite.create?.(context);
  if (handle === undefined) throw new Error('no handle');
  await pglite.open?.(handle, context);
  return { handle, close: async () => pglite.close?.(handle) };
}

/** `given`: a connection that is open already, and stays open. */
export async function openQueue({ plugin, options, path }: Address, given?: Dialect): Promise<OpenedQueue> {
  const reported: string[] = [];
  const recordMessage = (_fields: object, message: string): void => void reported.push(message);
  const log: Log = { debug: doNothing, info: recordMessage, warn: recordMessage, error: recordMessage };
  const own = path === undefined || given !== undefined ? null : await openMain(path, log);
  const main = given ?? own?.handle ?? null;
  const context = { options, log, instance: plugin, resolve: () => main } as unknown as RuntimeContext;
  const runtime = await RUNTIMES[plugin]?.();
  const queue = runtime?.create?.(context);
  if (runtime === undefined || queue === undefined) throw new Error(`no queue ${plugin}`);
  await runtime.open?.(queue, context);
  const close = async (): Promise<void> => {
    await runtime.close?.(queue);
    await own?.close();
  };
  return { queue, main, messages: reported, close };
}

let made = 0;

/** A job that does nothing: its purpose is in its payload. */
export function createTestJob(
  payload: Json = null,
  {
    delay = 0,
    priority = 0,
    retries = 0,
    id = `work ${++made}`,
  }: Partial<Omit<JobEntry, 'work'> & { id: string }> = {},
): JobEntry {
  const state = { payload, claims: null, headers: {}, remote: '', names: {}, results: {}, made: [] };
  const work = { id, resource: 'mail', part: 'mail/1', version: 'v1', needs: ['n1'], acceptedAt: Date.now(), state };
  return { work, delay, priority, retries };
}
