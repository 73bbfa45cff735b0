/**
 * The guard over real HTTP: it runs first, costs nothing, reveals nothing, and lets each caller read only its own
 * claims.
 */
import { expect } from 'chai';
import { fc } from '../support/properties.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';

const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.KEY' };
const defineTokenResource = (
  id: string,
  value: unknown,
  claims: readonly string[] = ['id'],
  tokenize: object = TOKENIZE,
): object => ({
  ...defineReturnResource(id, value),
  tokenize,
  protected: { extract_claims: claims },
});

const FILES = {
  'definitions/a.json': [
    defineTokenResource('me', { id: '$PROTECTED.id' }),
    defineTokenResource('echo', { id: '$PROTECTED.id', sent: '$PAYLOAD.n' }),
    defineTokenResource('unread', { ok: true }, ['id', 'role']),
    defineTokenResource('role', { role: '$PROTECTED.role' }, ['id', 'role']),
    defineTokenResource(
      'nested',
      { a: '$PROTECTED.user.name', b: '$PROTECTED.user.roles.1', c: 'is $PROTECTED.user.name' },
      ['user'],
    ),
    defineTokenResource('part', { name: '$PROTECTED.user.name' }, ['user.name']),
    defineTokenResource('narrow', { user: '$PROTECTED.user' }, ['user.name']),
    defineTokenResource('inherited', { a: '$PROTECTED.toString' }, ['toString']),
    defineTokenResource('sealed', { id: '$PROTECTED.id' }, ['id'], { type: 'PASETO', encryption_key: '$ENV.KEY' }),
    { ...defineReturnResource('open', { ok: true }) },
  ],
  'definitions/wrong.json': [
    defineTokenResource('other-part', { secret: '$PROTECTED.user.secret' }, ['user.name']),
    {
      ...defineTokenResource('caller', {}),
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: 1,
          depends_on: [{ resource_id: 'role', action_ids: [1] }],
          main_returnable: true,
        },
      ],
    },
  ],
};

