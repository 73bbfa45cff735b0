/**
 * The interface on caching, sentence by sentence: on resources and actionables, in chains, with guards. Definitions
 * written from the interface alone. In memory and in a real Redis, in both profiles.
 */
import { expect } from 'chai';
import { PLACES } from '../support/caches.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const tokenize = {
  type: 'JWT',
  algorithm: 'HS256',
  expiration: 3600,
  encryption_key: '$ENV.JWT_SECRET_KEY',
  custom_claim_fields: ['id'],
  property_name: 'token',
};
// A protected resource that only verifies tokens issues none.
const validates = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const guard = { tokenize: validates, protected: { provide_as: 'Authorization', extract_claims: ['id'] } };
const sql = (query: string, parameters: readonly unknown[] = []) => ({ query, parameters });
const notes = 'SELECT id, text FROM note WHERE owner = $1 ORDER BY text';

/** Written from the interface alone. */
const DEFINITIONS = [
  { _note: { id: { type: 'String', primary_key: true }, owner: { type: 'String' }, text: { type: 'String' } } },
  {
    id: 'sign-in',
    resource: 'sign-in',
    tokenize,
    actionables: [{ id: 1, mode: 'RETURN', value: { id: '$PAYLOAD.id' } }],
  },
  {
    id: 'my-notes',
    resource: 'my-notes',
    ...guard,
    cacheable: { read_from_cache: true, cache_key: '$ENV.STAGE notes of $PROTECTED.id', duration: 60 },
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: sql(notes, ['$PROTECTED.id']) }],
    returnables: ['id', 'text'],
  },
  // A key without the user, by mistake of the author.
  {
    id: 'my-notes-plain-key',
    resource: 'my-notes-plain-key',
    ...guard,
    cacheable: { read_from_cache: true, cache_key: 'my notes', duration: 60 },
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: sql(notes, ['$PROTECTED.id']) }],
    returnables: ['text'],
  },
  {
    id: 'add-note',
    resource: 'add-note',
    ...guard,
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { text: { type: 'STRING', max_length: 40 } } }],
        sql_query: sql('INSERT INTO note (id, owner, text) VALUES ($1, $2, $3) RETURNING id', [
          '$GENERATOR.ULID',
          '$PROTECTED.id',
          'text',
        ]),
        cacheable: { invalidate_cache_keys: ['$ENV.STAGE notes of $PROTECTED.id', 'my notes', 'all'] },
      },
    ],
    returnables: ['id'],
  },
  {
    id: 'counted',
    resource: 'counted',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        cacheable: { read_from_cache: true, cache_key: 'all', duration: 60 },
        sql_query: sql('SELECT count(*)::int AS many, gen_random_uuid()::text AS made FROM note'),
      },
      {
        id: 2,
        mode: 'QUERY',
        depends_on: [
          { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'many', for: 'many' }] },
        ],
        sql_query: sql('SELECT $1::int AS many, gen_random_uuid()::text AS fresh', ['many']),
        returnables: ['many', 'fresh'],
      },
    ],
    returnables: ['many', 'fresh', 'made'],
  },
  {
    id: 'by-name',
    resource: 'by-name',
    cacheable: { read_from_cache: true, cache_key: 'name $PAYLOAD.who.name', duration: 60 },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: sql('SELECT $1::text AS name, gen_random_uuid()::text AS made', ['$PAYLOAD.who.name']),
        returnables: ['name', 'made'],
      },
    ],
  },
  {
    id: 'short',
    resource: 'short',
    cacheable: { read_from_cache: true, cache_key: 'short', duration: 1 },
    actionables: [{ id: 1, mode: 'RETURN', value: { made: '$GENERATOR.ULID' } }],
  },
  {
    id: 'failing',
    resource: 'failing',
    cacheable: { read_from_cache: true, cache_key: 'failing', duration: 60 },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        must_return_value: true,
        sql_query: sql('SELECT text FROM note WHERE text = $1', ['$PAYLOAD.text']),
      },
    ],
    returnables: ['text'],
  },
];

