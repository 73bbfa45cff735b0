/**
 * Calls to MongoDB: alone, in a transaction, or several in one; whether their outcome is known; and that each session
 * ends. Without a server.
 */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import { createCalls, type Calls, type MongoSession } from '../../../plugins/document-stores/mongodb/calls.js';
import { replaceTime } from '../../support/manual-time.js';
import type { MongoConnection } from '../../../plugins/document-stores/mongodb/connection.js';

const failure = (name: string, more: object = {}): Error => Object.assign(new Error('a value'), { name }, more);
const createServerError = (code: number): Error => failure('MongoServerError', { code });
const CONFLICT = createServerError(112);
const CUT = failure('MongoNetworkError');
const TRANSACTION = { maxCommitTimeMS: 5 };

interface Server {
  readonly calls: Calls;
  /** Calls of sessions and of the lock document, in order. */
  readonly asked: string[];
  /** The errors of the next calls of a name. */
  readonly fails: Record<'commit' | 'abort' | 'end' | 'turn' | 'make', Error[]>;
  /** Whether a writable server is available, and how often one was found. */
  reach: { isAvailable: boolean; times: number };
}

function serverWith({ alone = false, deadline = 10_000 } = {}): Server {
  const asked: string[] = [];
  const fails: Server['fails'] = { commit: [], abort: [], end: [], turn: [], make: [] };
  const answer = async (name: keyof typeof fails, more = ''): Promise<void> => {
    asked.push(name + more);
    const error = fails[name].shift();
    if (error !== undefined) throw error;
  };
  let sessions = 0;
  const startSession = (): unknown => {
    const id = ++sessions;
    return {
      id,
      startTransaction: (options: unknown) => void asked.push(`start ${id}${options === TRANSACTION ? '' : ' bare'}`),
      commitTransaction: () => answer('commit', ` ${id}`),
      abortTransaction: () => answer('abort', ` ${id}`),
      endSession: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await answer('end', ` ${id}`);
      },
    };
  };
  const collection = (name: string): unknown => ({
    updateOne: ({ _id }: { _id: string }, change: unknown, { session, ...rest }: { session: { id: number } }) =>
      answer('turn', ` ${session.id} ${name} ${_id} ${JSON.stringify([change, rest])}`),
  });
  const db = { collection, createCollection: (name: string) => answer('make', ` ${name}`) };
  const settings = { deadline, pool: 10, poolWait: deadline, transaction: TRANSACTION };
  const server = { asked, fails, reach: { isAvailable: true, times: 1 } };
  const connection = { client: { startSession }, db, settings, standalone: alone, reach: () => server.reach };
  return Object.assign(server, { calls: createCalls(() => connection as unknown as MongoConnection) });
}

const catchFault = async (work: Promise<unknown>): Promise<Fault | null> =>
  work.then(
    () => null,
    (error: unknown) => error as Fault,
  );
const catchCode = async (work: Promise<unknown>): Promise<unknown> => (await catchFault(work))?.code ?? null;
const getClientId = (session: MongoSession): unknown => (session.client as { id?: number } | undefined)?.id ?? null;
const ok = (session: MongoSession): Promise<unknown> => Promise.resolve(getClientId(session));

describe('MongoDB call outside a transaction', () => {
  const UNAVAILABLE = { isAvailable: false, times: 1 };
  const THERE = { isAvailable: true, times: 1 };
  const AGAIN = { isAvailable: true, times: 2 };
  const LOST_AGAIN = { isAvailable: false, times: 2 };
  const SELECTION = failure('MongoServerSelectionError');
  const CLOSED = failure('MongoPoolClosedError');
  for (const [title, before, after, error, isKnown] of [
    ['no server is found, as before', UNAVAILABLE, UNAVAILABLE, SELECTION, true],
    ['no server is found, and one was found before', THERE, UNAVAILABLE, SELECTION, false],
    ['no server is found, and one appeared meanwhile', UNAVAILABLE, LOST_AGAIN, SELECTION, false],
    ['no server fits, though one is available', THERE, THERE, SELECTION, false],
    ['no connection is available', THERE, THERE, CLOSED, true],
    ['no connection is available, after one was lost', THERE, AGAIN, CLOSED, false],
    ['the connection is cut', THERE, THERE, CUT, false],
  ] as const)
    it(`${isKnown ? 'that was not sent' : 'with an unknown outcome'}: ${title}`, async () => {
      for (const writes of [true, false]) {
        const server = serverWith();
        server.reach = before;
        const found = await catchFault(
          server.calls.call(null, writes, (session) => {
            expect(session.client).to.equal(undefined);
            server.reach = after;
            return Promise.reject(error);
          }),
        );
        expect(found?.code).to.equal('QRY_UNAVAILABLE');
        expect('outcome' in (found?.params ?? {}), `writes: ${writes}`).to.equal(writes && !isKnown);
      }
    });
});

