/**
 * Contract of ledgers of scheduled runs: assign an instant to one process, to none during the previous run, record
 * finished runs, and release the schedule of a dead process. `open` opens the same ledger again, as another process
 * would.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RETENTION_MS, type Claim, type Scheduler } from '../../plugins/schedulers/kind.js';
import { waitUntil } from '../support/until.js';
import { skipTest } from '../support/skip.js';

export interface OpenScheduler {
  readonly handle: Scheduler;
  readonly close: () => Promise<void>;
}

const HOUR = 3_600_000;
const T = Date.parse('2026-03-01T03:00:00Z');

export function schedulerContract(
  name: string,
  start: () => Promise<(() => Promise<OpenScheduler>) | { readonly skip: string }>,
): void {
  describe(`scheduler ${name}`, function () {
    const opened: OpenScheduler[] = [];
    let one: Scheduler;
    let two: Scheduler;
    let three: Scheduler;
    let made = 0;
    const createKey = (): string => `contract#${++made}`;
    const claimRun = (ledger: Scheduler, key: string, instant: number, lease = 30, by: string = randomUUID()) =>
      ledger.claimRun(key, instant, lease, by);

    before(async function () {
      const open = await start();
      if ('skip' in open) return skipTest(this, open.skip);
      for (let n = 0; n < 3; n++) opened.push(await open());
      [one, two, three] = opened.map(({ handle }) => handle) as [Scheduler, Scheduler, Scheduler];
    });
    after(async () => {
      for (const { close } of opened.reverse()) await close();
    });

    it('assigns an instant to one of several concurrent claims', async () => {
      for (let round = 0; round < 10; round++) {
        const key = createKey();
        const asked = [one, two, three, one, two, three].map((ledger) => claimRun(ledger, key, T));
        const answers = (await Promise.all(asked)).sort();
        expect(answers).to.deep.equal(['mine', 'taken', 'taken', 'taken', 'taken', 'taken']);
      }
    });

    it('does not assign it again, finished or not', async () => {
      const key = createKey();
      expect(await claimRun(one, key, T)).to.equal('mine');
      expect(await claimRun(two, key, T)).to.equal('taken');
      await one.finishRun(key, T);
      expect(await claimRun(two, key, T)).to.equal('taken');
      expect(await claimRun(one, key, T)).to.equal('taken');
    });

    it('distinguishes schedules by their keys, whatever they contain', async () => {
      const keys = [
        `${createKey()}`,
        `${createKey()}`,
        'ä#1',
        "'; DROP TABLE x; --#1",
        '$set#1',
        '{a}#1',
        'a.b#1',
        '__proto__#1',
      ];
      for (const key of keys) expect(await claimRun(one, key, T + 7), key).to.equal('mine');
    });

    it('skips what is due during a run, counts it once, and continues after it', async () => {
      const key = createKey();
      expect(await claimRun(one, key, T)).to.equal('mine');
      const answers: Claim[] = await Promise.all([one, two, three].map((ledger) => claimRun(ledger, key, T + 1000)));
      expect(answers.sort()).to.deep.equal(['busy', 'taken', 'taken']);
      expect(await two.countSkipped(key)).to.equal(1);
      await one.finishRun(key, T);
      expect(await claimRun(three, key, T + 1000), 'what was skipped is over').to.equal('taken');
      expect(await claimRun(three, key, T + 2000)).to.equal('mine');
      expect(await one.countSkipped(key)).to.equal(1);
    });

    it('counts nothing for an unknown schedule', async () => {
      expect(await one.countSkipped(createKey())).to.equal(0);
    });

    it('returns the same to a repeated query', async () => {
      const key = createKey();
      const by = randomUUID();
      expect(await claimRun(one, key, T, 30, by)).to.equal('mine');
      expect(await claimRun(one, key, T, 30, by)).to.equal('mine');
      const other = randomUUID();
      expect(await claimRun(two, key, T + 1000, 30, other)).to.equal('busy');
      expect(await claimRun(two, key, T + 1000, 30, other)).to.equal('busy');
      expect(await one.countSkipped(key)).to.equal(1);
    });

    it('releases a schedule when its lease has expired, and not as long as it is renewed', async () => {
      const key = createKey();
      expect(await claimRun(one, key, T, 0.5)).to.equal('mine');
      expect(await one.renewClaim(key, T, 30)).to.equal(true);
      expect(await claimRun(two, key, T + 1000)).to.equal('busy');
      expect(await one.renewClaim(key, T, 0.3)).to.equal(true);
      let instant = T + 1000;
      await waitUntil(async () => (await claimRun(two, key, (instant += 1000))) === 'mine');
      expect(instant, 'not at once').to.be.greaterThan(T + 1000);
      expect(await one.renewClaim(key, T, 30), 'it belongs to somebody else by now').to.equal(false);
      await one.finishRun(key, T);
      expect(await claimRun(three, key, instant + 1000), 'the end of a lost run frees nothing').to.equal('busy');
    });

    it('renews nothing that is finished or was never claimed', async () => {
      const key = createKey();
      expect(await one.renewClaim(key, T, 30)).to.equal(false);
      await claimRun(one, key, T);
      await one.finishRun(key, T);
      expect(await one.renewClaim(key, T, 30)).to.equal(false);
    });

    it('returns the latest instant, and since when a schedule exists', async () => {
      const key = createKey();
      expect(await one.resolveLatest(key, 'a', T)).to.equal(T);
      expect(await two.resolveLatest(key, 'a', T + 5000)).to.equal(T);
      await claimRun(one, key, T + 10_000);
      expect(await two.resolveLatest(key, 'a', T + 20_000)).to.equal(T + 10_000);
      await claimRun(one, key, T + 11_000);
      expect(await three.resolveLatest(key, 'a', T + 20_000), 'a skipped one is known too').to.equal(T + 11_000);
    });

    it('restarts with a schedule that has changed', async () => {
      const key = createKey();
      await one.resolveLatest(key, 'a', T);
      expect(await one.resolveLatest(key, 'b', T + 5000)).to.equal(T + 5000);
      expect(await two.resolveLatest(key, 'b', T + 9000)).to.equal(T + 5000);
      await claimRun(one, key, T + 60_000);
      expect(await two.resolveLatest(key, 'c', T + 9000), 'never before what was run').to.equal(T + 60_000);
    });

    it('runs an instant once that is repeated or skipped by daylight saving time', async () => {
      const key = createKey();
      for (const instant of [T, T + 24 * HOUR, T + 23 * HOUR]) {
        expect(await claimRun(one, key, instant)).to.equal('mine');
        await one.finishRun(key, instant);
      }
      for (const instant of [T, T + 23 * HOUR, T + 24 * HOUR])
        expect(await claimRun(two, key, instant), new Date(instant).toISOString()).to.equal('taken');
      expect(await claimRun(two, key, T + HOUR)).to.equal('mine');
    });

    it('forgets single instants in time, and runs none of those again', async () => {
      const key = createKey();
      const old = [T, T + 1000, T + 2000];
      for (const instant of [...old, T + 2000 + RETENTION_MS + 1]) {
        expect(await claimRun(one, key, instant)).to.equal('mine');
        await one.finishRun(key, instant);
      }
      for (const instant of [T - 1000, T + 500, ...old]) expect(await claimRun(two, key, instant)).to.equal('taken');
      expect(await claimRun(two, key, T + 3000), 'nobody had this one').to.equal('mine');
    });
  });
}