describe('guard', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, env: { KEY, OTHER_KEY }, onProblem: 'skip' })));
  after(() => kernel.close());

  it('runs before the body is read', async () => {
    const token = await signJwt({ id: 'ada' });
    for (const [body, status] of [
      ['{ broken', 400],
      ['[1]', 422],
      ['{"__proto__":1}', 400],
      [`{"a":"${'x'.repeat(1_100_000)}"}`, 413],
    ] as const) {
      expect((await kernel.post('/me', body)).status, body.slice(0, 20)).to.equal(401);
      expect((await kernel.post('/me', body, createBearerInit(token))).status, body.slice(0, 20)).to.equal(status);
    }
    const init = { headers: { 'content-type': 'text/plain' } };
    expect((await kernel.post('/me', 'text', init)).status).to.equal(401);
  });

  it('does not wait for a body that never arrives', async () => {
    const request = formatRequestHead('POST', '/me', { 'content-type': 'application/json', 'content-length': 900_000 });
    expect(parseRaw(await kernel.raw(request)).status).to.equal(401);
  });

  it('is shown in the table of endpoints', () => {
    const getGuardSummary = (id: string): string | undefined => kernel.kernel.plans().byId.get(id)?.summary.guard;
    expect(getGuardSummary('me')).to.equal('JWT in Authorization');
    expect(getGuardSummary('sealed')).to.equal('PASETO in Authorization');
    expect(getGuardSummary('open')).to.equal('open');
  });

  it('logs the reason at level debug, without a value of the token', async () => {
    const token = await signJwt({ id: 'canary-claim' }, OTHER_KEY);
    const from = kernel.log.length;
    const { text } = await kernel.post('/me', {}, createBearerInit(token));
    const rows = kernel.log.slice(from).filter(({ level }) => level === 'debug');
    expect(rows).to.have.length(1);
    expect(rows[0]?.message).to.equal('token rejected');
    expect(rows[0]?.fields).to.include({ resource: 'me', reason: 'the signature does not fit' });
    expect(text).to.contain(String(rows[0]?.fields['request'])).and.not.contain('signature');
    for (const part of [...token.split('.'), 'canary-claim']) expect(JSON.stringify(kernel.log)).not.to.contain(part);
  });

  it('returns 403 for a claim that the token lacks, and only if it is read', async () => {
    const init = createBearerInit(await signJwt({ id: 'ada' }));
    expect((await kernel.post('/unread', {}, init)).status).to.equal(200);
    const { status, body } = await kernel.post('/role', {}, init);
    expect([status, body['code']]).to.deep.equal([403, 'ACC_CLAIM']);
    expect((await kernel.post('/role', {}, createBearerInit(await signJwt({ role: 'admin' })))).body).to.deep.equal({
      role: 'admin',
    });
  });

  it('does not serve a resource that reads claims that the called resource does not extract', async () => {
    const init = createBearerInit(await signJwt({ id: 'ada', role: 'admin', user: { secret: 'x' } }));
    const problems = kernel.kernel.problems().filter(({ file }) => file === 'definitions/wrong.json');
    expect(problems.map(({ code }) => code)).to.deep.equal(['ACC_UNDECLARED', 'LNK_CLAIM_REACHED']);
    for (const path of ['/caller', '/other-part']) expect((await kernel.post(path, {}, init)).status).to.equal(503);
  });

  it('uses a key unchanged, with the line break at its end', async () => {
    const files = { 'definitions/a.json': defineTokenResource('me', { id: '$PROTECTED.id' }) };
    const other = await startKernel({ files, env: { KEY: `${KEY}\n` } });
    expect((await other.post('/me', {}, createBearerInit(await signJwt({ id: 'ada' })))).status).to.equal(401);
    expect((await other.post('/me', {}, createBearerInit(await signJwt({ id: 'ada' }, `${KEY}\n`)))).status).to.equal(
      200,
    );
    await other.close();
  });

  it('provides claims with their types, at any depth, and none that is not listed', async () => {
    const user = { name: 'Ada', roles: ['a', 'b'], secret: 'x' };
    const init = createBearerInit(await signJwt({ user }));
    expect((await kernel.post('/nested', {}, init)).body).to.deep.equal({ a: 'Ada', b: 'b', c: 'is Ada' });
    expect((await kernel.post('/part', {}, init)).body).to.deep.equal({ name: 'Ada' });
    expect((await kernel.post('/narrow', {}, init)).body).to.deep.equal({ user: { name: 'Ada' } });
    expect((await kernel.post('/inherited', {}, init)).status).to.equal(403);
    for (const id of [5, 0, '', false, null, ['x'], { a: 1 }]) {
      expect((await kernel.post('/me', {}, createBearerInit(await signJwt({ id })))).body).to.deep.equal({ id });
    }
  });

  it('reads claims as text', async () => {
    const id = '$ENV.KEY $PAYLOAD.n';
    expect((await kernel.post('/me', { n: 1 }, createBearerInit(await signJwt({ id })))).body).to.deep.equal({ id });
  });

  it('serves 50 concurrent callers, each with its own claims', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => signJwt({ id: `user-${i}` })));
    for (const round of [1, 2]) {
      const answers = await Promise.all(
        tokens.map((token, i) => kernel.post('/echo', { n: i * round }, createBearerInit(token))),
      );
      for (const [i, { body }] of answers.entries()) expect(body).to.deep.equal({ id: `user-${i}`, sent: i * round });
    }
  });

  it('never fails otherwise than with 401, whatever the header contains', async () => {
    const valid = await signJwt({ id: 'ada' });
    const visible = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 60,
    });
    const pieces = fc.constantFrom(
      ...valid.split('.'),
      'v4.local',
      'e30',
      'bnVsbA',
      'eyJhbGciOiJIUzI1NiJ9',
      'AA',
      '_-',
      '',
    );
    const token = fc.array(fc.oneof(pieces, visible), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    const paths = ['/me', '/sealed'];
    await fc.assert(
      fc.asyncProperty(
        token,
        fc.constantFrom('Bearer ', 'bearer ', ''),
        fc.constantFrom(...paths),
        async (text, scheme, path) => {
          if (text === valid) return;
          const { status } = await kernel.post(path, {}, { headers: { authorization: scheme + text } });
          expect(status, text).to.equal(401);
        },
      ),
      { numRuns: 150 },
    );
  }).timeout(60_000);

  it('accepts no token of a former key after definitions change', async () => {
    const files = { 'definitions/a.json': defineTokenResource('me', { id: '$PROTECTED.id' }) };
    const changing = await startKernel({ files, env: { KEY, OTHER_KEY } });
    const [old, fresh] = [await signJwt({ id: 'old' }), await signJwt({ id: 'new' }, OTHER_KEY)];
    expect((await changing.post('/me', {}, createBearerInit(old))).status).to.equal(200);
    const next = defineTokenResource('me', { id: '$PROTECTED.id' }, ['id'], {
      type: 'JWT',
      encryption_key: '$ENV.OTHER_KEY',
    });
    await changing.project.write('definitions/a.json', next);
    expect((await changing.kernel.reload()).applied).to.equal(true);
    expect((await changing.post('/me', {}, createBearerInit(old))).status).to.equal(401);
    expect((await changing.post('/me', {}, createBearerInit(fresh))).body).to.deep.equal({ id: 'new' });
    await changing.close();
  });
});

describe('guard in front of a database', () => {
  let kernel: TestKernel | undefined;
  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const query = { sql_query: { query: 'SELECT pg_sleep(0.7)::text AS waited', parameters: [] } };
    const slow = {
      id: 'slow',
      resource: 'slow',
      actionables: [{ id: 1, mode: 'QUERY', ...query }],
      returnables: ['waited'],
    };
    kernel = await startKernel({
      files: { 'definitions/a.json': { ...slow, tokenize: TOKENIZE, protected: {} } },
      config: { connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 2, pool_wait: 10 } } },
      env: { KEY, DATABASE_URL: await createPostgresDatabase() },
    });
  });
  after(() => kernel?.close());

  it('rejects immediately while every connection is in use and others wait for one', async () => {
    const post: TestKernel['post'] = (...of) => kernel!.post(...of);
    const token = await signJwt({ id: 'ada' });
    let finished = 0;
    const busy = Array.from({ length: 6 }, () =>
      post('/slow', {}, createBearerInit(token)).then((answer) => (finished++, answer)),
    );
    for (let i = 0; i < 20; i++) {
      const bad = i % 2 === 0 ? {} : createBearerInit(await signJwt({ id: 'ada' }, OTHER_KEY));
      expect((await post('/slow', '{ broken', bad)).status).to.equal(401);
    }
    expect(finished, 'all refusals came before the first slow answer').to.equal(0);
    for (const { status } of await Promise.all(busy)) expect(status).to.equal(200);
  }).timeout(30_000);
});
