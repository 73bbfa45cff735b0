/**
 * Requests behave as if they ran one after another, with default settings, on every SQL database: a thousand races each, of requests that
 * go wrong when they interfere. Many run at the same time over real HTTP; none is refused, and what each leaves behind is what some
 * order leaves behind.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { onEach, placeOn, SQL, type Database } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { FILES, HOLDS, RACES } from '../support/serial-races.js';
import { skipTest } from '../support/skip.js';
import { until } from '../support/until.js';

const RUNS = 125;
/** Durable work is dear, and decided as the work of a request is. */
const BEHIND = 'work behind the answer';
const runsOf = (name: string): number => (name === BEHIND ? 10 : RUNS);
const AT_ONCE = 6;
/** A body has so many keys at most. */
const PORTION = 400;

/** Deadlines have tests of their own: what is counted here is not to depend on how busy the machine is. */
const patient = <Name extends string>(databases: readonly Database<Name>[]): readonly Database<Name>[] =>
  databases.map((database) => ({
    ...database,
    config: (url) => {
      const { connections } = database.config(url, { pool_wait: 50, statement_timeout: 50 });
      const beside = { use: 'pglite', path: 'memory://' };
      const isLite = database.make === null;
      return {
        connections: { ...(connections as object), ...(!isLite && { beside }) },
        queue: { use: 'embedded', connection: isLite ? 'main' : 'beside' },
      };
    },
  }));

const groupsOf = (name: string): string[] => Array.from({ length: runsOf(name) }, (_, n) => `${name} ${n}`);

onEach('a thousand races', patient(SQL), { files: FILES }, (kernel) => {
  const rows = async (path: string): Promise<readonly Loose[]> =>
    (await kernel().post<readonly Loose[]>(path, {})).body;

  before(async () => {
    const groups = Object.keys(RACES).flatMap(groupsOf);
    const doctors = groupsOf('write skew').flatMap((g) => [0, 1].map((n) => ({ id: `${g} ${n}`, g })));
    for (let at = 0; at < groups.length; at += PORTION) {
      const some = groups.slice(at, at + PORTION).map((g) => ({ g }));
      expect((await kernel().post('/cell', { groups: some })).status).to.equal(200);
    }
    expect((await kernel().post('/doctor', { doctors })).status).to.equal(200);
  });

  /** Every group of requests at once, some groups beside one another. */
  async function race(name: string): Promise<Record<number, number>> {
    const { paths, body } = RACES[name] ?? { paths: [] };
    const waiting = groupsOf(name);
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
    it(`${name}: nothing is lost and nobody is refused`, async () => {
      const status = name === BEHIND ? 202 : 200;
      expect(await race(name)).to.deep.equal({ [status]: runsOf(name) * paths.length });
      if (name === BEHIND) {
        const all = runsOf(name) * paths.length;
        await until(async () => Number((await kernel().post('/attempts', {})).body['n']) === all);
      }
      const [cells, seats, duty] = [await rows('/cells'), await rows('/seats'), await rows('/duty')];
      const found = new Map(cells.map((row) => [String(row['id']), { n: Number(row['n']), seats: 0, on: 0 }]));
      for (const row of seats) found.get(String(row['room']))!.seats = Number(row['seats']);
      for (const row of duty) found.get(String(row['ward']))!.on = Number(row['on_duty']);
      const broken = groupsOf(name).filter((g) => HOLDS[name]?.(found.get(g)!) !== true);
      expect(broken.map((g) => [g, found.get(g)])).to.deep.equal([]);
    });
  }
});

describe('two times twenty-four requests on one row, of two processes', () => {
  for (const database of patient(SQL).filter(({ make }) => make !== null)) {
    it(`${database.name}: all are counted, none is refused`, async function () {
      const place = await placeOn(database);
      if ('skip' in place) return skipTest(this, place.skip);
      const kernels: TestKernel[] = [];
      try {
        for (const env of [place.env, place.env])
          kernels.push(await startKernel({ files: FILES, config: place.config as Record<string, unknown>, env }));
        const [first] = kernels;
        expect((await first!.post('/cell', { groups: [{ g: 'one' }] })).status).to.equal(200);
        const ask = (path: string): Promise<number>[] =>
          Array.from({ length: 24 }, async (_, n) => (await kernels[n % 2]!.post(`/${path}`, { g: 'one' })).status);
        // A row that is read and written back; a count that none may change until the row is written.
        const statuses = await Promise.all([...ask('add'), ...ask('take')]);
        expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
        expect((await first!.post<readonly Loose[]>('/cells', {})).body).to.deep.equal([{ id: 'one', n: 24 }]);
        expect((await first!.post<readonly Loose[]>('/seats', {})).body).to.deep.equal([{ room: 'one', seats: 1 }]);
      } finally {
        for (const kernel of kernels) await kernel.close();
      }
    });
  }
});