describe('MongoDB transaction', () => {
  it('runs calls in its session, commits once, and ends the session', async () => {
    const { calls, asked } = serverWith();
    const one = calls.begin();
    expect(await calls.call(one, true, ok)).to.equal(1);
    await calls.commit(one);
    expect(asked).to.deep.equal(['start 1', 'commit 1', 'end 1']);
    expect(await catchCode(calls.call(one, true, ok))).to.equal('QRY_FAILED');
    expect(await catchCode(calls.commit(one))).to.equal('QRY_FAILED');
    await calls.rollback(one);
    expect(asked).to.have.length(3);
  });

  it('rejects calls after a failed call, and commits nothing', async () => {
    const { calls, asked } = serverWith();
    const one = calls.begin();
    expect(await catchCode(calls.call(one, true, () => Promise.reject(createServerError(11000))))).to.equal(
      'QRY_UNIQUE',
    );
    expect(await catchCode(calls.call(one, true, ok))).to.equal('QRY_FAILED');
    expect(await catchCode(calls.commit(one))).to.equal('QRY_FAILED');
    expect(asked).to.deep.equal(['start 1', 'abort 1', 'end 1']);
  });

  it('has an unknown outcome if its commit is cut off, and its session ends', async () => {
    const { calls, asked, fails } = serverWith();
    fails.commit.push(CUT, failure('MongoPoolClosedError'), CONFLICT);
    for (const [code, isUnknown] of [
      ['QRY_UNAVAILABLE', true],
      ['QRY_UNAVAILABLE', false],
      ['QRY_SERIALIZATION', false],
    ] as const) {
      const found = await catchFault(calls.commit(calls.begin()));
      expect([found?.code, 'outcome' in (found?.params ?? {})]).to.deep.equal([code, isUnknown]);
    }
    expect(asked.filter((name) => name.startsWith('end'))).to.deep.equal(['end 1', 'end 2', 'end 3']);
  });

  it('is committed also if its session cannot be ended', async () => {
    const { calls, asked, fails } = serverWith();
    fails.end.push(CUT);
    await calls.commit(calls.begin());
    expect(asked).to.deep.equal(['start 1', 'commit 1', 'end 1']);
  });

  it('is rolled back once, also if the server does not respond', async () => {
    const { calls, asked, fails } = serverWith();
    fails.abort.push(CUT);
    fails.end.push(CUT);
    const one = calls.begin();
    await calls.rollback(one);
    await calls.rollback(one);
    expect(asked).to.deep.equal(['start 1', 'abort 1', 'end 1']);
  });
});

describe('several commands in one transaction', () => {
  it('run in the current transaction, without one if the servers do not support them, else in their own', async () => {
    const replicas = serverWith();
    expect(await replicas.calls.runAtomically(replicas.calls.begin(), ok)).to.equal(1);
    expect(replicas.asked).to.deep.equal(['start 1']);
    expect(await replicas.calls.runAtomically(null, ok)).to.equal(2);
    expect(replicas.asked.slice(1)).to.deep.equal(['start 2', 'commit 2', 'end 2']);
    const single = serverWith({ alone: true });
    expect(await single.calls.runAtomically(null, ok)).to.equal(null);
    expect(single.asked).to.deep.equal([]);
  });

  it('run again after a conflict, thirty times in total', async () => {
    const { calls, asked, fails } = serverWith();
    const conflicts = (count: number) => {
      let left = count;
      return (session: MongoSession) => (left-- > 0 ? Promise.reject(CONFLICT) : ok(session));
    };
    const time = replaceTime();
    const passAndWait = async <T>(work: Promise<T>): Promise<T> => {
      await time.advance(3000);
      return work;
    };
    try {
      expect(await passAndWait(calls.runAtomically(null, conflicts(29)))).to.equal(30);
      expect(await passAndWait(catchCode(calls.runAtomically(null, conflicts(30))))).to.equal('QRY_SERIALIZATION');
      fails.commit.push(CONFLICT);
      expect(await passAndWait(calls.runAtomically(null, ok))).to.equal(62);
    } finally {
      time.restoreGlobals();
    }
    expect(asked.filter((name) => name.startsWith('end'))).to.have.length(62);
    expect(asked.filter((name) => name.startsWith('abort'))).to.have.length(59);
  });

  it('run once if they fail for another reason', async () => {
    const { calls, asked } = serverWith();
    expect(await catchCode(calls.runAtomically(null, () => Promise.reject(CUT)))).to.equal('QRY_UNAVAILABLE');
    expect(asked).to.deep.equal(['start 1', 'abort 1', 'end 1']);
  });
});

