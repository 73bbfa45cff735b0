/** The limiter: fairness between clients, ends of waits, rejections by estimate. Under manual time. */
import { expect } from 'chai';
import { getClientKey, toNetwork, type Requester } from '../../contract/requester.js';
import { createConflictRetry } from '../../contract/conflict-retry.js';
import { createLimiter, type ReleaseSlot, type Limiter } from '../../contract/limiter.js';

interface Settings {
  readonly places?: number;
  readonly patience?: number;
}

class Busy extends Error {
  constructor(readonly seconds: number) {
    super('busy');
  }
}

const createAsker = (remote: string, deadline = Infinity, claims: Requester['claims'] = null): Requester => ({
  invocation: { remote, deadline, onFinish: () => undefined },
  claims,
});

/** A clock that the test moves. */
function testClock() {
  const sleepers = new Set<{ at: number; wake: () => void }>();
  let time = 1000;
  const clock = {
    now: () => time,
    wait: (milliseconds: number) => new Promise<void>((wake) => void sleepers.add({ at: time + milliseconds, wake })),
  };
  return {
    clock,
    async pass(milliseconds: number): Promise<void> {
      const end = time + milliseconds;
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        sleepers.delete(next);
        time = next.at;
        next.wake();
        await flushTasks();
      }
      time = end;
      await flushTasks();
    },
  };
}

const flushTasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('limiter', () => {
  const time = testClock();
  const createTestLine = (atOnce: number, { places = 100, patience = Infinity }: Settings = {}): Limiter =>
    createLimiter(atOnce, places, (seconds) => new Busy(seconds), { clock: time.clock, patience });

  /** Acquires slots and records by name which are held. */
  function entrants(line: Limiter) {
    const inside: string[] = [];
    const rejected: string[] = [];
    const leaves = new Map<string, ReleaseSlot>();
    return {
      inside,
      rejected,
      leaves,
      come(name: string, whose: Requester | null): void {
        line.requestSlot(whose, (failure, leave) => {
          (failure === null ? inside : rejected).push(name);
          leaves.set(name, leave);
        });
      },
      leave: (name: string): void => leaves.get(name)?.(),
    };
  }

  it('serves all clients in turn, in any order of arrival', () => {
    const people = entrants(createTestLine(1));
    for (const n of [1, 2, 3, 4]) people.come(`a${n}`, createAsker('10.0.0.1'));
    people.come('b1', createAsker('10.0.0.2'));
    people.come('b2', createAsker('10.0.0.2'));
    for (let at = 0; at < 5; at++) people.leave(people.inside[at] ?? '');
    expect(people.inside).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('removes the last waiting request of the client with most when it is full, and rejects clients with as many', () => {
    const people = entrants(createTestLine(1, { places: 3 }));
    for (const n of [1, 2, 3, 4]) people.come(`a${n}`, createAsker('10.0.0.1'));
    people.come('a5', createAsker('10.0.0.1'));
    expect(people.rejected).to.deep.equal(['a5']);
    people.come('b1', createAsker('10.0.0.2'));
    expect(people.rejected).to.deep.equal(['a5', 'a4']);
    people.come('c1', createAsker('10.0.0.3'));
    expect(people.rejected).to.deep.equal(['a5', 'a4', 'a3']);
    people.come('d1', createAsker('10.0.0.4'));
    expect(people.rejected).to.deep.equal(['a5', 'a4', 'a3', 'd1']);
  });

  it('ends a wait at the deadline of its request, or at its own limit', async () => {
    const line = createTestLine(1, { patience: 500 });
    const people = entrants(line);
    people.come('first', null);
    people.come('short', createAsker('10.0.0.1', time.clock.now() + 100));
    people.come('long', createAsker('10.0.0.1', time.clock.now() + 10_000));
    await time.pass(130);
    expect(people.rejected).to.deep.equal(['short']);
    await time.pass(400);
    expect([people.rejected, line.waiting]).to.deep.equal([['short', 'long'], 0]);
    people.leave('first');
    people.leave('first');
    expect(line.running).to.equal(0);
  });

  it('rejects immediately a request that would wait beyond its deadline, and returns when to retry', async () => {
    const line = createTestLine(1);
    for (const n of [1, 2, 3]) {
      const leave = await line.acquire(createAsker(`10.0.0.${n}`));
      await time.pass(2000);
      leave();
    }
    const leave = await line.acquire();
    const next = line.acquire(createAsker('10.0.0.1'));
    const rejected: unknown = await line
      .acquire(createAsker('10.0.0.1', time.clock.now() + 2000))
      .catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Busy).with.property('seconds', 4);
    leave();
    (await next)();
  });

  /**
   * One slot, work of 100 ms, one request each `every` ms; returns the wait of each admitted one, and the number of
   * rejected ones.
   */
  async function load(every: number, count: number): Promise<{ waits: number[]; rejected: number }> {
    const line = createTestLine(1, { patience: 5000 });
    const waits: number[] = [];
    let rejected = 0;
    let over = 0;
    for (let n = 0; n < count; n++) {
      const came = time.clock.now();
      line.requestSlot(createAsker('10.0.0.1'), (failure, leave) => {
        over++;
        if (failure !== null) return void rejected++;
        waits.push(time.clock.now() - came);
        void time.clock.wait(100).then(() => leave());
      });
      await time.pass(every);
    }
    while (over < count) await time.pass(100);
    await time.pass(200);
    return { waits, rejected };
  }

  it('keeps waits short under overload, and admits all requests otherwise', async () => {
    const half = await load(200, 20);
    expect([half.rejected, Math.max(...half.waits)]).to.deep.equal([0, 0]);
    const twice = await load(50, 200);
    expect(Math.max(...twice.waits.slice(-50))).to.be.at.most(200);
    expect(twice.rejected).to.be.within(60, 120);
  });

  it('does not count clients that wait for their responses as overload', async () => {
    const line = createTestLine(2, { patience: 60_000 });
    let rejected = 0;
    let done = 0;
    const client = async (): Promise<void> => {
      for (let n = 0; n < 10; n++) {
        await line.run(() => time.clock.wait(50), createAsker('10.0.0.1')).catch(() => rejected++);
        done++;
      }
    };
    for (let n = 0; n < 40; n++) void client();
    while (done < 400) await time.pass(50);
    expect(rejected).to.equal(0);
  });

  it('retries all of a burst of conflicts that are found over seconds', async () => {
    const retry = createConflictRetry(time.clock);
    const outcomes: unknown[] = [];
    for (let n = 0; n < 40; n++) {
      let attempt = 0;
      const work = async (): Promise<void> => {
        // All begin at once, and the database finds their conflicts one after the other.
        await time.clock.wait(++attempt === 1 ? 60 * (n + 1) : 150);
        if (attempt === 1) throw new Error('conflict');
      };
      const deadline = time.clock.now() + 30_000;
      void retry(work, () => true, createAsker('10.0.0.1', deadline)).then(
        () => outcomes.push('done'),
        (error: unknown) => outcomes.push(error),
      );
    }
    await time.pass(10_000);
    expect(outcomes).to.deep.equal(Array.from({ length: 40 }, () => 'done'));
  });

  it('identifies a client by its verified identity, or by its network', () => {
    const claims = { id: 7, iat: 1, exp: 2 };
    expect(getClientKey(createAsker('10.0.0.1', 0, claims))).to.equal(
      getClientKey(createAsker('10.0.0.9', 0, { ...claims, exp: 9 })),
    );
    expect(getClientKey(createAsker('10.0.0.1', 0, claims))).to.not.equal(
      getClientKey(createAsker('10.0.0.1', 0, { id: 8 })),
    );
    const one = toNetwork('2001:db8::1');
    expect(toNetwork('2001:0DB8:0:0:ffff::7%eth0')).to.equal(one);
    expect(toNetwork('2001:db8:0:1::1')).to.not.equal(one);
    expect([toNetwork('10.0.0.1'), toNetwork('::1')]).to.deep.equal(['10.0.0.1', '0:0:0:0::/64']);
  });
});
