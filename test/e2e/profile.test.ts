/** `"profile": "sub0"` and `on_problem`: what changes for definitions of another system, and what never does. */
import { expect } from 'chai';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import { describeOnDatabase, startKernel } from '../support/kernel.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';

const BROKEN = { id: 'broken', resource: 'broken/path', actionables: [{ id: 1, mode: 'RETRUN', value: 1 }] };
const LEANS = {
  id: 'leans',
  resource: 'leans',
  actionables: [{ id: 1, mode: 'RETURN', value: 1, depends_on: [{ resource_id: 'broken', action_ids: [1] }] }],
};
const SUB0 = { profile: 'sub0' };

describe('profile sub0', () => {
  const files = {
    'definitions/a.json': [defineReturnResource('v', { n: 1 }), defineReturnResource('needs', '$PAYLOAD.x')],
  };

  it('wraps results; the envelope of the config takes precedence', async () => {
    for (const [config, expected] of [
      [SUB0, { success: true, message: 'Operation successful', data: { n: 1 } }],
      [{ ...SUB0, envelope: 'bare' }, { n: 1 }],
      [
        { ...SUB0, envelope: { use: 'success-message-data', message: 'OK' } },
        { success: true, message: 'OK', data: { n: 1 } },
      ],
      [{}, { n: 1 }],
    ] as const) {
      const kernel = await startKernel({ files, config });
      expect((await kernel.post('/v')).body).to.deep.equal(expected);
      await kernel.close();
    }
  });

  it('returns problems as plain JSON: a client of the envelope finds success and message in them', async () => {
    const kernel = await startKernel({ files, config: SUB0 });
    for (const [path, status] of [
      ['/needs', 422],
      ['/nowhere', 404],
    ] as const) {
      const answer = await kernel.post(path, {});
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(answer.body).to.include({ success: false, message: answer.body['detail'], status });
      expect(answer.body).not.to.have.property('data');
    }
    await kernel.close();
  });

  it('serves GET and POST; `http.methods` takes precedence', async () => {
    for (const [http, status] of [
      [{}, 200],
      [{ methods: ['POST'] }, 405],
    ] as const) {
      const kernel = await startKernel({ files, config: { ...SUB0, http } });
      expect((await kernel.request('GET', '/needs?x=1')).status).to.equal(status);
      await kernel.close();
    }
  });

  it('serves valid resources; `on_problem` in the config takes precedence', async () => {
    const broken = { 'definitions/a.json': [defineReturnResource('v', 1), BROKEN, LEANS] };
    for (const config of [SUB0, { on_problem: 'skip' }]) {
      const kernel = await startKernel({ files: broken, config: { ...config, envelope: 'bare' } });
      expect((await kernel.post('/v')).body).to.equal(1);
      for (const path of ['/broken', '/broken/path', '/leans']) {
        expect((await kernel.post(path)).body, path).to.include({ status: 503, code: 'REQ_BROKEN', success: false });
      }
      expect((await kernel.request('GET', '/status')).body).to.include({ ready: true, degraded: true, resources: 1 });
      await kernel.close();
    }
    for (const config of [{ ...SUB0, on_problem: 'refuse' }, {}]) {
      const error: unknown = await startKernel({ files: broken, config }).catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(InvalidDefinitionsError);
    }
  });

  it('never starts with an invalid config', async () => {
    for (const config of [{ profile: 'sub1' }, { ...SUB0, on_problem: 'ignore' }]) {
      const error: unknown = await startKernel({ files, config }).catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(InvalidDefinitionsError);
      expect((error as InvalidDefinitionsError).problems.map(({ code }) => code)).to.deep.equal(['DEF_VALUE']);
    }
  });
});

const NULLS = {
  'definitions/a.json': [
    defineQueryResource('bound', 'SELECT $1::text AS a, $2::text AS b, $3::text AS c', [
      '$PAYLOAD.a',
      '$PAYLOAD.deep.er',
      'c',
    ]),
    defineQueryResource('inside', 'SELECT $1::text AS a', ['at $PAYLOAD.a']),
    defineQueryResource('header', 'SELECT $1::text AS a', ['$HEADER.x-absent']),
    defineReturnResource('returned', { a: '$PAYLOAD.a' }),
    {
      id: 'ruled',
      resource: 'ruled',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [{ field: { a: { type: 'STRING' } } }],
          sql_query: { query: 'SELECT $1::text AS a', parameters: ['$PAYLOAD.a'] },
        },
      ],
    },
  ],
};

describeOnDatabase('absent values, profile sub0', { files: NULLS, config: { ...SUB0, envelope: 'bare' } }, (kernel) => {
  it('are NULL in parameters, at any depth', async () => {
    expect((await kernel().post('/bound', {})).body).to.deep.equal({ a: null, b: null, c: null });
    expect((await kernel().post('/bound', { a: 1, deep: 5, c: null })).body).to.deep.equal({
      a: '1',
      b: null,
      c: null,
    });
  });

  it('are rejected in RETURN, and everywhere outside the payload', async () => {
    expect((await kernel().post('/returned', {})).body).to.include({ status: 422, code: 'ACC_UNRESOLVED' });
    expect((await kernel().post('/header', {})).body).to.include({ status: 422 });
  });

  it('are rejected inside a longer text, which cannot contain NULL', async () => {
    const { status } = await kernel().post('/inside', {});
    expect(status).to.equal(422);
    expect((await kernel().post('/inside', { a: 'b' })).body).to.deep.equal({ a: 'at b' });
  });

  it('are still rejected if a rule requires them', async () => {
    expect((await kernel().post('/ruled', {})).body).to.include({ status: 422, code: 'VAL_PAYLOAD' });
  });
});

describeOnDatabase('absent values, without a profile', { files: NULLS }, (kernel) => {
  it('are rejected in parameters, except for bare names', async () => {
    const { status, body } = await kernel().post('/bound', { a: 'x' });
    expect([status, body['code']]).to.deep.equal([422, 'ACC_UNRESOLVED']);
    expect((await kernel().post('/bound', { a: 'x', deep: { er: 'y' } })).body).to.deep.equal({
      a: 'x',
      b: 'y',
      c: null,
    });
  });
});

describe('lintel serve with problems', function () {
  const { start } = serveInProcess();
  const files = { 'definitions/a.json': defineReturnResource('v', 1), 'definitions/b.json': BROKEN };

  for (const config of [SUB0, { on_problem: 'skip' }]) {
    it(`${JSON.stringify(config)}: prints them, starts, and returns 503 for them`, async () => {
      const child = await start({ ...files, 'lintel.config.json': config });
      const client = await waitUntilReady(child);
      expect((await client.post('/v', {})).status).to.equal(200);
      expect((await client.post('/broken/path', {})).body).to.include({ status: 503, code: 'REQ_BROKEN' });
      expect((await client.request('GET', '/status')).body).to.include({ degraded: true });
      const { code, stdout, stderr } = await child.stop();
      expect(code).to.equal(0);
      expect(stderr).to.contain('definitions/b.json:').and.contain('Did you mean "RETURN"?').and.contain('^^^^');
      expect(stderr)
        .to.match(/POST(, GET)? +\/v /)
        .and.not.match(/POST(, GET)? +\/broken/);
      expect(stdout).to.contain('resources with errors are skipped').and.contain('"broken"');
    });
  }

  it('does not start with on_problem "refuse", in any profile', async () => {
    const child = await start({ ...files, 'lintel.config.json': { ...SUB0, on_problem: 'refuse' } });
    const { code, stdout, stderr } = await child.finished;
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('KRN_BROKEN_SET').and.not.contain('ready at');
  });
});