describe('document lock', () => {
  const TURN = 'lintel_turns key [{"$inc":{"n":1}},{"upsert":true,"maxTimeMS":10000}]';

  it('is acquired by a transaction before anything else, and released at its end', async () => {
    const { calls, asked } = serverWith();
    const ends = [calls.commit, calls.rollback, calls.commit];
    const all = ends.map(() => calls.begin());
    const locked: number[] = [];
    const locks = all.map((one, i) => calls.lock(one, 'key').then(() => locked.push(i)));
    for (const [i, end] of ends.entries()) {
      await locks[i];
      expect(locked).to.deep.equal(Array.from({ length: i + 1 }, (_, n) => n));
      await end(all[i]!);
    }
    expect(asked.filter((name) => name.startsWith('make'))).to.deep.equal(['make lintel_turns']);
    expect(asked.filter((name) => name.startsWith('turn'))).to.deep.equal([1, 2, 3].map((n) => `turn ${n} ${TURN}`));
  });

  it('is not acquired without a transaction, in one that has started its work, or in one that has ended', async () => {
    const { calls, asked } = serverWith();
    const [busy, over] = [calls.begin(), calls.begin()];
    await calls.call(busy, false, ok);
    await calls.rollback(over);
    const before = asked.length;
    for (const inside of [null, busy, over]) await calls.lock(inside, 'key');
    expect(asked).to.have.length(before);
    const twice = calls.begin();
    await calls.lock(twice, 'key');
    await calls.lock(twice, 'key');
    expect(asked.filter((name) => name.startsWith('turn'))).to.have.length(1);
  });

  it('restarts its transaction while another process holds it', async () => {
    const { calls, asked, fails } = serverWith();
    fails.turn.push(CONFLICT, CONFLICT);
    await calls.lock(calls.begin(), 'key');
    const TRY = `turn 1 ${TURN}`;
    expect(asked.slice(2)).to.deep.equal([TRY, 'abort 1', 'start 1', TRY, 'abort 1', 'start 1', TRY]);
  });

  for (const [title, error, deadline, code] of [
    ['a conflict after its timeout', CONFLICT, -1, 'QRY_SERIALIZATION'],
    ['another error', CUT, 10_000, 'QRY_UNAVAILABLE'],
  ] as const)
    it(`is rejected by ${title}, and its transaction can only be rolled back`, async () => {
      const { calls, fails } = serverWith({ deadline });
      fails.turn.push(...Array.from({ length: 10_000 }, () => error));
      const one = calls.begin();
      expect(await catchCode(calls.lock(one, 'key'))).to.equal(code);
      fails.turn.length = 0;
      expect(await catchCode(calls.call(one, false, ok))).to.equal('QRY_FAILED');
      await calls.rollback(one);
      expect(await catchCode(calls.lock(calls.begin(), 'key'))).to.equal(null);
    });

  it('creates its collection unless it exists, and tries again next time after a failure', async () => {
    const there = serverWith();
    there.fails.make.push(createServerError(48));
    expect(await catchCode(there.calls.lock(there.calls.begin(), 'key'))).to.equal(null);
    const rejected = serverWith();
    rejected.fails.make.push(createServerError(91));
    const one = rejected.calls.begin();
    expect(await catchCode(rejected.calls.lock(one, 'key'))).to.equal('QRY_UNAVAILABLE');
    await rejected.calls.rollback(one);
    expect(await catchCode(rejected.calls.lock(rejected.calls.begin(), 'key'))).to.equal(null);
    expect(rejected.asked.filter((name) => name.startsWith('make'))).to.have.length(2);
  });
});
