/**
 * Jobs of several steps under a running kernel, on every queue store: rows in a SQL database, calls to a service that
 * fails as often as a test requires.
 */
import type { JobView } from '../../contract/deferred.js';
import type { Answer, Loose } from './client.js';
import { DATABASES, startKernel, type TestDatabase, type TestKernel } from './kernel.js';
import type { ServerOrSkip } from './guarded-server.js';
import { createMongoDatabase, startMongo } from './mongo.js';
import { startOwnRedis } from './redis.js';
import { createJsonBehaviour, startUpstream } from './upstream.js';

export interface StepStore extends TestDatabase {
  readonly queue?: object;
  readonly documents?: object | undefined;
  readonly stop?: () => Promise<void>;
}

const [PGLITE, POSTGRES] = DATABASES;
const QUICK = { backoff: 0.02, poll: 0.3 };

/** Rows are in an embedded database if the queue is on another server. */
async function createSplitStore(queue: object, env: Record<string, string>): Promise<ServerOrSkip<StepStore>> {
  const database = await PGLITE!.make();
  return 'skip' in database ? database : { ...database, env, queue: { ...queue, ...QUICK } };
}

export const STEP_STORES: readonly { readonly name: string; readonly make: () => Promise<ServerOrSkip<StepStore>> }[] =
  [
    { name: 'embedded', make: async () => withQueue(await PGLITE!.make(), { use: 'embedded', ...QUICK }) },
    {
      name: 'postgres',
      make: async () => withQueue(await POSTGRES!.make(), { use: 'postgres', url: '$ENV.DATABASE_URL', ...QUICK }),
    },
    {
      name: 'redis',
      async make() {
        const server = await startOwnRedis();
        if ('skip' in server) return server;
        const store = await createSplitStore({ use: 'redis', url: '$ENV.REDIS_URL' }, { REDIS_URL: server.url });
        return 'skip' in store ? store : { ...store, stop: server.stop };
      },
    },
    {
      name: 'mongo',
      async make() {
        const server = await startMongo();
        if ('skip' in server) return server;
        return createSplitStore({ use: 'mongo', url: '$ENV.MONGO_URL' }, { MONGO_URL: await createMongoDatabase() });
      },
    },
  ];

const withQueue = (database: ServerOrSkip<TestDatabase>, queue: object): ServerOrSkip<StepStore> =>
  'skip' in database ? database : { ...database, queue };

export const defineSqlAction = (
  id: number,
  query: string,
  parameters: readonly unknown[] = [],
  rest: object = {},
): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
export const defineCallAction = (id: number, body: object, rest: object = {}): object => ({
  id,
  mode: 'HTTPREQUEST',
  http: { url: '$ENV.SERVICE/', method: 'POST', request_body: body },
  ...rest,
});
/** Reads a result of another actionable of the resource. */
export const defineExtraction = (id: number, extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [id], extract_response_for: [{ extract, for: name }] }],
});
export const defineQueuedResource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  ...{ id, resource: id, queue: { retries: 6 }, actionables },
  ...rest,
});
const defineListResource = (table: string): object => ({
  id: `all-${table}`,
  resource: `all-${table}`,
  actionables: [defineSqlAction(1, `SELECT * FROM ${table} ORDER BY 1`, [], { result: 'many' })],
});

const TEXT = { type: 'String' };
const NUMBERED = { type: 'Number', primary_key: true, auto_increment: true };

export const STEP_FILES = {
  'definitions/models.json': {
    _orders: { id: { ...TEXT, primary_key: true }, ref: TEXT },
    _counts: { n: NUMBERED, ref: TEXT },
    _takes: { id: { ...TEXT, primary_key: true }, answer: { ...TEXT, optional: true } },
  },
  'definitions/all.json': [
    defineQueuedResource('order', [
      defineSqlAction(1, 'INSERT INTO orders (id, ref) VALUES ($1, $2)', ['$GENERATOR.ULID', '$PAYLOAD.ref']),
      defineCallAction(2, { order: '$PAYLOAD.order' }, defineExtraction(1, 'id', 'order')),
    ]),
    defineQueuedResource('numbered', [
      defineSqlAction(1, 'INSERT INTO counts (ref) VALUES ($1) RETURNING n', ['$PAYLOAD.ref']),
      defineCallAction(2, { n: '$PAYLOAD.n' }, defineExtraction(1, 'n', 'n')),
    ]),
    defineQueuedResource('taken', [defineSqlAction(1, 'INSERT INTO takes (id) VALUES ($1)', ['$PAYLOAD.id'])]),
    defineQueuedResource('called', [
      defineCallAction(1, { asked: '$PAYLOAD.id' }),
      defineSqlAction(
        2,
        'INSERT INTO takes (id, answer) VALUES ($1, $2)',
        ['$PAYLOAD.id', '$PAYLOAD.answer'],
        defineExtraction(1, 'answer', 'answer'),
      ),
    ]),
    {
      id: 'free',
      resource: 'free',
      actionables: [defineSqlAction(1, 'DELETE FROM takes WHERE id = $1', ['$PAYLOAD.id'])],
    },
    ...['orders', 'counts', 'takes'].map(defineListResource),
  ],
};

export interface Call {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Row = Readonly<Record<string, unknown>>;

export interface StepKernel {
  readonly kernel: TestKernel;
  readonly post: (path: string, body: object) => Promise<Answer<Loose>>;
  readonly rows: (table: string) => Promise<readonly Row[]>;
  /** Since the last `refuseNext`. */
  readonly calls: () => readonly Call[];
  /** The service returns 500 for so many calls. */
  readonly failNext: (count: number) => void;
  /** It returns 500 for calls for which this is true; the next is the first. */
  readonly failCalls: (isRejected: (place: number) => boolean) => void;
  readonly jobs: () => Promise<readonly JobView[]>;
  readonly retry: (id: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export async function startStepKernel(store: StepStore, files: object): Promise<StepKernel> {
  let isRejected = (_place: number): boolean => false;
  let from = 0;
  const service = await startUpstream((req, res, asked) => {
    const { asked: id } = JSON.parse(asked.body) as { asked?: string };
    if (isRejected(service.requests.length - from)) createJsonBehaviour({ no: true }, 500)(req, res, asked);
    else createJsonBehaviour({ answer: `said ${id}` })(req, res, asked);
  });
  const kernel = await startKernel({
    files: files as never,
    env: { ...store.env, SERVICE: service.url },
    config: {
      connections: store.connections,
      outbound: { allow: ['127.0.0.1'] },
      ...(store.queue && { queue: store.queue }),
      ...(store.documents && { documents: store.documents }),
    },
  });
  const [admin] = kernel.kernel.listJobAdmins();
  const failCalls: StepKernel['failCalls'] = (rejected) => {
    isRejected = rejected;
    from = service.requests.length;
  };
  return {
    kernel,
    post: (path, body) => kernel.post(path, body),
    rows: async (table) => (await kernel.post<readonly Row[]>(`/all-${table}`)).body,
    calls: () =>
      service.requests.slice(from).map(({ headers, body }) => ({
        key: String(headers['idempotency-key']),
        body: JSON.parse(body) as Call['body'],
      })),
    failNext: (count) => failCalls((place) => place <= count),
    failCalls,
    jobs: async () => (await admin?.list({})) ?? [],
    retry: async (id) => (await admin?.retry(id)) ?? false,
    async close() {
      await kernel.close();
      await service.close();
      await store.stop?.();
    },
  };
}
