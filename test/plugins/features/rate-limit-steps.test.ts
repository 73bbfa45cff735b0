/** `rate_limit` without a request: the counted identifier, the phase of the step, and the response headers. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { asText, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import { ResourcePhase } from '../../../contract/slot.js';
import rateLimit from '../../../plugins/features/rate-limit/runtime.js';
import type { WindowCount } from '../../../plugins/caches/kind.js';
import type { Feature } from '../../../plugins/features/kind.js';

interface Trial {
  readonly step: Step;
  /** Keys that were counted. */
  readonly keys: string[];
  readonly run: (value: unknown, texts?: 'all' | null) => unknown;
  readonly frame: Frame;
}

function trial(
  identifier: Json | undefined,
  counted: WindowCount | Promise<WindowCount> = { count: 1, left: 1000 },
  limit = 2,
  place = 'users',
): Trial {
  const keys: string[] = [];
  const count = (key: string, seconds: number): WindowCount | Promise<WindowCount> => {
    keys.push(`${seconds} ${key}`);
    return counted;
  };
  const made = rateLimit.create?.({ resolve: () => ({ count }) } as unknown as RuntimeContext) as Feature;
  const frame = { headers: {}, lastingHeaders: { x: 'kept' }, invocation: {} } as unknown as Frame & { sent: unknown };
  const tools = {
    place,
    value: (entry: Json) => () => {
      const { sent } = frame;
      const index = Number(/\d$/.exec(asText(entry))?.[0]);
      return Array.isArray(sent) && index >= 0 ? (sent as readonly unknown[])[index] : sent;
    },
  } as unknown as PlanTools;
  const value = { rate_limit: { limit, expires_after: 60, ...(identifier !== undefined && { identifier }) } };
  const [step] = made.plan({ slot: 'resource', value, holder: {}, pointer: '' }, tools).steps;
  if (step === undefined) throw new Error('there is no step');
  const run = (sent: unknown, texts: 'all' | null = null): unknown => {
    Object.assign(frame, { sent, invocation: { texts } });
    return step.run(frame, { result: null });
  };
  return { step, keys, run, frame };
}

/** The key under which a value is counted. */
function findKey(identifier: Json | undefined, value: unknown, texts: 'all' | null = null, place = 'users'): string {
  const { keys, run } = trial(identifier, undefined, undefined, place);
  run(value, texts);
  return keys[0] ?? 'none';
}
const isSame = (identifier: Json, one: unknown, two: unknown, texts: 'all' | null = null): boolean =>
  findKey(identifier, one, texts) === findKey(identifier, two, texts);

