/**
 * Requests behave as if they ran one after another, with default settings, on every SQL database: a thousand races each
 * in a deep run, of requests that fail when they interfere. Many run concurrently over real HTTP; none is rejected, and
 * the effects of each equal those of some serial order.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnEach, createDatabase, SQL, type Database, type SqlName } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createRaceFiles, HOLDS, RACES } from '../support/serial-races.js';
import { countRuns } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const RUNS = countRuns('races', 24, 112);
/** Durable jobs are expensive, and decided like those of a request. */
const BEHIND = 'work after the response';
const countRunsFor = (name: string): number => (name === BEHIND ? countRuns('races', 4, 10) : RUNS);
const AT_ONCE = 6;

/** Deadlines have separate tests: the counts must not depend on the load of the machine. */
const patient = (database: Database<SqlName>, url: string): object =>
  database.config(url, { pool_wait: 50, statement_timeout: 50 })['connections'] as object;
/** No queue is in MySQL. */
const withQueue = (database: Database<SqlName>): Database<SqlName> => ({
  ...database,
  config(url) {
    const connections = patient(database, url);
    if (database.name === 'postgres') return { connections, queue: { use: 'postgres', url } };
    if (database.make === null) return { connections, queue: { use: 'embedded', connection: 'main' } };
    const beside = { use: 'pglite', path: 'memory://' };
    return { connections: { ...connections, beside }, queue: { use: 'embedded', connection: 'beside' } };
  },
});

const createGroups = (name: string): string[] => Array.from({ length: countRunsFor(name) }, (_, n) => `${name} ${n}`);

const FILES = createRaceFiles(Object.keys(RACES).flatMap(createGroups));

describeOnEach('races', SQL.map(withQueue), { files: FILES }, (kernel) => {
  const rows = async (path: string, name: string): Promise<readonly Loose[]> =>
    (await kernel().post<readonly Loose[]>(path, { like: `${name} %` })).body;

  before(async () => {
    for (const path of ['/cell', '/doctor']) expect((await kernel().post(path, {})).status).to.equal(200);
  });

  /** Every group of requests at once, some groups in parallel. */
  async function race(name: string): Promise<Record<number, number>> {
    const { paths, body } = RACES[name] ?? { paths: [] };
    const waiting = createGroups(name);
    const statuses: Record<number, number> = {};
    const work = async (): Promise<void> => {
      for (let g = waiting.pop(); g !== undefined; g = waiting.pop()) {
        const answers = await Promise.all(
          paths.map((path, n) => kernel().post(`/${path}`, { g, me: `${g} ${n}`, ...body })),
        );
        for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return statuses;
  }

  for (const [name, { paths }] of Object.entries(RACES)) {
    it(`${name}: lose nothing and reject no request`, async () => {
      const status = name === BEHIND ? 202 : 200;
      expect(await race(name)).to.deep.equal({ [status]: countRunsFor(name) * paths.length });
      if (name === BEHIND) {
        const all = countRunsFor(name) * paths.length;
        await waitUntil(async () => Number((await kernel().post('/attempts', {})).body['n']) === all);
      }
      const found = new Map(createGroups(name).map((g) => [g, { n: 0, seats: 0, on: 0 }]));
      const [cells, seats, duty] = await Promise.all(['/cells', '/seats', '/duty'].map((path) => rows(path, name)));
      for (const { id, n } of cells!) found.get(String(id))!.n = Number(n);
      for (const row of seats!) found.get(String(row['room']))!.seats = Number(row['seats']);
      for (const row of duty!) found.get(String(row['ward']))!.on = Number(row['on_duty']);
      const broken = createGroups(name).filter((g) => HOLDS[name]?.(found.get(g)!) !== true);
      expect(broken.map((g) => [g, found.get(g)])).to.deep.equal([]);
    });
  }
});

describe('two times twenty-four requests on one row, of two processes', () => {
  const files = createRaceFiles(['one'], [BEHIND]);
  for (const database of SQL.filter(({ make }) => make !== null)) {
    it(`${database.name}: are all counted, and none is rejected`, async function () {
      const place = await createDatabase(database);
      if ('skip' in place) return skipTest(this, place.skip);
      const kernels: TestKernel[] = [];
      try {
        const config = { connections: patient(database, '$ENV.DATABASE') };
        for (const env of [place.env, place.env]) kernels.push(await startKernel({ files, config, env }));
        const [first] = kernels;
        expect((await first!.post('/cell', {})).status).to.equal(200);
        const postMany = (path: string): Promise<number>[] =>
          Array.from({ length: 24 }, async (_, n) => (await kernels[n % 2]!.post(`/${path}`, { g: 'one' })).status);
        // A row that is read and written back; a count that must not change until the row is written.
        const statuses = await Promise.all([...postMany('add'), ...postMany('take')]);
        expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
        expect((await first!.post<readonly Loose[]>('/cells', { like: 'one' })).body).to.deep.equal([
          { id: 'one', n: 24 },
        ]);
        expect((await first!.post<readonly Loose[]>('/seats', { like: 'one' })).body).to.deep.equal([
          { room: 'one', seats: 1 },
        ]);
      } finally {
        for (const kernel of kernels) await kernel.close();
      }
    });
  }
});
