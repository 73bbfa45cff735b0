/**
 * Schedules in a running kernel: scheduled work with its dependencies. On real time; `cron-clock` uses manual time, and
 * `cluster-schedules.test.ts` several processes.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { waitUntil } from '../support/until.js';
import { outlineMigration } from '../../language/project/store-changes.js';

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
const EVERY_SECOND = { execution_interval: '* * * * * *' };
const insert = (cron_job: object): object => ({
  id: 1,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO ticks (id, at) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', '$DATETIME'] },
  cron_job,
});
const tick = (cron_job: object): object => ({ id: 'tick', resource: 'tick', actionables: [insert(cron_job)] });
const MIXED = {
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
      cron_job: { ...EVERY_SECOND, time_zone: 'Asia/Tokyo' },
    },
  ],
};
const FAILS = {
  id: 'fails',
  resource: 'fails',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      sql_query: { query: "INSERT INTO ticks (id, at, who) VALUES ('same', $1, 'fails')", parameters: ['$DATETIME'] },
      cron_job: EVERY_SECOND,
    },
  ],
};

describe('schedules', function () {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({
      files: { 'definitions/_ticks.json': MODEL, 'definitions/ticks.json': LIST },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        scheduler: { use: 'embedded', time_zone: 'Europe/Berlin' },
      },
    });
  });
  after(() => kernel?.close());

  const readRows = async (who: string | null): Promise<readonly Row[]> =>
    ((await kernel.post('/ticks')).body as unknown as readonly Row[]).filter((row) => row['who'] === who);
  const ran = (who: string | null, count: number): Promise<void> =>
    waitUntil(async () => (await readRows(who)).length >= count);
  async function reload(files: Readonly<Record<string, object>>): Promise<void> {
    for (const [name, content] of Object.entries(files))
      await kernel.project.write(`definitions/${name}.json`, content);
    expect((await kernel.kernel.reload()).applied).to.equal(true);
  }

  it('begin with a reload that first declares any: every second, at whole seconds, each once', async () => {
    expect(kernel.kernel.running.schedules()).to.deep.equal([]);
    await reload({ tick: tick(EVERY_SECOND), mixed: MIXED, fails: FAILS });
    await ran(null, 2);
    const instants = (await readRows(null)).map(({ at }) => String(at));
    expect(new Set(instants).size).to.equal(instants.length);
    for (const instant of instants) expect(instant).to.match(/:\d\d\.000Z$/);
    expect((await kernel.post('/tick')).status, 'no request reaches it').to.equal(404);
  });

  it('run their dependencies first, and are independent of jobs of requests', async () => {
    const answer = await kernel.post('/mixed');
    expect([answer.status, answer.body]).to.deep.equal([200, { answer: 'of a request' }]);
    await ran('the night', 1);
  });

  it('continue after a failed run, whose code is logged', async () => {
    const countUniqueErrors = (): number => kernel.log.filter(({ fields }) => fields['code'] === 'QRY_UNIQUE').length;
    await waitUntil(() => countUniqueErrors() >= 2);
    expect(await readRows('fails')).to.have.length(1);
  });

  it('store their ledger outside the tables that `migrate` compares', async () => {
    expect(await outlineMigration(kernel.kernel.schemas())).to.deep.equal({ steps: [], warnings: [] });
  });

  it('use the zone of the config if they name none, and end with a reload that removes them', async () => {
    const zones = (): object =>
      Object.fromEntries(kernel.kernel.running.schedules().map(({ expression, zone }) => [expression, zone]));
    await kernel.project.remove('definitions/mixed.json');
    await kernel.project.remove('definitions/fails.json');
    await reload({ tick: tick({ execution_interval: '0 0 3 1 1 *' }) });
    expect(zones()).to.deep.equal({ '0 0 3 1 1 *': 'Europe/Berlin' });
    await reload({ tick: { id: 'tick', resource: 'tick', actionables: [{ id: 1, mode: 'RETURN', value: 1 }] } });
    expect(zones()).to.deep.equal({});
  });
});