// Two processes with the same definitions share cached entries: each kernel here has a separate space.
for (const [index, { name, make }] of PLACES.entries()) {
  const profile = index === 0 ? null : 'sub0';
  describe(`the interface on caching (${name}, profile ${profile ?? 'none'})`, function () {
    let kernel: TestKernel;
    before(async function () {
      const store = await make();
      if ('skip' in store) return skipTest(this, store.skip);
      kernel = await startKernel({
        files: { 'definitions/a.json': DEFINITIONS },
        config: {
          connections: { main: { use: 'pglite', path: 'memory://' } },
          ...(profile !== null && { profile }),
          ...store.config,
        },
        env: { JWT_SECRET_KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6', STAGE: 'dev', ...store.env },
      });
    });
    after(() => kernel?.close());

    async function postExpecting<T>(path: string, body: unknown, token?: string, status = 200): Promise<T> {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await kernel.post<{ data: T } & T>(path, body, { headers });
      expect(answer.status, answer.text).to.equal(status);
      return profile === null ? answer.body : answer.body.data;
    }
    const fetchToken = async (id: string): Promise<string> =>
      (await postExpecting<{ token: string }>('/sign-in', { id })).token;
    const texts = async (path: string, token: string): Promise<string[]> =>
      (await postExpecting<{ text: string }[]>(path, {}, token)).map(({ text }) => text);

    it('limits a cached result with accessors in `cache_key` to its caller', async () => {
      const [ada, bob] = [await fetchToken('ada'), await fetchToken('bob')];
      for (const path of ['/my-notes', '/my-notes-plain-key']) {
        await postExpecting('/add-note', { text: `for ${path}` }, ada);
        expect(await texts(path, ada)).to.include(`for ${path}`);
        expect(await texts(path, bob)).to.deep.equal([]);
      }
    });

    it('removes entries of `invalidate_cache_keys` after the write, of this caller or of all', async () => {
      const cleo = await fetchToken('cleo');
      for (const path of ['/my-notes', '/my-notes-plain-key']) {
        const before = await texts(path, cleo);
        await postExpecting('/add-note', { text: `more ${path}` }, cleo);
        expect(await texts(path, cleo)).to.have.length(before.length + 1);
      }
    });

    it('removes nothing for a rejected write', async () => {
      const dan = await fetchToken('dan');
      const { made } = await postExpecting<{ made: string }>('/counted', {});
      await postExpecting('/add-note', { text: 'x'.repeat(41) }, dan, 422);
      expect((await postExpecting<{ made: string }>('/counted', {})).made).to.equal(made);
    });

    it('caches the result of an actionable, and computes later ones with it', async () => {
      const [one, two] = [
        await postExpecting<{ many: number; fresh: string; made: string }>('/counted', {}),
        await postExpecting<{ many: number; fresh: string; made: string }>('/counted', {}),
      ];
      expect(two.made).to.equal(one.made);
      expect(two.fresh).to.not.equal(one.fresh);
      await postExpecting('/add-note', { text: 'another' }, await fetchToken('eve'));
      const three = await postExpecting<{ many: number; made: string }>('/counted', {});
      expect(three.many).to.equal(one.many + 1);
      expect(three.made).to.not.equal(one.made);
    });

    it('stores different entries for similar values', async () => {
      const names = ['a', 'a b', 'a:b', '', 'A', 'ä', '\u202e', 'name a', '{"name":"a"}'];
      const made = new Map<string, string>();
      for (const who of names)
        made.set(who, (await postExpecting<{ made: string }>('/by-name', { who: { name: who } })).made);
      expect(new Set(made.values()).size).to.equal(names.length);
      for (const who of names) {
        const again = await postExpecting<{ name: string; made: string }>('/by-name', { who: { name: who } });
        expect(again).to.deep.equal({ name: who, made: made.get(who) });
      }
    });

    it('fails a request with a missing accessor value', () => postExpecting('/by-name', { who: {} }, undefined, 422));

    it('expires after `duration` in seconds', async () => {
      const fetchMade = async (): Promise<string> => (await postExpecting<{ made: string }>('/short', {})).made;
      let made = '';
      // On a slow machine the time is over before the second request.
      await waitUntil(async () => (made = await fetchMade()) === (await fetchMade()), 'it is kept');
      await waitUntil(async () => (await fetchMade()) !== made, 'it is computed again');
    });

    it('stores no failures', async () => {
      await postExpecting('/failing', { text: 'later' }, undefined, 404);
      await postExpecting('/add-note', { text: 'later' }, await fetchToken('fay'));
      expect(await postExpecting('/failing', { text: 'later' })).to.deep.equal({ text: 'later' });
    });

    it('runs guards although the response is cached', async () => {
      const gus = await fetchToken('gus');
      await texts('/my-notes', gus);
      await postExpecting('/my-notes', {}, `${gus}x`, 401);
      await postExpecting('/my-notes', {}, undefined, 401);
    });
  });
}
