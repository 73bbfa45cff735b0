/**
 * Schedules in running kernels: work that the clock begins, with what it depends on, once in all processes. Waits for rows; nothing
 * here knows how long a second is but the clock itself.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { patient } from '../support/patient.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { ready, serving } from '../support/serve.js';

type Row = Readonly<Record<string, unknown>>;

const MODEL = {
  _ticks: {
    id: { type: 'String', primary_key: true },
    at: { type: 'DateTime' },
    who: { type: 'String', optional: true },
  },
};
const LIST = {
  id: 'ticks',
  resource: 'ticks',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      result: 'many',
      sql_query: { query: 'SELECT id, at, who FROM ticks ORDER BY at, id', parameters: [] },
    },
  ],
};
const tick = (expression: string, rest: object = {}): object => ({
  id: 'tick',
  resource: 'tick',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      sql_query: { query: 'INSERT INTO ticks (id, at) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', '$DATETIME'] },
      cron_job: { execution_interval: expression, ...rest },
    },
  ],
});
const FILES = { 'definitions/_ticks.json': MODEL, 'definitions/ticks.json': LIST };

describe('schedules', function () {
  this.timeout(60_000);
  const started: TestKernel[] = [];
  afterEach(async () => {
    for (const kernel of started.splice(0)) await kernel.close();
  });

  async function start(files: object, options: TestKernelOptions = {}): Promise<TestKernel> {
    const { config, ...rest } = options;
    const kernel = await startKernel({
      ...rest,
      files: { ...FILES, ...(files as TestKernelOptions['files']) },
      config: { connections: { main: { use: 'pglite', path: 'memory://' } }, ...config },
    });
    started.push(kernel);
    return kernel;
  }
  const rowsOf = async (kernel: TestKernel): Promise<readonly Row[]> =>
    (await kernel.post('/ticks')).body as unknown as readonly Row[];
  const until = (kernel: TestKernel, count: number): Promise<void> =>
    patient(async () => (await rowsOf(kernel)).length >= count, 20);

  it('run every second without a request, at whole seconds, each once', async () => {
    const kernel = await start({ 'definitions/tick.json': tick('* * * * * *') });
    await until(kernel, 3);
    const instants = (await rowsOf(kernel)).map(({ at }) => String(at));
    expect(new Set(instants).size).to.equal(instants.length);
    for (const instant of instants) expect(instant).to.match(/:\d\d\.000Z$/);
    expect((await kernel.post('/tick')).status, 'no request reaches it').to.equal(404);
  });

  it('run what they depend on first, and stand beside work of requests', async () => {
    const kernel = await start({
      'definitions/mixed.json': {
        id: 'mixed',
        resource: 'mixed',
        actionables: [
          {
            id: 1,
            no_op: true,
            mode: 'RETURN',
            value: { name: 'the night' },
            extract_response_for: [{ extract: 'name', for: 'who' }],
          },
          { id: 2, mode: 'RETURN', value: { answer: 'of a request' } },
          {
            id: 3,
            mode: 'QUERY',
            depends_on: [{ resource_id: 'self', action_ids: [1] }],
            sql_query: {
              query: 'INSERT INTO ticks (id, at, who) VALUES ($1, $2, $3)',
              parameters: ['$GENERATOR.ULID', '$DATETIME', 'who'],
            },
            cron_job: { execution_interval: '* * * * * *', time_zone: 'Asia/Tokyo' },
          },
        ],
      },
    });
    const answer = await kernel.post('/mixed');
    expect([answer.status, answer.body]).to.deep.equal([200, { answer: 'of a request' }]);
    await until(kernel, 1);
    expect((await rowsOf(kernel))[0]).to.include({ who: 'the night' });
  });

  it('begin with a reload that is the first to have any, and end with one that takes them away', async () => {
    const kernel = await start({});
    await kernel.project.write('definitions/tick.json', tick('* * * * * *'));
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    await until(kernel, 1);
    await kernel.project.write('definitions/tick.json', tick('0 0 0 1 1 *'));
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect(kernel.kernel.running.schedules().map(({ expression }) => expression)).to.deep.equal(['0 0 0 1 1 *']);
    await kernel.project.write('definitions/tick.json', {
      id: 'tick',
      resource: 'tick',
      actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
    });
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect(kernel.kernel.running.schedules()).to.deep.equal([]);
  });

  it('have the zone of the config where they name none', async () => {
    const kernel = await start(
      { 'definitions/tick.json': tick('0 0 3 * * *') },
      { config: { scheduler: { use: 'embedded', time_zone: 'Europe/Berlin' } } },
    );
    expect(kernel.kernel.running.schedules().map(({ zone }) => zone)).to.deep.equal(['Europe/Berlin']);
  });

  it('go on after a run that fails, which the log tells by its code', async () => {
    const kernel = await start({
      'definitions/fails.json': {
        id: 'fails',
        resource: 'fails',
        actionables: [
          {
            id: 1,
            mode: 'QUERY',
            sql_query: { query: "INSERT INTO ticks (id, at) VALUES ('same', $1)", parameters: ['$DATETIME'] },
            cron_job: { execution_interval: '* * * * * *' },
          },
        ],
      },
    });
    const failed = (): number => kernel.log.filter(({ fields }) => fields['code'] === 'QRY_UNIQUE').length;
    await patient(() => failed() >= 4, 20);
    expect(await rowsOf(kernel)).to.have.length(1);
  });

  it('keep their ledger out of what `migrate` looks at', async () => {
    const kernel = await start({ 'definitions/tick.json': tick('* * * * * *') });
    await until(kernel, 1);
    expect(await kernel.kernel.outline()).to.deep.equal({ steps: [], warnings: [] });
  });

  describe('in three processes on one database', () => {
    const { folder, startIn } = serving();

    it('run each instant once', async function () {
      const server = await startPostgres();
      if ('skip' in server) return this.skip();
      const env = { DATABASE_URL: await freshDatabase() };
      const project = await folder({ ...FILES, 'definitions/tick.json': tick('* * * * * *') });
      const children = [];
      for (let n = 0; n < 3; n++) {
        const child = startIn(project.folder, { env });
        children.push(child);
        // One after the other: the first makes the tables.
        await ready(child);
      }
      const [first] = children;
      if (first === undefined) throw new Error('nothing was started');
      const client = await ready(first);
      const rows = async (): Promise<readonly Row[]> => (await client.post('/ticks')).body as unknown as readonly Row[];
      const before = (await rows()).length;
      await patient(async () => (await rows()).length >= before + 5, 20);
      const instants = (await rows()).map(({ at }) => Date.parse(String(at)));
      expect(new Set(instants).size, 'no instant twice').to.equal(instants.length);
      expect(instants.filter((instant) => instant % 1000 !== 0)).to.deep.equal([]);
      await Promise.all(children.map((child) => child.stop()));
    });
  });
});
