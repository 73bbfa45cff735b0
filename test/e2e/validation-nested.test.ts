/**
 * Rules for objects and lists over real HTTP: pointers, optional fields on the path, closed objects, rules that are
 * bypassed.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';

const defineResource = (id: string, field: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: { ok: true }, payload_validation: [{ field, ...rest }] }],
});
const defineReturningRule = (id: string, value: unknown, field: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value, payload_validation: [{ field }], ...rest }],
});

const ADDRESS = {
  address: {
    type: 'OBJECT',
    fields: {
      city: { type: 'STRING' },
      zip: { type: 'STRING', optional: true, max_length: 5 },
      geo: { type: 'OBJECT', optional: true, fields: { lat: { type: 'NUMBER', min: -90, max: 90 } } },
    },
  },
};
const ITEMS = {
  items: {
    type: 'ARRAY',
    arr_min_length: 1,
    arr_length: 3,
    fields: { sku: { type: 'STRING' }, n: { type: 'NUMBER' } },
  },
};
const TAGS = { tags: { type: 'STRINGARRAY', arr_length: 4, items_min_length: 2, items_max_length: 5 } };

const FILES = {
  'definitions/a.json': [
    defineResource('address', ADDRESS),
    defineResource('items', ITEMS),
    defineResource('tags', TAGS),
    defineResource('messages', { messages: { type: 'ARRAY' } }),
    defineResource('any', { any: { type: 'OBJECT' } }),
    defineResource('closed', { a: { type: 'OBJECT', closed: true, fields: { x: { type: 'NUMBER' } } } }),
    defineResource('closed-items', { a: { type: 'ARRAY', closed: true, fields: { 'x/y': { type: 'NUMBER' } } } }),
    defineResource('bounded', ADDRESS, { max_length: 3 }),
    defineResource('deep', {
      a: { type: 'ARRAY', fields: { b: { type: 'ARRAY', fields: { c: { type: 'EMAIL' } } } } },
    }),
    defineReturningRule('city', '$PAYLOAD.address.city', ADDRESS),
    defineReturningRule('zip', { zip: '$PAYLOAD.address.zip' }, ADDRESS),
    defineReturningRule('lat', { lat: '$PAYLOAD.address.geo.lat' }, ADDRESS),
    defineReturningRule('sku', { sku: '$PAYLOAD.items.1.sku' }, ITEMS),
    defineReturningRule(
      'note',
      { note: '$PAYLOAD.items.0.note' },
      {
        items: { type: 'ARRAY', fields: { note: { type: 'STRING', optional: true } } },
      },
    ),
    defineReturningRule(
      'bypassed',
      { email: '$PAYLOAD.email' },
      { email: { type: 'EMAIL' }, age: { type: 'NUMBER', optional: true } },
      {
        bypass_payload_validation: true,
      },
    ),
    defineReturningRule(
      'bypassed-optional',
      { age: '$PAYLOAD.age' },
      { age: { type: 'NUMBER', optional: true } },
      {
        bypass_payload_validation: true,
      },
    ),
  ],
};

describe('payload_validation of objects and lists', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES })));
  after(() => kernel.close());

  /** Pointer and code of each issue; empty when the payload passes. */
  const postForIssues = async (path: string, body: unknown): Promise<string[]> => {
    const answer = await kernel.post(path, body);
    if (answer.status === 200) return [];
    expect([answer.status, answer.body['code']], answer.text).to.deep.equal([422, 'VAL_PAYLOAD']);
    return (answer.body['errors'] as Loose[]).map(({ pointer, code }) => `${String(pointer)} ${String(code)}`);
  };

  const createItems = (n: number): object[] => Array.from({ length: n }, () => ({ sku: 'a', n: 1 }));
  const CASES: readonly (readonly [path: string, body: unknown, issues: readonly string[]])[] = [
    ['/address', { address: { city: 'Paris' } }, []],
    ['/address', { address: { city: 'Paris', other: 1 } }, []],
    ['/address', { address: { city: 'Paris', geo: { lat: 48.8 } } }, []],
    ['/address', { address: { city: 'Paris', zip: null, geo: null } }, []],
    ['/address', {}, ['/address required']],
    ['/address', { address: null }, ['/address required']],
    ['/address', { address: [] }, ['/address type']],
    ['/address', { address: 'Paris' }, ['/address type']],
    ['/address', { address: {} }, ['/address/city required']],
    [
      '/address',
      { address: { city: 5, zip: '123456', geo: { lat: 91 } } },
      ['/address/city type', '/address/zip max_length', '/address/geo/lat max'],
    ],
    ['/address', { address: { city: 'Paris', geo: {} } }, ['/address/geo/lat required']],
    ['/items', { items: createItems(3) }, []],
    ['/items', { items: createItems(4) }, ['/items arr_length']],
    ['/items', { items: [] }, ['/items arr_min_length']],
    ['/items', { items: {} }, ['/items type']],
    ['/items', { items: { 0: {}, length: 1 } }, ['/items type']],
    ['/items', { items: 'ab' }, ['/items type']],
    ['/items', { items: [{ sku: 1, n: 1 }, { sku: 'a' }] }, ['/items/0/sku type', '/items/1/n required']],
    ['/items', { items: [null, 'a', []] }, ['/items/0 type', '/items/1 type', '/items/2 type']],
    ['/tags', { tags: [] }, []],
    ['/tags', { tags: ['ab', 'abcde'] }, []],
    ['/tags', { tags: ['ab', 'ab', 'ab', 'ab'] }, []],
    ['/tags', { tags: ['ab', 'ab', 'ab', 'ab', 'ab'] }, ['/tags arr_length']],
    [
      '/tags',
      { tags: ['a', 'abcdef', 5, null] },
      ['/tags/0 items_min_length', '/tags/1 items_max_length', '/tags/2 type', '/tags/3 type'],
    ],
    ['/tags', { tags: ['👍👍', '👍👍👍👍👍'] }, []],
    ['/tags', { tags: ['👍'] }, ['/tags/0 items_min_length']],
    ['/tags', { tags: 'ab' }, ['/tags type']],
    ['/messages', { messages: [{ role: 'user', content: ['x'] }, {}] }, []],
    ['/messages', { messages: [] }, []],
    ['/messages', { messages: ['x'] }, ['/messages/0 type']],
    ['/any', { any: {} }, []],
    ['/any', { any: { deep: { er: [1] } } }, []],
    ['/any', { any: [] }, ['/any type']],
    ['/closed', { a: { x: 1 } }, []],
    ['/closed', { a: { x: 1, 'y/z': 2 } }, ['/a/y~1z unknown']],
    ['/closed', { a: { x: 1, ['k'.repeat(101)]: 2 } }, ['/a unknown']],
    ['/closed-items', { a: [{ 'x/y': 1 }, { 'x/y': '1', z: 0 }] }, ['/a/1/x~1y type', '/a/1/z unknown']],
    ['/bounded', { address: { city: 'Rom', zip: '12345' } }, []],
    ['/bounded', { address: { city: 'Roma' } }, ['/address/city max_length']],
    ['/deep', { a: [{ b: [{ c: 'a@b.co' }] }, { b: [] }] }, []],
    ['/deep', { a: [{ b: [] }, { b: [{ c: 'a@b.co' }, { c: 'x' }] }] }, ['/a/1/b/1/c email']],
  ];
  for (const [path, body, issues] of CASES) {
    const shown = JSON.stringify(body).slice(0, 90);
    it(`${path} ${issues.length === 0 ? 'accepts' : `rejects (${issues.join(', ')})`} ${shown}`, async () => {
      expect(await postForIssues(path, body)).to.deep.equal(issues);
    });
  }

  it('lists at most 50 issues', async () => {
    expect(await postForIssues('/messages', { messages: Array.from({ length: 9000 }, () => 1) })).to.have.length(50);
    const inner = { b: Array.from({ length: 15 }, () => ({ c: 'x' })) };
    expect(await postForIssues('/deep', { a: Array.from({ length: 15 }, () => inner) })).to.have.length(50);
  });

  it('names the first field by its whole path in the message', async () => {
    const { body } = await kernel.post('/items', { items: [{ sku: 1, n: 1 }] });
    expect(body['detail']).to.equal('The payload breaks a rule: items/0/sku must be text.');
  });

  describe('nested names', () => {
    const read = async (path: string, body: unknown): Promise<unknown> => {
      const answer = await kernel.post(path, body);
      return answer.status === 200 ? answer.body : answer.body['code'];
    };

    it('are read by their path', async () => {
      expect(await read('/city', { address: { city: 'Paris' } })).to.equal('Paris');
      expect(await read('/sku', { items: createItems(2) })).to.deep.equal({ sku: 'a' });
    });

    it('are null if a field on the path is optional and missing', async () => {
      expect(await read('/zip', { address: { city: 'Paris' } })).to.deep.equal({ zip: null });
      expect(await read('/lat', { address: { city: 'Paris' } })).to.deep.equal({ lat: null });
      expect(await read('/note', { items: [{}] })).to.deep.equal({ note: null });
    });

    it('end the request if no field on the path is optional', async () => {
      expect(await read('/sku', { items: createItems(1) })).to.equal('ACC_UNRESOLVED');
    });
  });

  describe('bypass_payload_validation', () => {
    it('accepts values that the rules would reject', async () => {
      const { status, body } = await kernel.post('/bypassed', { email: 5, age: 'old' });
      expect([status, body]).to.deep.equal([200, { email: 5 }]);
    });

    it('follows the rules: an optional field is null, another is required', async () => {
      expect((await kernel.post('/bypassed-optional', {})).body).to.deep.equal({ age: null });
      expect((await kernel.post('/bypassed', {})).body['code']).to.equal('ACC_UNRESOLVED');
    });
  });
});
