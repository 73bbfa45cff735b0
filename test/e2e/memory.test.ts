/**
 * The memory of a serving process does not grow with the number of requests. Measured in a separate process, after a
 * full garbage collection. `e2e/soak` runs longer, with every feature.
 */
import { expect } from 'chai';
import { startCli, type Child } from '../support/child.js';
import { collectHeap, HEAP_PROBE } from '../support/child-heap.js';
import { createClient, type Client } from '../support/client.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, createTempProject, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const CALLERS = 8;
/** Of a round in a check; the first one settles what is new in a process. */
const REQUESTS = 400;
/** Bytes for each request: the test detects one retained object, the rest is noise. */
const MOST = 1200;

const statement = (query: string, parameters: readonly string[] = []): object => ({
  mode: 'QUERY',
  sql_query: { query, parameters },
});
const FILES = {
  'definitions/_note.model.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    text: { type: 'String' },
  },
  'definitions/a.json': [
    defineQueryResource('read', 'SELECT 1 AS one'),
    defineQueryResource('write', 'INSERT INTO notes (text) VALUES ($1)', ['$PAYLOAD.text']),
    {
      id: 'chain',
      resource: 'chain',
      actionables: [
        { id: 1, ...statement('INSERT INTO notes (text) VALUES ($1)', ['$PAYLOAD.text']) },
        { id: 2, ...statement('UPDATE notes SET text = $1 WHERE id = 1', ['$PAYLOAD.text']) },
      ],
    },
    defineQueryResource('cached', 'SELECT $1::text AS text', ['$PAYLOAD.text'], {
      cacheable: { cache_key: 'x_$PAYLOAD.text', duration: 60 },
    }),
    {
      id: 'later',
      resource: 'later',
      actionables: [
        { id: 1, ...statement('SELECT 1 AS one') },
        { id: 2, ...statement('UPDATE notes SET text = $1 WHERE id = 2', ['$PAYLOAD.text']), queue: {} },
      ],
    },
    defineQueryResource('waiting', 'SELECT count(*)::int AS jobs FROM lintel_jobs'),
  ],
};
const ROUTES = ['read', 'write', 'chain', 'cached', 'later', 'none'];

describe('memory of a serving process', function () {
  let project!: TempProject;
  let child!: Child;
  let client!: Client;

  before(async () => {
    const server = await startPostgres();
    const isThere = !('skip' in server);
    const connections = { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } };
    project = await createTempProject({ ...FILES, 'lintel.config.json': isThere ? { connections } : {} });
    child = startCli(['serve'], {
      cwd: project.folder,
      env: { PORT: '0', ...(isThere && { DATABASE_URL: await createPostgresDatabase() }) },
      node: HEAP_PROBE,
    });
    const [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = createClient(url);
  });
  after(async () => {
    await child?.stop('SIGKILL');
    await project?.dispose();
  });

  /** Deferred work is over first. */
  async function heap(): Promise<number> {
    await waitUntil(async () => (await client.post('/waiting')).body['jobs'] === 0, 'no job is left');
    return (await collectHeap(child)).heap;
  }

  /** By several callers at once, as long as `more` returns true; their number. */
  async function sendRequests(more: (count: number) => boolean): Promise<number> {
    let count = 0;
    const call = async (): Promise<void> => {
      while (more(count)) {
        const route = ROUTES[count++ % ROUTES.length] ?? '';
        const { status } = await client.post(`/${route}`, { text: `text ${count % 50}` });
        if (status !== (route === 'none' ? 404 : 200)) throw new Error(`/${route} answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    return count;
  }

  it('does not grow', async () => {
    const round = async (): Promise<number> => {
      await sendRequests((count) => count < REQUESTS);
      return heap();
    };
    await round();
    const first = await round();
    const last = await round().then(round);
    expect((last - first) / (2 * REQUESTS), 'bytes for each request').to.be.lessThan(MOST);
  });
});
