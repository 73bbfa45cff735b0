/** Accessors over real HTTP: what each root reads, types of values, and missing or hostile values. No SQL. */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const RULES = { payload_validation: [{ field: { nick: { type: 'STRING', optional: true } } }] };

const FILES = {
  'definitions/a.json': [
    defineReturnResource('whole', '$PAYLOAD'),
    defineReturnResource('typed', { value: '$PAYLOAD.v' }),
    defineReturnResource('inside', { text: 'v is <$PAYLOAD.v>.' }),
    defineReturnResource('nested', { city: '$PAYLOAD.address.city', sku: '$PAYLOAD.items.1.sku' }),
    defineReturnResource('inherited', { a: '$PAYLOAD.toString' }),
    defineReturnResource('inherited-deep', { a: '$PAYLOAD.v.hasOwnProperty' }),
    {
      id: 'optional',
      resource: 'optional',
      actionables: [{ id: 1, mode: 'RETURN', value: { n: '$PAYLOAD.nick' }, ...RULES }],
    },
    defineReturnResource('header', { tenant: '$HEADER.X-Tenant', ip: '$HEADER.ip' }),
    defineReturnResource('clock', { one: '$DATETIME', two: ['$DATETIME'] }),
    {
      id: 'clock-twice',
      resource: 'clock-twice',
      actionables: [
        { id: 1, mode: 'RETURN', value: { first: '$DATETIME' } },
        { id: 2, mode: 'RETURN', value: { second: '$DATETIME' } },
      ],
      returnables: ['first', 'second'],
    },
    defineReturnResource('ids', {
      uuid: '$GENERATOR.UUID',
      other: '$GENERATOR.UUID',
      ulid: '$GENERATOR.ULID',
      text: 'id-$GENERATOR.ULID',
    }),
    defineReturnResource('dollars', { a: '$1', b: '$set', c: '$2b$10$abc', d: 'costs 5$', e: '$Name', f: '$$' }),
    defineReturnResource('adjacent', { t: '$PAYLOAD.a$PAYLOAD.b/$PAYLOAD.a.' }),
  ],
};

