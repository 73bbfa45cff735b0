/** Checked tests with kills between the groups of jobs: a queue store only provides itself. */
import { expect } from 'chai';
import type { ServerOrSkip } from './guarded-server.js';
import { ITEMS, killBetweenSteps, TABLES, type KillStore, type StepEvidence } from './job-kills.js';
import { startOwnRedis } from './redis.js';
import { countRuns, sampleCases } from './sample.js';
import { skipTest } from './skip.js';

type Closing = KillStore & { readonly stop?: () => Promise<void> };

/** Kills of one test, and tests in a full run: a test has two minutes, also on a machine that is busy. */
const KILLS = 7;
const ROUNDS = 4;

/** The queue in the database of the rows, and on another server. A sample uses one of them. */
const STORES: Readonly<Record<'postgres' | 'redis', () => Promise<ServerOrSkip<Closing>>>> = {
  postgres: () => Promise.resolve({ queue: { use: 'postgres', url: '$ENV.DATABASE_URL' }, address: null }),
  redis: async () => {
    const server = await startOwnRedis();
    if ('skip' in server) return server;
    const { url, stop } = server;
    const queue = { use: 'redis', url: '$ENV.QUEUE_URL' };
    return { queue, env: { QUEUE_URL: url }, address: { plugin: 'redis', options: { url } }, stop };
  },
};

/** Each committed group exists once; each call was made with one key and the same values. */
export function checkSteps({ acknowledged, tables, calls, left, notes, kills }: StepEvidence): void {
  expect(left).to.deep.equal([]);
  const known = new Set([...acknowledged, ...(tables['firsts']?.keys() ?? [])]);
  for (const job of known) {
    for (const table of TABLES)
      expect(tables[table]?.get(job), `${table} of ${job}`).to.equal(table === 'lists' ? ITEMS : 1);
    const mine = calls.filter((one) => one.job === job);
    for (const step of [1, 2, 3]) {
      const made = mine.filter((one) => one.step === step).map((one) => one.made);
      expect(made.length, `call ${step} of ${job}`).to.be.greaterThan(0);
      expect(new Set(made).size, `values of call ${step} of ${job}`).to.equal(1);
    }
    expect(new Set(mine.map(({ key }) => key)).size, `keys of ${job}`).to.equal(1);
  }
  // A kill after the end of a job leaves the notes of its four groups, of as many jobs as ran; they are removed a day
  // later.
  expect(notes).to.be.at.most(kills * 4 * 4);
}

/** `half`: of a full run; a file has five minutes, also on a machine that is busy, and a sample is part of the first one. */
export function testKills(name: keyof typeof STORES, half: 1 | 2): void {
  if (!sampleCases('kills', 'stores of job kills', Object.keys(STORES), 1).includes(name)) return;
  const last = countRuns('kills', 1, 2 * ROUNDS);
  describe(`jobs whose processes are killed between their groups (${name})`, () => {
    for (let round = (half - 1) * ROUNDS + 1; round <= Math.min(last, half * ROUNDS); round++)
      it(`continue at their last step (${round})`, async function () {
        const store = await STORES[name]();
        if ('skip' in store) return skipTest(this, store.skip);
        const kills = countRuns('kills', 2, KILLS);
        const evidence = await killBetweenSteps(store, kills).finally(() => store.stop?.());
        if ('skip' in evidence) return skipTest(this, evidence.skip);
        expect(evidence.kills).to.equal(kills);
        checkSteps(evidence);
      });
  });
}
