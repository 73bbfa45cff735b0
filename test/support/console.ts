/** A kernel with its console, as `lintel dev` or `lintel serve` opens it. */
import { openConsole, shareObservers, type Console } from '../../cli/console/console.js';
import { listen, type RunningServer } from '../../kernel/http/server.js';
import { createClient, type Answer, type Client } from './client.js';
import { startKernel, type TestKernel, type TestKernelOptions } from './kernel.js';

export interface ShownKernel extends Client {
  readonly started: TestKernel;
  readonly url: string;
  readonly page: Console;
  readonly token: string;
  /** A call of the page, with the token. */
  call<T>(path: string, method?: string, headers?: Readonly<Record<string, string>>): Promise<Answer<T>>;
  close(): Promise<void>;
}

/** Rows with a secret, rules, a failure of the database, and a service that nothing answers. */
export const CONSOLE_FILES = {
  'definitions/_author.model.json': { id: { type: 'Number', primary_key: true }, name: { type: 'String' } },
  'definitions/_note.model.json': {
    id: { type: 'String', primary_key: true, max_length: 26 },
    text: { type: 'String', max_length: 500 },
    pin: { type: 'String', optional: true, secret: true },
    author: { type: 'Number', optional: true, foreign_key: { of: '_author', key: 'id' } },
    created_at: { type: 'DateTime' },
  },
  'definitions/note-add.json': {
    id: 'note-add',
    resource: 'notes/add',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [
          { field: { text: { type: 'STRING' } }, min_length: 1, max_length: 500 },
          { field: { pin: { type: 'STRING', optional: true } } },
        ],
        sql_query: {
          query: 'INSERT INTO notes (id, text, pin, created_at) VALUES ($1, $2, $3, $4)',
          parameters: ['$GENERATOR.ULID', 'text', 'pin', '$DATETIME'],
        },
      },
    ],
    returnables: ['id', 'text', 'created_at'],
  },
  'definitions/note-list.json': {
    id: 'note-list',
    resource: 'notes/list',
    returnables: ['id', 'text'],
    actionables: [
      { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM notes ORDER BY id' } },
    ],
  },
  'definitions/note-divide.json': {
    id: 'note-divide',
    resource: 'notes/divide',
    returnables: ['n'],
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { by: { type: 'NUMBER' } } }],
        sql_query: { query: 'SELECT CAST(10 AS integer) / CAST($1 AS integer) AS n FROM notes', parameters: ['by'] },
      },
    ],
  },
};

const add = (parameters: readonly unknown[], rest: object = {}): object => ({
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO notes (id, text, created_at) VALUES ($1, $2, $3)', parameters },
  ...rest,
});

/** A job, a job that fails, a schedule, a room, a cached result, a file, and a call that no service answers. */
export const WORK_FILES = {
  ...CONSOLE_FILES,
  'definitions/work.json': [
    {
      id: 'job',
      resource: 'job',
      actionables: [{ id: 1, ...add(['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME']), queue: { retries: 0 } }],
    },
    {
      id: 'yearly',
      resource: 'yearly',
      actionables: [
        {
          id: 1,
          ...add(['$GENERATOR.ULID', { literal: 'yearly' }, '$DATETIME']),
          cron_job: { execution_interval: '0 0 0 1 1 *' },
        },
      ],
    },
    {
      id: 'enter',
      resource: 'enter',
      actionables: [{ id: 1, mode: 'RETURN', value: { entered: '$PAYLOAD.room' }, join_room: 'game $PAYLOAD.room' }],
    },
    {
      id: 'cached',
      resource: 'cached',
      returnables: ['text'],
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { text: '$PAYLOAD.text' },
          cacheable: { read_from_cache: true, cache_key: 'text $PAYLOAD.text', duration: 60 },
        },
      ],
    },
    {
      id: 'call',
      resource: 'call',
      actionables: [
        {
          ...{ id: 1, mode: 'HTTPREQUEST' },
          http: { method: 'POST', url: 'http://127.0.0.1:9/hook', request_body: { n: '$PAYLOAD.n' } },
        },
      ],
    },
    {
      id: 'upload',
      resource: 'upload',
      actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'pictures' }, returnables: ['url'] }],
    },
  ],
};

export async function startWithConsole(
  options: TestKernelOptions & { readonly dev?: boolean } = {},
): Promise<ShownKernel> {
  const { dev = true } = options;
  const config = { outbound: { allow: ['127.0.0.1:9'] }, ...options.config };
  const started = await startKernel({ files: CONSOLE_FILES, ...options, config, dev });
  const { kernel, observeAlways } = shareObservers(started.kernel);
  const page = await openConsole(kernel, dev, observeAlways);
  if (page === null) throw new Error('the console is off');
  const server: RunningServer = await listen(kernel, page.routes);
  const client = createClient(server.url);
  const token =
    new URL(page.address, server.url).searchParams.get('key') ?? started.kernel.project.env['CONSOLE_TOKEN'] ?? '';
  return {
    ...client,
    started,
    url: server.url,
    page,
    token,
    call: (path, method = 'GET', headers = {}) =>
      client.request(method, `/console/api/${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
    async close() {
      page.close();
      await server.stop(5);
      await started.close();
    },
  };
}
