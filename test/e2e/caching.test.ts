/**
 * `cacheable` over real HTTP, in memory and on a real Redis: which requests share an entry, what removes it, and what
 * is never stored. `$GENERATOR` in a result shows whether it was computed again.
 */
import { expect } from 'chai';
import { PLACES } from '../support/caches.js';
import { FILES } from '../support/cached-resources.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

for (const place of PLACES) {
  describe(`cached responses (${place.name})`, () => {
    let kernel: TestKernel;
    const tokens: Record<string, string> = {};

    before(async function () {
      const made = await place.make();
      if ('skip' in made) return skipTest(this, made.skip);
      const config = { envelope: 'bare', http: { methods: ['POST', 'GET'] }, ...made.config };
      kernel = await startKernel({ validated: true, files: FILES, config, env: { ...made.env, KEY } });
      for (const id of ['ada', 'bob', 'a:b']) tokens[id] = await signJwt({ id, role: 'user' });
    });
    after(() => kernel?.close());

    const postOk = async (id: string, body: unknown = {}, token?: string): Promise<string> => {
      const { status, text } = await kernel.post(
        `/${id}`,
        body,
        token === undefined ? {} : createBearerInit(tokens[token] ?? ''),
      );
      expect(status, text).to.equal(200);
      return text;
    };
    const postForRejection = async (id: string, body: unknown, init: RequestInit = {}): Promise<[number, unknown]> => {
      const { status, body: problem } = await kernel.post(`/${id}`, body, init);
      return [status, problem['code']];
    };
    const expectKept = async (id: string, body: unknown = {}, token?: string): Promise<string> => {
      const first = await postOk(id, body, token);
      expect(await postOk(id, body, token)).to.equal(first);
      return first;
    };

    it('returns the same bytes again, as JSON with its length', async () => {
      const first = await kernel.post('/plain', {});
      const second = await kernel.post('/plain', {});
      expect(second.text).to.equal(first.text);
      for (const name of ['content-type', 'content-length', 'x-content-type-options']) {
        expect(second.headers.get(name), name).to.equal(first.headers.get(name));
      }
      expect(second.headers.get('x-request-id')).not.to.equal(first.headers.get('x-request-id'));
      expect((await kernel.request('HEAD', '/plain')).headers.get('content-length')).to.equal(
        String(first.text.length),
      );
    });

    it('computes again after the time has expired', async () => {
      const first = await postOk('short');
      await waitUntil(async () => (await postOk('short')) !== first, 'it is computed again');
    });

    it('distinguishes values that the definition reads, with their types, whether or not they are in the name', async () => {
      for (const id of ['by-id', 'unnamed-value']) {
        const values = [5, '5', 5.5, '', ' 5', null, true, 'true', [5], { id: 5 }, '__proto__', '5","b'];
        const answers: string[] = [];
        for (const value of values) answers.push(await expectKept(id, { id: value }));
        expect(new Set(answers).size, id).to.equal(values.length);
        expect(answers.map((answer) => (JSON.parse(answer) as { id: unknown }).id)).to.deep.equal(values);
      }
    });

    it('does not distinguish values that the definition does not read', async () => {
      const first = await postOk('ruled', { id: 1 });
      expect(await postOk('ruled', { id: 1, unread: 'x', anything: 2 })).to.equal(first);
      expect(await postOk('ruled', { id: 1, more: 'x' })).not.to.equal(first);
      expect(await postOk('ruled', { id: 1, more: '' })).not.to.equal(first);
    });

    it('includes the whole payload if the definition reads it', async () => {
      const first = await expectKept('body', { a: 1 });
      expect(await postOk('body', { a: 1, b: 2 })).not.to.equal(first);
    });

    it('never confuses values because of separators in them', async () => {
      const bodies = [
        { a: 'b:c', b: 'd' },
        { a: 'b', b: 'c:d' },
        { a: 'b","c', b: 'd' },
        { a: 'b', b: '":"c' },
        { a: '', b: ':' },
        { a: ':', b: '' },
      ];
      const answers: string[] = [];
      for (const body of bodies) answers.push(await expectKept('pair', body));
      expect(new Set(answers).size).to.equal(bodies.length);
      await postOk('drop-pair', bodies[0]);
      for (const [n, body] of bodies.entries()) {
        expect((await postOk('pair', body)) === answers[n], JSON.stringify(body)).to.equal(n !== 0);
      }
    });

    it('separates callers if the definition reads their identity, whatever the name', async () => {
      const ada = await expectKept('mine', {}, 'ada');
      const bob = await expectKept('mine', {}, 'bob');
      const odd = await expectKept('mine', {}, 'a:b');
      expect([ada, bob, odd].map((text) => (JSON.parse(text) as { id: string }).id)).to.deep.equal([
        'ada',
        'bob',
        'a:b',
      ]);
      expect(await postOk('role', {}, 'ada')).not.to.equal(await postOk('role', {}, 'bob'));
      await postOk('drop-profile');
      for (const [name, before] of Object.entries({ ada, bob }))
        expect(await postOk('mine', {}, name)).not.to.equal(before);
    });

    it('shares equal results among callers, and runs the guard each time', async () => {
      expect(await postOk('members', {}, 'ada')).to.equal(await postOk('members', {}, 'bob'));
      expect(await postForRejection('members', {})).to.deep.equal([401, 'TOK_REFUSED']);
      const { headers } = await kernel.post('/members', {}, createBearerInit(tokens['ada'] ?? ''));
      expect(headers.get('cache-control')).to.equal('no-store');
    });

    it('returns to each of 60 concurrent callers only its own data', async function () {
      const ids = Array.from({ length: 60 }, (_, n) => `caller ${n}`);
      const made = await Promise.all(ids.map(async (id) => createBearerInit(await signJwt({ id }))));
      const wrong: unknown[] = [];
      const postOne = async (n: number): Promise<void> => {
        const { body } = await kernel.post('/mine', {}, made[n % made.length] ?? {});
        if (body['id'] !== ids[n % ids.length]) wrong.push(body);
      };
      await Promise.all(Array.from({ length: 60 }, (_, n) => postOne(n)));
      expect(wrong).to.deep.equal([]);
    });

    it('compares a password each time, also when another resource uses the comparison', async () => {
      expect(await postOk('enter', { password: 'right' })).to.equal(await postOk('enter', { password: 'right' }));
      expect(await postForRejection('enter', { password: 'wrong' })).to.deep.equal([401, 'VER_FAILED']);
      expect(await postForRejection('enter', {})).to.deep.equal([401, 'VER_FAILED']);
    });

    it('checks the payload each time', async () => {
      await postOk('ruled', { id: 7 });
      expect(await postForRejection('ruled', { id: 'seven' })).to.deep.equal([422, 'VAL_PAYLOAD']);
    });

    it('distinguishes headers that the definition reads', async () => {
      const of = async (tenant: string): Promise<string> =>
        (await kernel.post('/tenant', {}, { headers: { 'x-tenant': tenant } })).text;
      expect(await of('a')).to.equal(await of('a'));
      expect(await of('a')).not.to.equal(await of('b'));
      expect(await postForRejection('tenant', {})).to.deep.equal([422, 'ACC_UNRESOLVED']);
    });

    it('rejects a name whose value is missing', async () => {
      expect(await postForRejection('by-id', {})).to.deep.equal([422, 'ACC_UNRESOLVED']);
      expect(await postForRejection('drop-item', {})).to.deep.equal([422, 'ACC_UNRESOLVED']);
    });

    it('removes by name from another resource: other accessor, number or text; and nothing else', async () => {
      const [five, text, six] = [
        await postOk('by-id', { id: 5 }),
        await postOk('by-id', { id: '5' }),
        await postOk('by-id', { id: 6 }),
      ];
      await postOk('drop-all-items');
      expect(await postOk('by-id', { id: 5 })).to.equal(five);
      await postOk('drop-item', { number: '5' });
      expect(await postOk('by-id', { id: 5 })).not.to.equal(five);
      expect(await postOk('by-id', { id: '5' })).not.to.equal(text);
      expect(await postOk('by-id', { id: 6 })).to.equal(six);
    });

    it('separates resources of one name, and removes both by it', async () => {
      const [one, two] = [await expectKept('unnamed-value', { id: 'x' }), await expectKept('same-name', { id: 'x' })];
      expect(Object.keys(JSON.parse(one) as object)).to.deep.equal(['made', 'id']);
      expect(Object.keys(JSON.parse(two) as object)).to.deep.equal(['other', 'id']);
      await postOk('drop-everything');
      expect(await postOk('unnamed-value', { id: 'x' })).not.to.equal(one);
      expect(await postOk('same-name', { id: 'x' })).not.to.equal(two);
    });

    it('removes entries without a name by the id of their resource or actionable', async () => {
      const plain = await expectKept('plain');
      await postOk('drop-plain');
      expect(await postOk('plain')).not.to.equal(plain);
      const inside = await readInner('drop-test');
      await postOk('drop-inner');
      expect(await readInner('drop-test')).not.to.equal(inside);
    });

    it('removes several names in one request', async () => {
      const [one, two] = [await postOk('unnamed-value', { id: 'z' }), await postOk('by-id', { id: 'z' })];
      await postOk('drop-several', { id: 'z' });
      expect(await postOk('unnamed-value', { id: 'z' })).not.to.equal(one);
      expect(await postOk('by-id', { id: 'z' })).not.to.equal(two);
    });

    it('stores the response null', async () => {
      expect(await expectKept('nothing')).to.equal('null');
    });

    const readInner = async (id: string): Promise<unknown> => {
      const { inside } = JSON.parse(await postOk('inner', { id })) as { inside: unknown };
      expect(inside).to.be.a('string');
      return inside;
    };

    it('stores the result of an actionable, while later ones are computed', async () => {
      const [one, two] = [await kernel.post('/inner', { id: 1 }), await kernel.post('/inner', { id: 1 })];
      expect(two.body['inside']).to.equal(one.body['inside']);
      expect(two.body['outside']).not.to.equal(one.body['outside']);
      expect((await kernel.post('/inner', { id: 2 })).body['inside']).not.to.equal(one.body['inside']);
    });

    it('shares the result of an actionable with resources that reuse it', async () => {
      const inside = await readInner('borrowed');
      expect((await kernel.post('/borrowing', { id: 'borrowed' })).body['made']).to.equal(inside);
    });

    it('distinguishes results that an actionable receives', async () => {
      const one = await expectKept('chained', { id: 1 });
      const two = await expectKept('chained', { id: 2 });
      expect([one, two].map((text) => (JSON.parse(text) as { owner: unknown }).owner)).to.deep.equal([1, 2]);
    });

    it('starts empty when a definition changes', async () => {
      const first = await expectKept('plain');
      await kernel.project.write('definitions/more.json', defineReturnResource('more', 1));
      expect((await kernel.kernel.reload()).applied).to.equal(true);
      expect(await postOk('plain')).not.to.equal(first);
    });
  });
}

describe('cached responses in an envelope', () => {
  it('are the same as computed ones', async () => {
    const kernel = await startKernel({ files: FILES, config: { envelope: 'success-message-data' }, env: { KEY } });
    try {
      const first = await kernel.post('/plain', {});
      expect(first.body['data']).to.have.property('made');
      expect((await kernel.post('/plain', {})).text).to.equal(first.text);
    } finally {
      await kernel.close();
    }
  });
});
