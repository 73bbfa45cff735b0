/**
 * `payload_validation` over real HTTP: values that each type accepts, how bounds count, and the response for a violated
 * rule.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { vectorFile } from '../support/project.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

const defineResource = (id: string, ...rules: unknown[]): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: { ok: true }, payload_validation: rules }],
});

const FILES = {
  'definitions/a.json': [
    defineResource('string', { field: { v: { type: 'STRING', min_length: 2, max_length: 4 } } }),
    defineResource('any-string', { field: { v: { type: 'STRING' } } }),
    defineResource('number', { field: { v: { type: 'NUMBER' } } }),
    defineResource('bounded', { field: { v: { type: 'NUMBER', min: 0.5, max: 10 } } }),
    defineResource('whole', { field: { v: { type: 'NUMBER', integer: true } } }),
    defineResource('email', { field: { v: { type: 'EMAIL' } } }),
    defineResource('short-email', { field: { v: { type: 'EMAIL' } }, max_length: 12 }),
    defineResource('optional', { field: { v: { type: 'STRING', optional: true, min_length: 2 } } }),
    defineResource('inherited', {
      field: { valueOf: { type: 'STRING', optional: true }, toString: { type: 'STRING' } },
    }),
    defineResource('rule-level', {
      field: { a: { type: 'STRING' }, b: { type: 'STRING', max_length: 2 } },
      max_length: 5,
    }),
    defineResource('odd-names', {
      field: { 'a/b': { type: 'STRING' }, 'c~d': { type: 'STRING' }, toString: { type: 'STRING' } },
    }),
    defineResource('many', {
      field: Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`f${i}`, { type: 'STRING' }])),
    }),
    {
      id: 'of-dependency',
      resource: 'of-dependency',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          no_op: true,
          value: { n: 1 },
          payload_validation: [{ field: { v: { type: 'NUMBER' } } }],
        },
        { id: 2, mode: 'RETURN', value: { ok: true }, depends_on: [{ resource_id: 'self', action_ids: [1] }] },
      ],
    },
    {
      id: 'of-other',
      resource: 'of-other',
      actionables: [
        { id: 1, mode: 'RETURN', value: { ok: true }, depends_on: [{ resource_id: 'number', action_ids: [1] }] },
      ],
    },
  ],
};

describe('payload_validation', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES })));
  after(() => kernel.close());

  /** The codes of the issues about `v`; empty when the payload passes. `body` may be JSON text. */
  const postForCodes = async (path: string, body: unknown): Promise<unknown[]> => {
    const answer = await kernel.post(path, body);
    if (answer.status === 200) return [];
    expect(answer.status, answer.text).to.equal(422);
    expect(answer.body['code']).to.equal('VAL_PAYLOAD');
    return (answer.body['errors'] as Loose[]).map((issue) => issue['code']);
  };

  const CASES: readonly (readonly [path: string, json: string, codes: readonly string[]])[] = [
    ['/string', '{"v":"ab"}', []],
    ['/string', '{"v":"a"}', ['min_length']],
    ['/string', '{"v":""}', ['min_length']],
    ['/string', '{"v":"abcde"}', ['max_length']],
    ['/string', '{"v":"👍👍👍👍"}', []],
    ['/string', '{"v":"👍"}', ['min_length']],
    ['/string', '{"v":"👍👍👍👍👍"}', ['max_length']],
    ['/string', '{"v":"\\ud83d\\udc4d\\ud83d\\udc4d"}', []],
    ['/string', '{"v":5}', ['type']],
    ['/string', '{"v":true}', ['type']],
    ['/string', '{"v":["ab"]}', ['type']],
    ['/string', '{"v":{"length":3}}', ['type']],
    ['/string', '{"v":null}', ['required']],
    ['/string', '{}', ['required']],
    ['/any-string', '{"v":""}', []],
    ['/number', '{"v":0}', []],
    ['/number', '{"v":-1.5e3}', []],
    ['/number', '{"v":"5"}', ['type']],
    ['/number', '{"v":true}', ['type']],
    ['/number', '{"v":[5]}', ['type']],
    ['/number', '{"v":null}', ['required']],
    ['/number', '{"v":""}', ['type']],
    ['/number', '{"v":9007199254740991}', []],
    ['/number', '{"v":9007199254740993}', []],
    ['/number', '{"v":-9007199254740993.5}', []],
    ['/bounded', '{"v":9007199254740993}', ['max']],
    ['/bounded', '{"v":10.000000000000000001}', ['max']],
    ['/bounded', '{"v":0.499999999999999999999}', ['min']],
    ['/whole', '{"v":9007199254740993}', []],
    ['/whole', '{"v":3.000000000000000000001}', ['integer']],
    ['/bounded', '{"v":0.5}', []],
    ['/bounded', '{"v":0.49}', ['min']],
    ['/bounded', '{"v":10}', []],
    ['/bounded', '{"v":10.01}', ['max']],
    ['/whole', '{"v":3.0}', []],
    ['/whole', '{"v":3.5}', ['integer']],
    ['/email', '{"v":"ada@example.com"}', []],
    ['/email', '{"v":"ada"}', ['email']],
    ['/email', '{"v":"ada@example.com\\n"}', ['email']],
    ['/email', '{"v":" ada@example.com"}', ['email']],
    ['/email', '{"v":5}', ['email']],
    ['/short-email', '{"v":"a@ab.co"}', []],
    ['/short-email', '{"v":"long.name@ab.co"}', ['max_length']],
    ['/optional', '{}', []],
    ['/optional', '{"v":null}', []],
    ['/optional', '{"v":"ab"}', []],
    ['/optional', '{"v":"a"}', ['min_length']],
    ['/optional', '{"v":5}', ['type']],
    ['/of-dependency', '{"v":"5"}', ['type']],
    ['/of-dependency', '{"v":5}', []],
    ['/of-other', '{"v":"5"}', ['type']],
  ];
  for (const [path, json, codes] of CASES) {
    it(`${path} ${codes.length === 0 ? 'accepts' : `rejects (${codes.join()})`} ${json}`, async () => {
      expect(await postForCodes(path, json)).to.deep.equal(codes);
    });
  }

  it('reads own properties of the payload only', async () => {
    expect((await kernel.post('/inherited', { toString: 'own' })).status).to.equal(200);
    const { body } = await kernel.post<Loose>('/inherited', {});
    expect(body['errors']).to.deep.equal([{ pointer: '/toString', code: 'required', detail: 'is required' }]);
  });

  it('applies the bounds of a rule to each of its fields, unless a field has its own', async () => {
    const { body } = await kernel.post('/rule-level', { a: 'abcdef', b: 'abc' });
    expect(body['errors']).to.deep.equal([
      { pointer: '/a', code: 'max_length', detail: 'must have at most 5 characters' },
      { pointer: '/b', code: 'max_length', detail: 'must have at most 2 characters' },
    ]);
  });

  it('escapes pointers, and reads own fields only', async () => {
    const { body } = await kernel.post('/odd-names', {});
    const pointers = (body['errors'] as Loose[]).map((issue) => issue['pointer']);
    expect(pointers).to.deep.equal(['/a~1b', '/c~0d', '/toString']);
    expect(await postForCodes('/odd-names', { 'a/b': '', 'c~d': '', toString: '' })).to.deep.equal([]);
  });

  it('lists 50 issues at most', async () => {
    expect(await postForCodes('/many', {})).to.have.length(50);
  });

  it('never repeats a value of the payload', async () => {
    const canary = 'canary-7d1f';
    for (const path of ['/string', '/number', '/email', '/whole']) {
      const { status, text } = await kernel.post(path, { v: `${canary}@`, [canary]: 1 });
      expect(status).to.equal(422);
      expect(text).not.to.contain(canary);
    }
  });
});

describe('EMAIL against the shared vectors', () => {
  let kernel: TestKernel;
  interface Case {
    readonly id: string;
    readonly value: string;
    readonly expect: { readonly ok: boolean | null };
  }
  const file = vectorFile('email.jsonl');
  before(async function () {
    if (file === null) return skipTest(this, NO_SHARED);
    kernel = await startKernel({
      files: { 'definitions/a.json': defineResource('email', { field: { v: { type: 'EMAIL' } } }) },
    });
  });
  after(() => (file === null ? undefined : kernel.close()));

  it('accepts ordinary addresses, rejects invalid ones, and decides on every one', async () => {
    const cases = readFileSync(file ?? '', 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Case);
    expect(cases.length).to.be.greaterThan(150);
    const wrong: string[] = [];
    for (const { id, value, expect: wanted } of cases) {
      const { status } = await kernel.post('/email', { v: value });
      const fits = wanted.ok === null ? status === 200 || status === 422 : status === (wanted.ok ? 200 : 422);
      if (!fits) wrong.push(`${id} ${JSON.stringify(value)}: ${status}`);
    }
    expect(wrong).to.deep.equal([]);
  });
});