describe('accessors', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, env: { SECRET: 'canary-secret' } })));
  after(() => kernel.close());

  const value = async (path: string, body: unknown): Promise<unknown> => (await kernel.post(path, body)).body;

  it('read the whole body with $PAYLOAD alone', async () => {
    const body = { a: 1, b: [true, null, { c: 'x' }] };
    expect(await value('/whole', body)).to.deep.equal(body);
    expect((await kernel.post('/whole')).body).to.deep.equal({});
  });

  for (const v of [5, 1.5, true, false, 'text', '', null, [], [1, 'a'], {}, { deep: { er: 1 } }]) {
    it(`keep the type of ${JSON.stringify(v)} in a string that is one accessor`, async () => {
      expect(await value('/typed', { v })).to.deep.equal({ value: v });
    });
  }

  for (const [v, text] of [
    ['x', 'x'],
    [5, '5'],
    [true, 'true'],
  ] as const) {
    it(`convert ${JSON.stringify(v)} to text inside a longer string`, async () => {
      expect(await value('/inside', { v })).to.deep.equal({ text: `v is <${text}>.` });
    });
  }

  for (const v of [{ a: 1 }, [1], null]) {
    it(`reject ${JSON.stringify(v)} inside a longer string`, async () => {
      const { status, body } = await kernel.post('/inside', { v });
      expect(status).to.equal(422);
      expect(body).to.include({ code: 'ACC_NOT_TEXT' });
      expect(body['detail']).to.contain('$PAYLOAD.v');
    });
  }

  it('read nested names and indexes', async () => {
    const body = { address: { city: 'Turin' }, items: [{ sku: 'a' }, { sku: 'b' }] };
    expect(await value('/nested', body)).to.deep.equal({ city: 'Turin', sku: 'b' });
  });

  for (const [body, pointer] of [
    [{ items: [{}, { sku: 1 }] }, '/address/city'],
    [{ address: {}, items: [{}, { sku: 1 }] }, '/address/city'],
    [{ address: 'text', items: [{}, { sku: 1 }] }, '/address/city'],
    [{ address: { city: 1 }, items: [{ sku: 1 }] }, '/items/1/sku'],
  ] as const) {
    it(`reject ${JSON.stringify(body)} with a pointer to ${pointer}`, async () => {
      const { status, body: problem } = await kernel.post('/nested', body);
      expect(status).to.equal(422);
      expect(problem).to.include({ code: 'ACC_UNRESOLVED' });
      expect(problem['errors']).to.deep.equal([{ pointer, code: 'ACC_UNRESOLVED', detail: 'is missing' }]);
    });
  }

  it('do not find inherited names', async () => {
    for (const [path, body] of [
      ['/inherited', {}],
      ['/inherited-deep', { v: {} }],
    ] as const) {
      expect((await kernel.post(path, body)).status, path).to.equal(422);
    }
  });

  it('read a declared optional field as null when it is absent', async () => {
    expect(await value('/optional', {})).to.deep.equal({ n: null });
    expect(await value('/optional', { nick: 'ada' })).to.deep.equal({ n: 'ada' });
  });

  it('preserve every key of a value as a property, whatever its name', async () => {
    const value = '{ "__proto__": "$PAYLOAD.v", "a": "$PAYLOAD.v" }';
    const text = `{ "id": "odd", "resource": "odd", "actionables": [{ "id": 1, "mode": "RETURN", "value": ${value} }] }`;
    const odd = await startKernel({ files: { 'definitions/a.json': text } });
    const { body } = await odd.post('/odd', { v: { n: 1 } });
    expect(Object.entries(body)).to.deep.equal([
      ['__proto__', { n: 1 }],
      ['a', { n: 1 }],
    ]);
    await odd.close();
  });

  it('reject a definition whose path has a reserved segment', async () => {
    for (const segment of ['__proto__', 'constructor', 'prototype']) {
      const files = {
        'definitions/a.json': [defineReturnResource('bad', `$PAYLOAD.a.${segment}`), defineReturnResource('good', 1)],
      };
      const skipping = await startKernel({ files, onProblem: 'skip' });
      expect(skipping.kernel.problems().map((problem) => problem.code)).to.deep.equal(['ACC_POISON']);
      expect((await skipping.post('/bad', {})).status).to.equal(503);
      expect((await skipping.post('/good', {})).status).to.equal(200);
      await skipping.close();
    }
  });

  it('read $HEADER in any case, with `ip` as the address of the client', async () => {
    const { body } = await kernel.post('/header', {}, { headers: { 'x-TENANT': 'acme', ip: '6.6.6.6' } });
    expect(body).to.deep.equal({ tenant: 'acme', ip: '127.0.0.1' });
  });

  it('return 422 for a missing header', async () => {
    const { status, body } = await kernel.post('/header', {});
    expect(status).to.equal(422);
    expect(body).to.include({ code: 'ACC_UNRESOLVED', detail: 'The request does not provide $HEADER.X-Tenant.' });
  });

  it('read one $DATETIME in the whole request', async () => {
    const { one, two } = (await value('/clock', {})) as { one: string; two: string[] };
    expect(one).to.match(ISO);
    expect(two).to.deep.equal([one]);
    const { first, second } = (await value('/clock-twice', {})) as Loose;
    expect(first).to.match(ISO).and.equal(second);
  });

  it('generate one $GENERATOR identifier for each place, new in every request', async () => {
    const a = (await value('/ids', {})) as Record<string, string>;
    const b = (await value('/ids', {})) as Record<string, string>;
    expect(a['uuid']).to.match(UUID);
    expect(a['other']).to.match(UUID).and.not.equal(a['uuid']);
    expect(a['ulid']).to.match(ULID);
    expect(a['text']?.slice(0, 3)).to.equal('id-');
    expect(a['text']?.slice(3)).to.match(ULID).and.not.equal(a['ulid']);
    expect(Object.values(b)).not.to.have.any.members(Object.values(a));
  });

  it('do not change dollar signs that are not accessors', async () => {
    expect(await value('/dollars', {})).to.deep.equal({
      a: '$1',
      b: '$set',
      c: '$2b$10$abc',
      d: 'costs 5$',
      e: '$Name',
      f: '$$',
    });
  });

  it('read adjacent accessors, and a final dot as text', async () => {
    expect(await value('/adjacent', { a: 'x', b: 'y' })).to.deep.equal({ t: 'xy/x.' });
  });

  for (const v of ['$ENV.SECRET', '$PAYLOAD.other', '$HEADER.cookie', '$GENERATOR.UUID', 'a $DATETIME b']) {
    it(`read ${v} in a payload as text`, async () => {
      const body = { v, other: 'must-not-appear' };
      expect(await value('/typed', body)).to.deep.equal({ value: v });
      expect(await value('/inside', body)).to.deep.equal({ text: `v is <${v}>.` });
    });
  }
});
