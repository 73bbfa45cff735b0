/** Leases of work that runs: when they are renewed, and when a run learns that its own is lost. Time passes by hand. */
import { expect } from 'chai';
import { createLeases, type LeaseHandle } from '../../../plugins/queues/shared/leases.js';
import type { JobLease } from '../../../plugins/queues/shared/store.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

const LEASE = 900;
const createHeld = (id: string, token = 'mine'): JobLease => ({ id, token });

describe('job leases', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restoreGlobals());

  /** A store that responds by `answer`, and its calls. */
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
  const isLost = ({ lost, abort }: LeaseHandle): boolean => {
    expect(abort.signal.aborted).to.equal(lost);
    return lost;
  };
  const unavailable = new Error('unavailable');

  it('are renewed together every third of a lease, as long as there are jobs', async () => {
    const { leases, renewals } = leasesOver((ids) => ids);
    const one = leases.begin(createHeld('one'));
    await time.advance(100);
    const two = leases.begin(createHeld('two'));
    await time.advance(500);
    expect(renewals).to.deep.equal([
      { at: 300, ids: ['one', 'two'] },
      { at: 600, ids: ['one', 'two'] },
    ]);
    leases.removeLease(one);
    await time.advance(300);
    expect(renewals.at(-1)).to.deep.equal({ at: 900, ids: ['two'] });
    leases.removeLease(two);
    await time.advance(2000);
    expect(renewals).to.have.length(3);
    expect(time.timers(), 'nothing holds the process').to.equal(0);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
    const three = leases.begin(createHeld('three'));
    await time.advance(300);
    expect(renewals.at(-1)?.ids).to.deep.equal(['three']);
    leases.removeLease(three);
  });

  it('are lost immediately if the store has assigned the job to another process, and the others are not', async () => {
    const { leases, renewals } = leasesOver(() => ['one']);
    const [one, two] = [leases.begin(createHeld('one')), leases.begin(createHeld('two'))];
    await time.advance(300);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, true]);
    await time.advance(300);
    expect(renewals.map(({ ids }) => ids)).to.deep.equal([['one', 'two'], ['one']]);
  });

  it('are lost when the store did not respond for a whole lease, and not before', async () => {
    const { leases } = leasesOver(() => unavailable);
    const one = leases.begin(createHeld('one'));
    await time.advance(LEASE - 1);
    expect(isLost(one)).to.equal(false);
    await time.advance(1);
    expect(isLost(one)).to.equal(true);
    expect([...leases.all]).to.deep.equal([]);
  });

  it('last from the renewal that the store confirmed, each by its own', async () => {
    let isUnavailable = false;
    const { leases } = leasesOver((ids) => (isUnavailable ? unavailable : ids));
    const one = leases.begin(createHeld('one'));
    await time.advance(350);
    isUnavailable = true;
    const two = leases.begin(createHeld('two'));
    await time.advance(300 + LEASE - 350 - 1);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
    await time.advance(1);
    expect([isLost(one), isLost(two)]).to.deep.equal([true, false]);
    await time.advance(49);
    expect(isLost(two)).to.equal(false);
    await time.advance(1);
    expect(isLost(two)).to.equal(true);
  });

  it('are lost each at its own end, whichever began first', async () => {
    const { leases } = leasesOver(() => unavailable);
    const lostAt: number[] = [];
    for (const pause of [0, 100, 250, 50]) {
      await time.advance(pause);
      leases.begin(createHeld(String(pause))).abort.signal.addEventListener('abort', () => lostAt.push(time.now()));
    }
    await time.advance(2 * LEASE);
    expect(lostAt).to.deep.equal([LEASE, LEASE + 100, LEASE + 350, LEASE + 400]);
  });

  it('stay valid when the store responds again in time', async () => {
    let tries = 0;
    const { leases } = leasesOver((ids) => (++tries % 3 === 0 ? ids : unavailable));
    const one = leases.begin(createHeld('one'));
    await time.advance(5 * LEASE);
    expect(isLost(one)).to.equal(false);
    expect(tries).to.be.greaterThan(14);
    leases.removeLease(one);
  });

  it('begin with the query to the store, not with its response', async () => {
    let answer = (_ids: ReadonlySet<string>): void => undefined;
    let asked = 0;
    const leases = createLeases(() => {
      if (++asked > 1) return Promise.reject(unavailable);
      return new Promise((resolve) => (answer = resolve));
    }, LEASE);
    const one = leases.begin(createHeld('one'));
    await time.advance(700);
    answer(new Set(['one']));
    await time.advance(300 + LEASE - 700 - 1);
    expect(isLost(one)).to.equal(false);
    await time.advance(1);
    expect(isLost(one)).to.equal(true);
  });

  it('of a run that ended during the query are not lost', async () => {
    let answer = (_ids: ReadonlySet<string>): void => undefined;
    let fail = (_error: Error): void => undefined;
    const leases = createLeases(() => new Promise((resolve, reject) => ([answer, fail] = [resolve, reject])), LEASE);
    const [one, two] = [leases.begin(createHeld('one')), leases.begin(createHeld('two'))];
    await time.advance(300);
    leases.removeLease(one);
    answer(new Set(['two']));
    await time.advance(300);
    leases.removeLease(two);
    await time.advance(LEASE);
    fail(unavailable);
    await time.advance(0);
    expect([isLost(one), isLost(two)]).to.deep.equal([false, false]);
  });

  it('are lost if released, are returned once, and are not renewed any more', async () => {
    const { leases, renewals } = leasesOver((ids) => ids);
    const [one, two] = [leases.begin(createHeld('one')), leases.begin(createHeld('two', 'other'))];
    expect(leases.forfeitAll()).to.deep.equal([one, two]);
    expect([isLost(one), isLost(two), two.token]).to.deep.equal([true, true, 'other']);
    expect(leases.forfeitAll()).to.deep.equal([]);
    expect(time.timers()).to.equal(0);
    await time.advance(LEASE);
    expect(renewals).to.deep.equal([]);
    const three = leases.begin(createHeld('three'));
    await time.advance(LEASE / 3);
    expect(renewals.map(({ ids }) => ids)).to.deep.equal([['three']]);
    leases.removeLease(three);
  });
});
