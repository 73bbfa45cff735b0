/**
 * `rate_limit` over real HTTP: the counted callers, the time of counting, and the response headers; across services
 * with one Redis.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import type { Answer, Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { startOwnRedis, startRedis } from '../support/redis.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';
import { signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const defineLimited = (id: string, limit: number, identifier?: Json, rest: object = {}): object => ({
  ...defineReturnResource(id, { ok: true }),
  rate_limit: { limit, ...(identifier !== undefined && { identifier }), expires_after: 600 },
  ...rest,
});
const GUARD = { tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: { extract_claims: ['id'] } };

const FILES = {
  'definitions/a.json': [
    defineLimited('address', 2),
    defineLimited('address-too', 2, '$HEADER.ip'),
    defineLimited('tenant', 1, '$HEADER.x-tenant'),
    defineLimited('flooded', 2, '$HEADER.ip', GUARD),
    defineLimited('user', 2, '$PROTECTED.id', GUARD),
    {
      ...defineLimited('account', 2, '$PAYLOAD.email'),
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: 1,
          payload_validation: [{ field: { email: { type: 'EMAIL', optional: true } } }],
        },
      ],
    },
    defineLimited('pair', 1, ['$PAYLOAD.a', '$PAYLOAD.b']),
    defineLimited('mixed', 1, ['$PROTECTED.id', '$PAYLOAD.a'], GUARD),
    defineLimited('many', 50),
  ],
};

const summarizeAnswer = ({ status, headers }: Answer<unknown>): unknown[] => [
  status,
  headers.get('x-ratelimit-limit'),
  headers.get('x-ratelimit-remaining'),
];
const holder = async (...of: Parameters<typeof signJwt>): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await signJwt(...of)}`,
});
const toStatusAndCode = ({ status, body }: Answer<Loose>): unknown[] => [status, body['code']];

describe('rate_limit', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ validated: true, files: FILES, env: { KEY } })));
  after(() => kernel.close());

  const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    kernel.post(path, body, { headers });

  it('allows the configured number, returns the remaining one, and then when to retry', async () => {
    expect(summarizeAnswer(await post('/address'))).to.deep.equal([200, '2', '1']);
    expect(summarizeAnswer(await post('/address'))).to.deep.equal([200, '2', '0']);
    const rejected = await post('/address');
    expect(summarizeAnswer(rejected)).to.deep.equal([429, '2', '0']);
    expect(rejected.body).to.include({ code: 'LIM_EXCEEDED', status: 429, success: false });
    const wait = Number(rejected.headers.get('retry-after'));
    expect(wait).to.be.within(590, 600);
    expect(rejected.headers.get('x-ratelimit-reset')).to.equal(String(wait));
    expect(rejected.body['detail']).to.equal(`Too many requests; try again in ${wait} s.`);
  });

  it('counts each resource separately', async () => {
    expect((await post('/address-too')).status).to.equal(200);
  });

  it('counts each value of a header, and rejects a request without one', async () => {
    expect((await post('/tenant', {}, { 'x-tenant': 'a' })).status).to.equal(200);
    expect((await post('/tenant', {}, { 'x-tenant': 'b' })).status).to.equal(200);
    expect((await post('/tenant', {}, { 'x-tenant': 'a' })).status).to.equal(429);
    expect(toStatusAndCode(await post('/tenant'))).to.deep.equal([422, 'ACC_UNRESOLVED']);
    expect(toStatusAndCode(await post('/tenant', {}, { 'x-tenant': '' }))).to.deep.equal([422, 'LIM_UNIDENTIFIED']);
  });

  it('counts addresses before any guard, and returns the count in rejections too', async () => {
    const bad = await holder({ id: 'ada' }, OTHER_KEY);
    expect(summarizeAnswer(await post('/flooded', {}, bad))).to.deep.equal([401, '2', '1']);
    expect(summarizeAnswer(await post('/flooded', '{ broken'))).to.deep.equal([401, '2', '0']);
    const good = await holder({ id: 'ada' });
    expect((await post('/flooded', {}, good)).status).to.equal(429);
  });

  it('counts claims after the guard: no other caller uses the limit of a user', async () => {
    const [ada, bob] = [await holder({ id: 'ada' }), await holder({ id: 'bob' })];
    const forged = await holder({ id: 'ada' }, OTHER_KEY);
    for (let i = 0; i < 5; i++)
      expect((await post('/user', {}, forged)).headers.has('x-ratelimit-limit')).to.equal(false);
    expect(summarizeAnswer(await post('/user', {}, ada))).to.deep.equal([200, '2', '1']);
    expect(summarizeAnswer(await post('/user', '{ broken', ada)), 'the body is read later').to.deep.equal([
      400,
      '2',
      '0',
    ]);
    expect((await post('/user', {}, ada)).status).to.equal(429);
    expect(summarizeAnswer(await post('/user', {}, bob))).to.deep.equal([200, '2', '1']);
  });

  it('counts payload values before the rules, so that rejected values count too', async () => {
    expect(summarizeAnswer(await post('/account', { email: 'no address' }))).to.deep.equal([422, '2', '1']);
    expect(summarizeAnswer(await post('/account', { email: 'no address' }))).to.deep.equal([422, '2', '0']);
    expect((await post('/account', { email: 'no address' })).status).to.equal(429);
    expect((await post('/account', { email: 'ada@example.com' })).status).to.equal(200);
    expect(toStatusAndCode(await post('/account'))).to.deep.equal([422, 'LIM_UNIDENTIFIED']);
    expect(toStatusAndCode(await post('/pair', { a: 'x' }))).to.deep.equal([422, 'ACC_UNRESOLVED']);
  });

  it('distinguishes all combinations', async () => {
    const combinations: readonly Json[][] = [
      ['x', 'yz'],
      ['xy', 'z'],
      ['x,y', 'z'],
      ['x"', '"z'],
      ['1', '2'],
      [1, 3],
      [true, 'false'],
      [['x', 'yz'], 'a'],
      [{ a: 1 }, 'a'],
      ['x', 'y z'],
    ];
    for (const [a, b] of combinations)
      expect((await post('/pair', { a, b })).status, JSON.stringify([a, b])).to.equal(200);
    for (const [a, b] of combinations)
      expect((await post('/pair', { a, b })).status, JSON.stringify([a, b])).to.equal(429);
  });

  it('counts claims and payload together after the guard', async () => {
    const ada = await holder({ id: 'ada' });
    expect((await post('/mixed', { a: 1 })).status).to.equal(401);
    expect((await post('/mixed', { a: 1 }, ada)).status).to.equal(200);
    expect((await post('/mixed', { a: 2 }, ada)).status).to.equal(200);
    expect((await post('/mixed', { a: 1 }, ada)).status).to.equal(429);
  });

  it('accepts exactly the limit of concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => post('/many')));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(50);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(70);
  });

  it('keeps its counters when the definitions are reloaded', async () => {
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect((await post('/address')).status).to.equal(429);
  });
});

describe('rate_limit in Redis', () => {
  const { createFolder, startIn } = serveInProcess();

  it('shares the limit between two services', async function () {
    const redis = await startRedis();
    if ('skip' in redis) return skipTest(this, redis.skip);
    const cache = { use: 'redis', url: '$ENV.REDIS_URL', prefix: `test-${randomUUID()}:` };
    const project = await createFolder({ ...FILES, 'lintel.config.json': { cache } });
    const env = { KEY, REDIS_URL: redis.url, PORT: '0' };
    const children = [startIn(project.folder, { env }), startIn(project.folder, { env })];
    const [one, two] = await Promise.all(children.map(waitUntilReady));
    const send = async (i: number): Promise<unknown[]> => {
      const answer = await (i % 2 === 0 ? one : two)?.post('/many', {});
      return [i % 2, answer?.status];
    };
    // A service that is slower on a busy machine would find the limit used up.
    const first = [await send(0), await send(1)];
    const answers = [...first, ...(await Promise.all(Array.from({ length: 118 }, (_, i) => send(i))))];
    const passed = answers.filter((answer) => answer[1] === 200);
    expect(passed).to.have.length(50);
    expect(answers.filter((answer) => answer[1] === 429)).to.have.length(70);
    expect(new Set(passed.map((answer) => answer[0])).size, 'both of them answered').to.equal(2);
  });

  it('rejects requests immediately if the store is unavailable, and never exceeds the limit', async function () {
    const redis = await startOwnRedis();
    if ('skip' in redis) return skipTest(this, redis.skip);
    const kernel = await startKernel({
      files: FILES,
      config: { cache: { use: 'redis', url: '$ENV.REDIS_URL' } },
      env: { KEY, REDIS_URL: redis.url },
    });
    expect((await kernel.post('/address', {})).status).to.equal(200);
    await redis.stop();
    const elapsed = startStopwatch();
    expect(toStatusAndCode(await kernel.post('/address', {}))).to.deep.equal([503, 'CCH_AWAY']);
    expect(elapsed()).to.be.lessThan(3000);
    await kernel.close();
  });
});