describe('rate-limited callers', () => {
  it('are distinguished by value, by type, by resource', () => {
    const by = '$PAYLOAD.a';
    expect(findKey(by, 'x')).to.match(/^60 limit:[\w-]{43}$/);
    expect(isSame(by, 'x', 'x')).to.equal(true);
    for (const [one, two] of [
      ['x', 'y'],
      [1, '2'],
      [true, 'false'],
      ['x', ['x']],
      [{ a: 1 }, [['a', 1]]],
      [
        [1, 2],
        [2, 1],
      ],
    ] as const)
      expect(isSame(by, one, two)).to.equal(false);
    expect(findKey(by, 'x', null, 'other')).not.to.equal(findKey(by, 'x'));
    expect(isSame(['$PAYLOAD.0', '$PAYLOAD.1'], ['a', 'b'], ['ab', 'x'])).to.equal(false);
    expect(isSame(['$PAYLOAD.0', '$PAYLOAD.1'], ['a', 'b'], ['a', 'b'])).to.equal(true);
  });

  it('are the network for an IPv6 address, and the address for IPv4', () => {
    for (const by of ['$HEADER.ip', '$HEADER.IP']) {
      expect(isSame(by, '2001:db8:1:2::1', '2001:db8:1:2:ffff::9')).to.equal(true);
      expect(isSame(by, '2001:db8:1:2::1', '2001:0db8:1:2:0:0:0:1%eth0')).to.equal(true);
      expect(isSame(by, '2001:db8:1:2::1', '2001:db8:1:3::1')).to.equal(false);
      expect(isSame(by, '1.2.3.4', '1.2.3.5')).to.equal(false);
      // An IPv4 address in whatever spelling is no network of IPv6.
      expect(isSame(by, '::ffff:1.2.3.4', '1.2.3.4')).to.equal(true);
      expect(isSame(by, '::ffff:102:304', '::ffff:102:305')).to.equal(false);
    }
    expect(findKey(undefined, '2001:db8:1:2::1')).to.equal(findKey('$HEADER.ip', '2001:db8:1:2::2'));
    expect(isSame('$PAYLOAD.a', '2001:db8:1:2::1', '2001:db8:1:2::2')).to.equal(false);
  });

  it('are equal for equal numbers in text, as far as they are exact', () => {
    const by = '$PAYLOAD.a';
    for (const [one, two] of [
      ['01', '1'],
      ['+1', '1'],
      ['1.', '1'],
      ['.5', '0.5'],
      [' 1', '1'],
      ['1', '1.0'],
      ['100', '1e2'],
      ['-0', '0'],
      ['0.5', '5E-1'],
      ['9007199254740991', '9007199254740991.0'],
    ] as const)
      expect(isSame(by, one, two, 'all'), one).to.equal(true);
    for (const [one, two] of [
      ['0x1', '1'],
      ['a', 'b'],
      ['9007199254740993', '9007199254740992'],
      ['1e999', '2e999'],
    ] as const)
      expect(isSame(by, one, two, 'all'), one).to.equal(false);
    expect(isSame(by, '1', '1.0', null)).to.equal(true);
    expect(isSame(by, '1', 1, 'all')).to.equal(true);
  });

  for (const value of [undefined, null, ''])
    it(`are rejected as ${JSON.stringify(value)}, and not counted`, () => {
      const { run, keys } = trial('$PAYLOAD.a');
      expect(() => run(value))
        .to.throw(Fault)
        .with.property('code', 'LIM_UNIDENTIFIED');
      expect(keys).to.deep.equal([]);
    });

  it('are counted as 0 and false too', () => {
    for (const value of [0, false]) expect(findKey('$PAYLOAD.a', value)).to.match(/^60 /);
  });
});

describe('rate limit step', () => {
  it('runs as soon as its identifier is known', () => {
    const at = (identifier?: Json): unknown => {
      const { phase, order } = trial(identifier).step;
      return [phase, order];
    };
    for (const by of [undefined, '$HEADER.ip', '$HEADER.x']) expect(at(by)).to.deep.equal([ResourcePhase.ADMIT, -500]);
    for (const by of ['$PROTECTED.id', ['$HEADER.ip', '$PROTECTED.id']])
      expect(at(by)).to.deep.equal([ResourcePhase.ADMIT, 500]);
    for (const by of ['$PAYLOAD.a', ['$PROTECTED.id', '$PAYLOAD.a']])
      expect(at(by)).to.deep.equal([ResourcePhase.CHECK, -1000]);
  });

  const readHeaders = (count: number, left: number): unknown => {
    const { run, frame } = trial('$HEADER.x', { count, left });
    run('a');
    return frame.headers;
  };
  const headers = (remaining: string, reset: string): object => ({
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  });

  it('returns the remaining count, and whole seconds of at least one', () => {
    expect(readHeaders(1, 60_000)).to.deep.equal(headers('1', '60'));
    // A difference of fractional times.
    expect(readHeaders(1, 60_000.000_000_1)).to.deep.equal(headers('1', '60'));
    expect(readHeaders(2, 1001)).to.deep.equal(headers('0', '2'));
    expect(readHeaders(2, 1000)).to.deep.equal(headers('0', '1'));
    expect(readHeaders(1, 0)).to.deep.equal(headers('1', '1'));
  });

  it('rejects the first request over the limit, and keeps the headers on that response', async () => {
    for (const later of [false, true]) {
      const counted = { count: 3, left: 1500 };
      const { run, frame } = trial('$HEADER.x', later ? Promise.resolve(counted) : counted);
      const failure = (await Promise.resolve()
        .then(() => run('a'))
        .catch((error: unknown) => error)) as Fault;
      expect([failure.code, failure.params, failure.options.headers]).to.deep.equal([
        'LIM_EXCEEDED',
        { seconds: 2 },
        { 'retry-after': '2' },
      ]);
      expect(frame.lastingHeaders).to.deep.equal({ x: 'kept', ...headers('0', '2') });
    }
  });

  it('rejects if the counter is unavailable', async () => {
    const { run } = trial('$HEADER.x', Promise.reject(new Error('away')));
    const failure = await Promise.resolve(run('a')).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'away');
  });
});
