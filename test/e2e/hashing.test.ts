/** `hashables` over real HTTP, without a database: where the hash is visible, what is rejected, and the concurrency. */
import { join } from 'node:path';
import { expect } from 'chai';
import { computeConcurrency, hashLimiter } from '../../plugins/hashers/shared/hash-limiter.js';
import { verifyBytes } from '../../plugins/hashers/bcrypt/runtime.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const CHEAP = { algorithm: 'BCRYPT', options: { rounds_cost: 4 } };
const rules = (...names: string[]): object[] => [
  { field: Object.fromEntries(names.map((name) => [name, { type: 'STRING', optional: true }])) },
];
const giving = (id: number, value: unknown, rest: object = {}): object => ({ id, mode: 'RETURN', value, ...rest });
const defineHashed = (id: string, hashables: unknown[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'LIST', payload_validation: rules('password', 'pin'), hashables, ...rest }],
  returnables: [
    'seen',
    'received',
    // Nothing that is hashed leaves unless it is named.
    ...['password', 'login.password'].flatMap((name) => [`seen.${name}`, `received.${name}`]),
  ],
});

const FILES = {
  'definitions/a.json': [
    {
      id: 'order',
      resource: 'order',
      actionables: [
        giving(1, { first: '$PAYLOAD.password' }, { payload_validation: rules('password') }),
        giving(2, { second: '$PAYLOAD.password' }, { hashables: [{ property: 'password', ...CHEAP }] }),
        giving(3, { third: '$PAYLOAD.password' }),
      ],
      returnables: ['first', 'second', 'third'],
    },
    defineHashed('one', [{ property: 'password', ...CHEAP }]),
    defineHashed(
      'nested',
      [
        { property: 'login.password', ...CHEAP },
        { property: 'pins.1', ...CHEAP },
      ],
      { payload_validation: undefined },
    ),
    defineHashed('counted', [{ property: 'password', algorithm: 'COUNTING' }]),
    defineHashed('bounded', [{ property: 'password', ...CHEAP }], {
      payload_validation: [{ field: { password: { type: 'STRING', min_length: 3, max_length: 40 } } }],
    }),
    {
      id: 'plain',
      resource: 'plain',
      actionables: [
        giving(1, { password: '$PAYLOAD.password', ok: true }, { hashables: [{ property: 'password', ...CHEAP }] }),
      ],
    },
    {
      id: 'salted',
      resource: 'salted',
      actionables: [
        giving(
          1,
          { hash: '$PAYLOAD.password' },
          {
            hashables: [
              { property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4, salt: '$ENV.HASH_SALT' } },
            ],
          },
        ),
      ],
      returnables: ['hash'],
    },
    {
      id: 'held',
      resource: 'held',
      actionables: [
        giving(
          1,
          { ok: true },
          { hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }] },
        ),
      ],
    },
  ],
};

const verifyHash = (text: string, hash: unknown): Promise<boolean> => verifyBytes(Buffer.from(text), String(hash));

