/** Leases of work that runs: when they are renewed, and when a run learns that its own is lost. Time passes by hand. */
import { expect } from 'chai';
import { createLeases, type Holding } from '../../plugins/queues/shared/leases.js';
import type { Held } from '../../plugins/queues/shared/store.js';
import { replaceTime, type ManualTime } from '../support/manual-time.js';

const LEASE = 900;
const held = (id: string, token = 'mine'): Held => ({ id, token });

describe('leases of work that runs', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restore());

  /** A store that answers as `answer` says, and what it was asked. */
  function leasesOver(answer: (asked: readonly string[]) => readonly string[] | Error) {
    const renewals: { at: number; ids: readonly string[] }[] = [];
    const leases = createLeases((asked, lease) => {
      expect(lease).to.equal(LEASE);
      const ids = asked.map(({ id }) => id);
      renewals.push({ at: time.now(), ids });
      const found = answer(ids);
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(new Set(found));
    }, LEASE);
    return { leases, renewals };
  }
  const isLost = ({ lost, abort }: Holding): boolean => {
    expect(abort.signal.aborted).to.equal(lost);
    return lost;
  };
  const unavailable = new Error('unavailable');

  it('are renewed together every third of a lease, as long as there is work', async () => {
    const { leases, renewals } = leasesOver((ids) => ids);
    const one = leases.begin(held('one'));
    await time.pass(100);
    const two = leases.begin(held('two'));
    await time.pass(500);
    expect(renewals).to.deep.equal([
      { at: 300, ids: ['one', 'two'] },
      { at: 600, ids: ['one', 'two'] },
    ]);
    leases.end(one);
    await time.pass(300);
    expect(renewals.at(-1)).to.deep.equal({ at: 900, ids: ['two'] });
    leases.end(two);
    await time.pass(2000);
    expect(renewals).to.have.length(3);
    expect(time.timers(), 'nothing holds the process').to.equal(0);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
    const three = leases.begin(held('three'));
    await time.pass(300);
    expect(renewals.at(-1)?.ids).to.deep.equal(['three']);
    leases.end(three);
  });

  it('that the store has given to others are lost at once, and the others are not', async () => {
    const { leases, renewals } = leasesOver(() => ['one']);
    const [one, two] = [leases.begin(held('one')), leases.begin(held('two'))];
    await time.pass(300);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, true]);
    await time.pass(300);
    expect(renewals.map(({ ids }) => ids)).to.deep.equal([['one', 'two'], ['one']]);
  });

  it('are lost when the store did not answer for a whole lease, and not before', async () => {
    const { leases } = leasesOver(() => unavailable);
    const one = leases.begin(held('one'));
    await time.pass(LEASE - 1);
    expect(isLost(one)).to.equal(false);
    await time.pass(1);
    expect(isLost(one)).to.equal(true);
    expect([...leases.all]).to.deep.equal([]);
  });

  it('last from the renewal that the store answered, each by its own', async () => {
    let isUnavailable = false;
    const { leases } = leasesOver((ids) => (isUnavailable ? unavailable : ids));
    const one = leases.begin(held('one'));
    await time.pass(350);
    isUnavailable = true;
    const two = leases.begin(held('two'));
    await time.pass(300 + LEASE - 350 - 1);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
    await time.pass(1);
    expect([isLost(one), isLost(two)]).to.deep.equal([true, false]);
    await time.pass(49);
    expect(isLost(two)).to.equal(false);
    await time.pass(1);
    expect(isLost(two)).to.equal(true);
  });

  it('are lost each at its own end, whichever began first', async () => {
    const { leases } = leasesOver(() => unavailable);
    const lostAt: number[] = [];
    for (const pause of [0, 100, 250, 50]) {
      await time.pass(pause);
      leases.begin(held(String(pause))).abort.signal.addEventListener('abort', () => lostAt.push(time.now()));
    }
    await time.pass(2 * LEASE);
    expect(lostAt).to.deep.equal([LEASE, LEASE + 100, LEASE + 350, LEASE + 400]);
  });

  it('stay valid when the store answers again in time', async () => {
    let tries = 0;
    const { leases } = leasesOver((ids) => (++tries % 3 === 0 ? ids : unavailable));
    const one = leases.begin(held('one'));
    await time.pass(5 * LEASE);
    expect(isLost(one)).to.equal(false);
    expect(tries).to.be.greaterThan(14);
    leases.end(one);
  });

  it('last from the moment at which the store was asked, not from its answer', async () => {
    let answer = (_ids: ReadonlySet<string>): void => undefined;
    let asked = 0;
    const leases = createLeases(() => {
      if (++asked > 1) return Promise.reject(unavailable);
      return new Promise((resolve) => (answer = resolve));
    }, LEASE);
    const one = leases.begin(held('one'));
    await time.pass(700);
    answer(new Set(['one']));
    await time.pass(300 + LEASE - 700 - 1);
    expect(isLost(one)).to.equal(false);
    await time.pass(1);
    expect(isLost(one)).to.equal(true);
  });

  it('of a run that ended while the store was asked are not lost', async () => {
    let answer = (_ids: ReadonlySet<string>): void => undefined;
    let fail = (_error: Error): void => undefined;
    const leases = createLeases(() => new Promise((resolve, reject) => ([answer, fail] = [resolve, reject])), LEASE);
    const [one, two] = [leases.begin(held('one')), leases.begin(held('two'))];
    await time.pass(300);
    leases.end(one);
    answer(new Set(['two']));
    await time.pass(300);
    leases.end(two);
    await time.pass(LEASE);
    fail(unavailable);
    await time.pass(0);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
  });

  it('that are given up are lost, are returned once, and are not renewed any more', async () => {
    const { leases, renewals } = leasesOver((ids) => ids);
    const [one, two] = [leases.begin(held('one')), leases.begin(held('two', 'other'))];
    expect(leases.surrender()).to.deep.equal([one, two]);
    expect([isLost(one), isLost(two), two.token]).to.deep.equal([true, true, 'other']);
    expect(leases.surrender()).to.deep.equal([]);
    expect(time.timers()).to.equal(0);
    await time.pass(LEASE);
    expect(renewals).to.deep.equal([]);
    const three = leases.begin(held('three'));
    await time.pass(LEASE / 3);
    expect(renewals.map(({ ids }) => ids)).to.deep.equal([['three']]);
    leases.end(three);
  });
});
