/** The identity of an open connection under manual time: when its token expires, and the result of the next check. */
import { expect } from 'chai';
import { createFault } from '../../../contract/fault.js';
import type { Identified } from '../../../contract/plan.js';
import { ConnectionRejection } from '../../../plugins/triggers/websocket/peer.js';
import { createAuthSession, type AuthSessionInput } from '../../../plugins/triggers/websocket/auth-session.js';

const DAY = 86_400_000;
/** The longest time that a timer of Node can take; a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

describe('identity of a connection', () => {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
  let now = 0;
  let timer: { readonly call: () => void; readonly at: number } | null = null;
  let longest = 0;

  beforeEach(() => {
    [now, timer, longest] = [1000, null, 0];
    Date.now = () => now;
    const set = (call: () => void, milliseconds: number): unknown => {
      longest = Math.max(longest, milliseconds);
      const made = { call, at: now + milliseconds, unref: () => made };
      return (timer = made);
    };
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: (one: unknown) => void (one === timer && (timer = null)),
    });
  });
  afterEach(() => {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    Date.now = real.now;
  });
  /** Passes the time to the next timer. */
  const next = (): void => {
    const due = timer;
    if (due === null) throw new Error('there is no timer');
    [now, timer] = [due.at, null];
    due.call();
  };
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) await Promise.resolve();
  };

  /** `answers`: the results of the guard, call by call; the last one is repeated. */
  function connection(answers: readonly (Identified | null | Error)[], uid: string | null = null) {
    const ended: unknown[] = [];
    const asked: unknown[] = [];
    const rest = [...answers];
    const input: AuthSessionInput = {
      identities: () => {
        const answer = rest.length > 1 ? rest.shift() : rest[0];
        return answer === null || answer === undefined
          ? []
          : [
              {
                key: 'guard',
                realm: null,
                identity: {
                  header: 'authorization',
                  identifyCaller: ({ id, startedAt }) => {
                    asked.push([typeof id, startedAt]);
                    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
                  },
                },
              },
            ];
      },
      headers: { all: {}, values: () => ['token'] },
      uid,
      claim: 'id',
      getFaultStatus: ({ code }) => (code === 'AWAY' ? 503 : 401),
      end: ({ fault: why, code }) => void ended.push([why.code, code]),
    };
    return { ended, asked, presence: createAuthSession(input) };
  }
  const identified = (until: number, id: unknown = 'ada'): Identified => ({ claims: { id }, until });
  const OVER = ['WS_TOKEN_OVER', 4401];

  it('is permanently unknown without a token', async () => {
    const presence = await connection([null], 'ada').presence;
    presence.recheck();
    presence.stop();
    expect([presence.verified, presence.until, timer]).to.deep.equal([false, Infinity, null]);
  });

  it('is verified if the token contains the uid of the connection', async () => {
    expect(await connection([identified(5000)], 'ada').presence).to.include({ verified: true, until: 5000 });
    expect(await connection([identified(5000)]).presence).to.include({ verified: false, until: 5000 });
    const rejected: unknown = await connection([identified(5000, 'eve')], 'ada').presence.catch(
      (error: unknown) => error,
    );
    expect(rejected).to.be.instanceOf(ConnectionRejection);
    expect([(rejected as ConnectionRejection).fault.code, (rejected as ConnectionRejection).code]).to.deep.equal([
      'WS_NOT_YOURS',
      4401,
    ]);
  });

  it('ends with the token, however distant that is', async () => {
    const short = connection([identified(6000)]);
    await short.presence;
    expect([timer?.at, short.ended]).to.deep.equal([6000, []]);
    next();
    expect([short.ended, timer]).to.deep.equal([[OVER], null]);

    const far = connection([identified(now + 40 * DAY)]);
    await far.presence;
    expect(longest).to.equal(LONGEST);
    const end = now + 40 * DAY;
    next();
    expect([far.ended, timer?.at]).to.deep.equal([[], end]);
    next();
    expect(far.ended).to.deep.equal([OVER]);
  });

  it('ends immediately with an expired token', async () => {
    for (const until of [now, now - 1]) {
      const { presence, ended } = connection([identified(until)]);
      await presence;
      expect([ended, timer]).to.deep.equal([[OVER], null]);
    }
  });

  it('is not watched once the connection is closed', async () => {
    const presence = await connection([identified(6000)]).presence;
    presence.stop();
    expect(timer).to.equal(null);
  });

  const again: readonly (readonly [
    title: string,
    second: Identified | null | Error,
    uid: string | null,
    ended: unknown[],
  ])[] = [
    ['continues while the token is valid', identified(9000), 'ada', []],
    ['continues while the token is valid, without a uid', identified(9000, 'eve'), null, []],
    ['ends if no guard reads the token any more', null, 'ada', [OVER]],
    ['ends if the token now belongs to another uid', identified(9000, 'eve'), 'ada', [['WS_NOT_YOURS', 4401]]],
    ['ends with the rejection of the guard', createFault('REVOKED'), 'ada', [['REVOKED', 4401]]],
    ['continues if the guard cannot decide', createFault('AWAY'), 'ada', []],
  ];
  for (const [title, second, uid, expected] of again)
    it(`${title} when it runs again`, async () => {
      const { presence, ended, asked } = connection([identified(9000), second], uid);
      const known = await presence;
      now += 50;
      known.recheck();
      await settle();
      expect(ended).to.deep.equal(expected);
      const times = second === null ? [1000] : [1000, 1050];
      expect(asked).to.deep.equal(times.map((startedAt) => ['string', startedAt]));
    });
});