describe('hashables', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({
      files: FILES,
      config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'hashing')] },
      env: { HASH_SALT: 'canary-salt' },
    });
  });
  after(() => kernel.close());

  it('are read as sent by earlier actionables, and as the same hash by this one and later ones', async () => {
    const { status, body } = await kernel.post('/order', { password: 'correct horse' });
    expect(status).to.equal(200);
    expect(body['first']).to.equal('correct horse');
    expect(await verifyHash('correct horse', body['second'])).to.equal(true);
    expect(body['third']).to.equal(body['second']);
  });

  it('replace only the field, and do not change the received payload', async () => {
    const { body } = await kernel.post('/one', { password: 'secret', other: 'secret' });
    expect(body['received']).to.deep.equal({ password: 'secret', other: 'secret' });
    const seen = body['seen'] as Loose;
    expect(Object.keys(seen)).to.deep.equal(['password', 'other']);
    expect(seen['other']).to.equal('secret');
    expect(await verifyHash('secret', seen['password'])).to.equal(true);
  });

  it('include fields in objects and lists', async () => {
    const sent = { login: { password: 'secret', email: 'a' }, pins: ['1', '2'] };
    const { body } = await kernel.post('/nested', sent);
    expect(body['received']).to.deep.equal(sent);
    const { login, pins } = body['seen'] as { login: Loose; pins: string[] };
    expect(login['email']).to.equal('a');
    expect(await verifyHash('secret', login['password'])).to.equal(true);
    expect(pins).to.have.length(2);
    expect(pins[0]).to.equal('1');
    expect(await verifyHash('2', pins[1])).to.equal(true);
  });

  it('skip missing and null values, at any depth', async () => {
    for (const sent of [{}, { password: null }]) {
      expect((await kernel.post('/one', sent)).body['seen']).to.deep.equal(sent);
    }
    for (const sent of [{ login: 'x' }, { login: { password: null } }, { pins: ['1'] }, { login: [], pins: {} }]) {
      const { status, body } = await kernel.post('/nested', sent);
      expect([status, body['seen']]).to.deep.equal([200, sent]);
    }
  });

  it('hash the empty text too: the rules decide whether it is allowed', async () => {
    const { body } = await kernel.post('/one', { password: '' });
    expect(await verifyHash('', (body['seen'] as Loose)['password'])).to.equal(true);
  });

  it('reject values that are not text or too long for the algorithm, by pointer and without the value', async () => {
    const cases: readonly (readonly [string, unknown, string, string])[] = [
      ['/nested', { login: { password: 42424242 } }, '/login/password', 'type'],
      ['/nested', { login: { password: ['42424242'] } }, '/login/password', 'type'],
      ['/nested', { login: { password: false }, text: 42424242 }, '/login/password', 'type'],
      ['/one', { password: '42424242'.repeat(10) }, '/password', 'max_bytes'],
      ['/one', { password: '👍'.repeat(18) + 'x' }, '/password', 'max_bytes'],
    ];
    for (const [path, sent, pointer, code] of cases) {
      const { status, body, text } = await kernel.post(path, sent);
      expect([status, body['code']], text).to.deep.equal([422, 'VAL_PAYLOAD']);
      expect((body['errors'] as Loose[]).map((issue) => [issue['pointer'], issue['code']])).to.deep.equal([
        [pointer, code],
      ]);
      expect(text).not.to.contain('42424242');
    }
    expect((await kernel.post('/one', { password: '👍'.repeat(18) })).status).to.equal(200);
  });

  it('validate lengths of the sent value, never of the hash', async () => {
    for (const [password, status] of [
      ['ab', 422],
      ['abc', 200],
      ['x'.repeat(40), 200],
      ['x'.repeat(41), 422],
    ] as const) {
      expect((await kernel.post('/bounded', { password })).status, password).to.equal(status);
    }
  });

  it('hash the field of every element of a list', async () => {
    const sent = [
      { password: 'a', n: 1 },
      { password: 'b', n: 3 },
    ];
    const { status, body } = await kernel.post('/counted', sent);
    expect(status).to.equal(200);
    const made = Number((body['seen'] as Loose[])[0]?.['password']?.toString().split(' ')[0]);
    expect(body['seen']).to.deep.equal([
      { password: `${made} a`, n: 1 },
      { password: `${made + 1} b`, n: 3 },
    ]);
    expect(body['received']).to.deep.equal(sent);
  });

  it('reject an element with its pointer, and a list that would block others', async () => {
    const wrong = await kernel.post('/one', [{ password: 'a' }, { password: 5 }]);
    expect([wrong.status, (wrong.body['errors'] as Loose[])[0]?.['pointer']]).to.deep.equal([422, '/1/password']);
    const list = Array.from({ length: 101 }, () => ({ password: 'a' }));
    const before = Number(
      ((await kernel.post('/counted', { password: 'x' })).body['seen'] as { password: string }).password.split(' ')[0],
    );
    const long = await kernel.post('/counted', list);
    expect([long.status, long.body['code']]).to.deep.equal([413, 'HSH_TOO_MANY']);
    expect((await kernel.post('/counted', list.slice(1))).status).to.equal(200);
    const after = ((await kernel.post('/counted', { password: 'x' })).body['seen'] as { password: string }).password;
    expect(after, 'of the refused list nothing was hashed').to.equal(`${before + 101} x`);
  });

  it('return no hashed field unless it is named', async () => {
    const { body } = await kernel.post('/plain', { password: 'secret' });
    expect(body).to.deep.equal({ ok: true });
  });

  it('with a salt of the definition, create different hashes for equal passwords, which verify and do not contain the salt', async () => {
    const hashes = await Promise.all(
      [1, 2, 3].map(async () => (await kernel.post('/salted', { password: 'same' })).body['hash']),
    );
    expect(new Set(hashes).size).to.equal(3);
    for (const hash of hashes) {
      expect(await verifyHash('same', hash)).to.equal(true);
      expect(String(hash)).not.to.contain('canary');
    }
  });

  it('queue a hundred while others hash, reject the next, and work on few at a time', async () => {
    const atOnce = computeConcurrency(process.env['UV_THREADPOOL_SIZE']);
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const held = Array.from({ length: atOnce }, () => hashLimiter.run(() => over));
    let most = 0;
    const send = async (): Promise<number> => {
      const { status } = await kernel.post('/held', { password: 'secret' });
      most = Math.max(most, hashLimiter.running);
      return status;
    };
    const hundred = Array.from({ length: 100 }, send);
    await waitUntil(() => hashLimiter.waiting === 100, 'a hundred wait');
    const { status, body, headers } = await kernel.post('/held', { password: 'secret' });
    expect([status, body['code']]).to.deep.equal([503, 'HSH_BUSY']);
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    end();
    await Promise.all(held);
    expect(new Set(await Promise.all(hundred))).to.deep.equal(new Set([200]));
    expect(most).to.be.within(1, atOnce);
    expect([hashLimiter.running, hashLimiter.waiting]).to.deep.equal([0, 0]);
    expect(await send()).to.equal(200);
  });
});
