/**
 * Accepted work and the ends of processes: killed behind the answer, killed while the work runs, asked to end, asked twice.
 * `lintel serve` as a child process, on the embedded database and on a server that two processes share.
 */
import { expect } from 'chai';
import { eventually, JOBS, jobsOf, noJobs, queueIn } from '../support/jobs.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import type { Files } from '../support/project.js';
import { ready, serving } from '../support/serve.js';
import { startUpstream, type Asked, type Upstream } from '../support/upstream.js';

const definitions = [
  JOBS,
  { _ledger: { id: { type: 'String', primary_key: true }, text: { type: 'String' } } },
  {
    id: 'ledger',
    resource: 'ledger',
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM ledger' } }],
  },
  {
    id: 'later',
    resource: 'later',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        queue: { delay: 0.5 },
        sql_query: { query: 'INSERT INTO ledger (id, text) VALUES ($1, $2)', parameters: ['id', 'text'] },
      },
    ],
  },
  {
    id: 'call',
    resource: 'call',
    run_in_background: true,
    actionables: [
      {
        id: 1,
        mode: 'HTTPREQUEST',
        http: { url: '$ENV.REMOTE/work', method: 'POST', request_body: { made: '$GENERATOR.ULID', at: '$DATETIME' } },
      },
    ],
  },
];

describe('accepted work outlives processes', function () {
  this.timeout(60_000);
  const serve = serving();
  let upstream!: Upstream;
  /** What the other service does with each call; silence is for the first ones. */
  let silent = 0;
  let held: (() => void)[] = [];

  before(async () => {
    upstream = await startUpstream((_req, res) => {
      const answer = (): void => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      if (silent-- > 0) held.push(answer);
      else answer();
    });
  });
  after(() => upstream.close());
  beforeEach(() => {
    upstream.asked.splice(0);
    silent = 0;
    held = [];
  });

  const filesWith = (queue: object): Files => ({
    'definitions/all.json': definitions,
    'lintel.config.json': {
      queue: { ...queue, lease: 1 },
      outbound: { allow: [`127.0.0.1:${upstream.port}`] },
    },
  });
  const env = (more: object = {}): Record<string, string> => ({ REMOTE: upstream.url, ...more });
  const calls = (count: number): Promise<readonly Asked[]> =>
    eventually(
      () => upstream.asked,
      ({ length }) => length >= count,
    );
  /** The same id and the same values in all runs. */
  const expectOne = (made: readonly Asked[], id: unknown): void => {
    expect([...new Set(made.map(({ headers }) => headers['idempotency-key']))]).to.deep.equal([id]);
    expect(new Set(made.map(({ body }) => body)).size).to.equal(1);
  };

  it('is done after a restart when the process is killed behind its answer', async () => {
    const { folder } = await serve.folder(filesWith(queueIn('pglite')));
    const first = serve.startIn(folder, { env: env() });
    const client = await ready(first);
    expect((await client.post('/later', { id: 'a', text: 'kept' })).status).to.equal(202);
    await first.stop('SIGKILL');
    const again = await ready(serve.startIn(folder, { env: env() }));
    await noJobs(again);
    expect((await again.post('/ledger')).body).to.deep.equal([{ id: 'a', text: 'kept' }]);
  });

  it('is done again under the same id when the process is killed in the middle of it', async () => {
    silent = 1;
    const { folder } = await serve.folder(filesWith(queueIn('pglite')));
    const first = serve.startIn(folder, { env: env() });
    const { body } = await (await ready(first)).post('/call', {});
    await calls(1);
    await first.stop('SIGKILL');
    const again = await ready(serve.startIn(folder, { env: env() }));
    expectOne(await calls(2), body['id']);
    await noJobs(again);
  });

  it('finishes what runs when the process is asked to end, and leaves the rest for the next', async () => {
    silent = 1;
    const { folder } = await serve.folder(filesWith(queueIn('pglite')));
    const first = serve.startIn(folder, { env: env() });
    const client = await ready(first);
    await client.post('/call', {});
    await calls(1);
    expect((await client.post('/later', { id: 'b', text: 'kept' })).status).to.equal(202);
    const ended = first.stop('SIGTERM');
    await first.printed(/SIGTERM|ending|stopping/);
    held.forEach((answer) => answer());
    expect((await ended).code).to.equal(0);
    const again = await ready(serve.startIn(folder, { env: env() }));
    await noJobs(again);
    expect((await again.post('/ledger')).body).to.deep.equal([{ id: 'b', text: 'kept' }]);
    // The call was counted as done by the process that ended.
    expect(upstream.asked).to.have.length(1);
  });

  describe('two processes on one server', () => {
    let database: Record<string, string> = {};
    before(async function () {
      const server = await startPostgres();
      if ('skip' in server) return this.skip();
    });
    beforeEach(async () => {
      database = { DATABASE_URL: await freshDatabase() };
    });
    const start = async () => {
      const { folder } = await serve.folder(filesWith(queueIn('postgres')));
      const child = serve.startIn(folder, { env: env(database) });
      return { child, client: await ready(child) };
    };

    it('the other one does it when the first is killed in the middle of it', async () => {
      silent = 1;
      const first = await start();
      const { body } = await first.client.post('/call', {});
      await calls(1);
      const second = await start();
      await first.child.stop('SIGKILL');
      expectOne(await calls(2), body['id']);
      await noJobs(second.client);
      expect(upstream.asked).to.have.length(2);
    });

    it('the other one has it within two seconds when the first is asked to end twice', async () => {
      silent = 1;
      const first = await start();
      await first.client.post('/call', {});
      await calls(1);
      const second = await start();
      const from = Date.now();
      first.child.process.kill('SIGTERM');
      await first.child.printed(/SIGTERM|ending|stopping/);
      const { code } = await first.child.stop('SIGTERM');
      expect(code).not.to.equal(0);
      await calls(2);
      expect(Date.now() - from).to.be.lessThan(3000);
      await noJobs(second.client);
    });

    it('each is done once, whoever accepted it', async () => {
      const [first, second] = [await start(), await start()];
      const ids = Array.from({ length: 30 }, (_, index) => `job-${index}`);
      await Promise.all(
        ids.map((id, index) => (index % 2 === 0 ? first : second).client.post('/later', { id, text: 'once' })),
      );
      await noJobs(first.client);
      const { body } = await first.client.post<readonly { id: string }[]>('/ledger');
      expect(body.map(({ id }) => id)).to.have.members(ids);
      expect(await jobsOf(second.client)).to.deep.equal([]);
    });
  });
});
