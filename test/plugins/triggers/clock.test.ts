/**
 * The scheduler under manual time: jumps, downtimes, overlaps, reloads and unavailable ledgers. Several schedulers
 * share one ledger like processes do.
 */
import { expect } from 'chai';
import type { Outcome, Schedule } from '../../../contract/deferred.js';
import { createCronScheduler, type CronScheduler } from '../../../plugins/triggers/scheduled-work/cron-scheduler.js';
import { createFakeTime, type FakeTime } from '../../support/fake-time.js';
import { createMemoryLedger, type MemoryLedger } from '../../support/memory-ledger.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DONE: Outcome = { done: true };

interface Process {
  readonly clock: CronScheduler;
  /** Changes the definitions. */
  readonly reload: (schedules: readonly Schedule[]) => void;
}

describe('scheduler', () => {
  let time: FakeTime;
  let ledger: MemoryLedger;
  /** Instants that ran, of all processes. */
  let ran: string[];
  let reported: string[];
  /** The promise that a run awaits. */
  let work: (instant: number, aborted: () => boolean) => Promise<Outcome>;

  const at = (start: string): void => {
    time = createFakeTime(start);
    ledger = createMemoryLedger(() => time.now());
    ran = [];
    reported = [];
    work = () => Promise.resolve(DONE);
  };
  beforeEach(() => at('2026-03-01T00:00:00.500Z'));

  const of = (expression: string, zone: string | null = null, key = 'a#1'): Schedule => ({
    ...{ key, resource: 'a', expression, zone },
  });
  const short = (instant: number): string => new Date(instant).toISOString().slice(5, 19);

  function start(schedules: readonly Schedule[], catchUp = DAY): Process {
    let listener: () => void = () => undefined;
    let current = schedules;
    const note = (_fields: object, message: string): void => void reported.push(message);
    const clock = createCronScheduler({
      time,
      log: { debug: note, info: note, warn: note, error: note },
      scheduler: { ...getLedger(), settings: { zone: 'UTC', catchUp } },
      running: {
        emit: () => undefined,
        schedules: () => current,
        onPlansReloaded: (call) => {
          listener = call;
          return () => (listener = () => undefined);
        },
        runSchedule: (_schedule, id, instant, signal) => {
          ran.push(short(instant));
          expect(id).to.equal(`${_schedule.key}@${new Date(instant).toISOString()}`);
          return work(instant, () => signal.aborted);
        },
      },
    });
    clock.begin();
    return {
      clock,
      reload(next) {
        current = next;
        listener();
      },
    };
  }
  const getLedger = (): MemoryLedger => ledger;

  it('runs every instant once, however many processes are running', async () => {
    start([of('*/10 * * * * *')]);
    start([of('*/10 * * * * *')]);
    start([of('*/10 * * * * *')]);
    await time.advance(30_000);
    expect(ran).to.deep.equal(['03-01T00:00:10', '03-01T00:00:20', '03-01T00:00:30']);
  });

  it('runs nothing early, also weeks ahead, with timers of at most ten seconds', async () => {
    // A timer of Node overflows after 24.8 days.
    start([of('0 0 0 27 3 *')]);
    await time.advance(HOUR);
    time.shiftClock(26 * DAY - 2 * HOUR);
    await time.advance(HOUR - 1000);
    expect(ran).to.deep.equal([]);
    await time.advance(1000);
    expect(ran).to.deep.equal(['03-27T00:00:00']);
    expect(time.longest).to.be.at.most(10_000);
  });

  it('repeats and loses nothing when the system clock is set back by an hour, or a day', async () => {
    for (const jump of [HOUR, DAY]) {
      at('2026-03-01T00:00:00.500Z');
      start([of('0 0,30 * * * *')]);
      await time.advance(2 * HOUR);
      expect(ran).to.deep.equal(['03-01T00:30:00', '03-01T01:00:00', '03-01T01:30:00', '03-01T02:00:00']);
      time.shiftClock(-jump);
      await time.advance(jump);
      // A day before the first of them there are instants that never ran.
      expect(ran.slice(4).filter((instant) => instant > '03-01T00:00:00')).to.deep.equal([]);
      expect(ran).to.have.length(jump === HOUR ? 4 : 4 + 44);
      await time.advance(HOUR);
      expect(ran.slice(-2)).to.deep.equal(['03-01T02:30:00', '03-01T03:00:00']);
    }
  }).timeout(60_000);

  it('runs the latest instant that the clock skipped, and all of them when it is set back again', async () => {
    start([of('0 0 * * * *')]);
    await time.advance(HOUR);
    time.shiftClock(DAY);
    await time.advance(HOUR);
    expect(ran).to.deep.equal(['03-01T01:00:00', '03-02T01:00:00', '03-02T02:00:00']);
    time.shiftClock(-DAY);
    await time.advance(2 * HOUR);
    expect(ran.slice(3)).to.deep.equal(['03-01T03:00:00', '03-01T04:00:00']);
  });

  it('catches up the latest run of a downtime, once for all processes, and none that is too old', async () => {
    const first = start([of('0 0 3 * * *')]);
    await time.advance(4 * HOUR);
    await first.clock.drain();
    await time.advance(3 * DAY);
    start([of('0 0 3 * * *')]);
    start([of('0 0 3 * * *')]);
    await time.advance(1000);
    expect(ran).to.deep.equal(['03-01T03:00:00', '03-04T03:00:00']);
    const late = start([of('0 0 3 * * *', null, 'b#1')], HOUR / 2);
    await late.clock.drain();
    await time.advance(HOUR * 24);
    start([of('0 0 3 * * *', null, 'b#1')], HOUR / 2);
    await time.advance(1000);
    expect(ran.slice(2)).to.deep.equal(['03-05T03:00:00']);
  });

  it('catches up nothing from before a schedule existed', async () => {
    await time.advance(5 * HOUR);
    start([of('0 0 3 * * *')]);
    await time.advance(HOUR);
    expect(ran).to.deep.equal([]);
  });

  it('skips and counts what is due during a run, in any process', async () => {
    let end: () => void = () => undefined;
    work = () => new Promise((resolve) => (end = () => resolve(DONE)));
    start([of('*/10 * * * * *')]);
    start([of('*/10 * * * * *')]);
    await time.advance(35_000);
    expect(ran).to.deep.equal(['03-01T00:00:10']);
    expect(await ledger.countSkipped('a#1')).to.equal(2);
    end();
    await time.advance(10_000);
    expect(ran).to.deep.equal(['03-01T00:00:10', '03-01T00:00:40']);
    expect(reported.filter((message) => message.startsWith('scheduled run skipped'))).to.have.length.within(1, 2);
  });

  it('holds its claim for the duration of a run, minutes and more', async () => {
    work = () => new Promise(() => undefined);
    start([of('0 * * * * *')]);
    start([of('0 * * * * *')]);
    await time.advance(10 * 60_000);
    expect(ran).to.have.length(1);
  });

  it('reports a run whose claim is lost', async () => {
    let isAborted: () => boolean = () => false;
    work = (_instant, aborted) => {
      isAborted = aborted;
      return new Promise(() => undefined);
    };
    start([of('0 0 * * * *')]);
    await time.advance(HOUR + 5000);
    expect(isAborted()).to.equal(false);
    ledger.isAway = true;
    await time.advance(60_000);
    expect(isAborted()).to.equal(true);
    expect(reported).to.include('claim of a scheduled run lost; it may overlap with the next run');
  });

  it('does not repeat a run that fails; the next one runs when it is due', async () => {
    work = () => Promise.resolve({ done: false, code: 'X', detail: 'no', retryable: true });
    start([of('0 * * * * *')]);
    await time.advance(2 * 60_000);
    expect(ran).to.deep.equal(['03-01T00:01:00', '03-01T00:02:00']);
    expect(reported).to.include('scheduled run failed; the next run is not affected');
  });

  it('continues after a run that throws', async () => {
    work = () => Promise.reject(new Error('never does'));
    start([of('0 * * * * *')]);
    await time.advance(2 * 60_000);
    expect(ran).to.have.length(2);
  });

  it('waits for an unavailable ledger, logs it once, and runs the latest instant that was missed', async () => {
    start([of('0 * * * * *')]);
    await time.advance(60_000);
    ledger.isAway = true;
    await time.advance(5 * 60_000);
    expect(ran).to.deep.equal(['03-01T00:01:00']);
    ledger.isAway = false;
    await time.advance(10_000);
    expect(ran).to.deep.equal(['03-01T00:01:00', '03-01T00:06:00']);
    await time.advance(60_000);
    expect(ran.slice(2)).to.deep.equal(['03-01T00:07:00']);
    expect(reported.filter((message) => message.includes('schedule store'))).to.deep.equal([
      'schedule store unavailable; no scheduled run starts until it is available',
      'schedule store available',
    ]);
  });

  it('skips and logs the instants of a longer outage, and continues with the next', async () => {
    start([of('0 0 * * * *')], HOUR / 2);
    await time.advance(1000);
    ledger.isAway = true;
    await time.advance(1.75 * HOUR);
    ledger.isAway = false;
    await time.advance(HOUR / 2);
    expect(ran).to.deep.equal(['03-01T02:00:00']);
    expect(reported.filter((message) => message === 'scheduled run missed')).to.have.length(1);
  }).timeout(60_000);

  it('begins with an unavailable ledger', async () => {
    ledger.isAway = true;
    start([of('0 * * * * *')]);
    await time.advance(90_000);
    expect(ran).to.deep.equal([]);
    ledger.isAway = false;
    await time.advance(5000);
    expect(ran).to.deep.equal(['03-01T00:01:00']);
  });

  it('does not run twice: a claim without a response is requested again', async () => {
    const claim = ledger.claimRun.bind(ledger);
    let lost = 0;
    ledger.claimRun = async (...asked) => {
      const answer = await claim(...asked);
      if (lost++ === 0) throw new Error('the answer was lost');
      return answer;
    };
    start([of('0 * * * * *')]);
    await time.advance(65_000);
    expect(ran).to.deep.equal(['03-01T00:01:00']);
  });

  it('adds, changes and removes schedules with the definitions, and runs nothing twice', async () => {
    const { reload } = start([of('0 * * * * *')]);
    await time.advance(60_000);
    reload([of('0 * * * * *'), of('30 * * * * *', null, 'b#1')]);
    await time.advance(60_000);
    expect(ran).to.deep.equal(['03-01T00:01:00', '03-01T00:01:30', '03-01T00:02:00']);
    reload([of('45 * * * * *')]);
    await time.advance(60_000);
    expect(ran.slice(3)).to.deep.equal(['03-01T00:02:45']);
    reload([]);
    await time.advance(5 * 60_000);
    expect(ran).to.have.length(4);
    reload([of('45 * * * * *')]);
    await time.advance(20_000);
    expect(ran, 'nothing is made up for that was taken away').to.have.length(4);
  });

  it('uses the zone of each schedule, also on days when daylight saving time changes', async () => {
    at('2026-03-28T12:00:00Z');
    start([of('0 30 2 * * *', 'Europe/Berlin'), of('0 30 2 * * *', 'Asia/Tokyo', 'b#1')]);
    await time.advance(2 * DAY);
    expect(ran).to.deep.equal(['03-28T17:30:00', '03-29T01:00:00', '03-29T17:30:00', '03-30T00:30:00']);
    at('2026-10-24T12:00:00Z');
    start([of('0 30 2 * * *', 'Europe/Berlin')]);
    await time.advance(2 * DAY);
    expect(ran).to.deep.equal(['10-25T00:30:00', '10-26T01:30:00']);
  });

  it('ends when current runs have finished, and starts nothing more', async () => {
    let end: () => void = () => undefined;
    work = () => new Promise((resolve) => (end = () => resolve(DONE)));
    const { clock } = start([of('0 * * * * *')]);
    await time.advance(60_000);
    let isOver = false;
    const over = clock.drain().then(() => (isOver = true));
    await time.advance(3 * 60_000);
    expect([ran.length, isOver]).to.deep.equal([1, false]);
    end();
    await over;
    expect(await ledger.renewClaim('a#1', Date.parse('2026-03-01T00:01:00Z'), 30), 'the claim is given back').to.equal(
      false,
    );
  });

  it('hands over to other processes immediately when there is no time left', async () => {
    let isAborted: () => boolean = () => false;
    work = (_instant, aborted) => {
      isAborted = aborted;
      return new Promise(() => undefined);
    };
    const one = start([of('*/10 * * * * *')]);
    await time.advance(10_000);
    const over = one.clock.drain();
    await one.clock.releaseClaims();
    await over;
    expect(isAborted()).to.equal(true);
    work = () => Promise.resolve(DONE);
    start([of('*/10 * * * * *')]);
    await time.advance(10_000);
    expect(ran).to.deep.equal(['03-01T00:00:10', '03-01T00:00:20']);
  });
});
