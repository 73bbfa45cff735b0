/**
 * Secrets inside JSON: what an actionable decrypts for its caller is returned, a hash never is, whatever a statement
 * derives from its column; and a sign-in may compare with a hash inside an object.
 */
import { expect } from 'chai';
import { describeOnDatabase } from '../support/kernel.js';

const hash = { property: 'profile.password', algorithm: 'BCRYPT' };
const cipher = (operation: string): object => ({
  ciphers: [{ operation, properties: ['profile.ssn'], algorithm: 'Aes256Gcm', options: { key: '$ENV.KEY' } }],
});
const defineReadResource = (id: string, query: string, rest: object = {}, action: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters: [] }, ...action }],
  ...rest,
});
/** Each of them reads what another one has stored. */
const LEAKS: Readonly<Record<string, string>> = {
  star: 'SELECT * FROM people',
  row: 'SELECT row_to_json(p) AS seen FROM people p',
  jsonb: 'SELECT to_jsonb(p) AS seen FROM people p',
  list: 'SELECT json_agg(p) AS seen FROM people p',
  text: "SELECT profile->>'password' AS seen FROM people",
  path: "SELECT profile #>> '{password}' AS seen FROM people",
  cast: 'SELECT profile::text AS seen FROM people',
  alias: 'SELECT profile AS seen FROM people',
  query: 'SELECT seen FROM (SELECT profile AS seen FROM people) inner_rows',
  common: 'WITH w AS (SELECT p.profile AS seen FROM people p) SELECT seen FROM w',
  built: "SELECT json_build_object('a', json_build_array(profile->'password')) AS seen FROM people",
  joined: "SELECT 'x: ' || (profile->>'password') AS seen FROM people",
  upper: "SELECT upper(profile->>'password') AS seen FROM people",
  view: 'SELECT * FROM people_view',
};
const FILES = {
  'migrations/1-view.sql': 'CREATE VIEW people_view AS SELECT * FROM people;',
  'definitions/all.json': [
    { _people: { id: { type: 'Number', primary_key: true }, profile: { type: 'JSON_OBJECT' } } },
    { _note: { id: { type: 'Number', primary_key: true }, ssn: { type: 'String' }, about: { type: 'JSON_OBJECT' } } },
    {
      id: 'add',
      resource: 'add',
      actionables: [
        {
          ...{ id: 1, mode: 'QUERY', ...cipher('Encrypt') },
          hashables: [{ ...hash, options: { rounds_cost: 4 } }],
          sql_query: { query: 'INSERT INTO people (id, profile) VALUES ($1, $2)', parameters: ['id', 'profile'] },
        },
      ],
      returnables: ['id'],
    },
    defineReadResource('own', 'SELECT id, profile FROM people', { returnables: ['profile'] }, cipher('Decrypt')),
    defineReadResource(
      'own-action',
      'SELECT id, profile FROM people',
      {},
      { ...cipher('Decrypt'), returnables: ['profile'] },
    ),
    ...Object.entries(LEAKS).flatMap(([id, query]) => [
      defineReadResource(id, query),
      defineReadResource(`${id}-listed`, query, { returnables: ['seen', 'profile', 'id'] }),
      defineReadResource(`${id}-chosen`, query, {}, { returnables: ['seen', 'profile', 'id'] }),
    ]),
    {
      id: 'note',
      resource: 'note',
      actionables: [
        {
          ...{ id: 1, mode: 'QUERY' },
          sql_query: {
            query: 'INSERT INTO notes (id, ssn, about) VALUES ($1, $2, $3)',
            parameters: ['id', 'ssn', 'about'],
          },
        },
      ],
    },
    {
      id: 'sign-in',
      resource: 'sign-in',
      actionables: [
        {
          ...{ id: 1, mode: 'QUERY', verify_hashables: [hash] },
          sql_query: { query: 'SELECT id, profile FROM people WHERE id = $1', parameters: ['id'] },
        },
      ],
      returnables: ['id'],
    },
  ],
};
const env = { KEY: 'canary-field-key-Qm7xT2vLs9Rw4Zk' };
const SENT = { name: 'Ada', ssn: '078-05-1120', password: 'correct horse' };

describeOnDatabase('secrets inside JSON', { files: FILES, env }, (kernel) => {
  before(async () => {
    expect((await kernel().post('/add', { id: 1, profile: SENT })).status).to.equal(200);
  });

  for (const path of ['own', 'own-action'])
    it(`include a decrypted value inside its object, and not the hash next to it: ${path}`, async () => {
      const { status, body } = await kernel().post(`/${path}`, {});
      expect([status, body]).to.deep.equal([200, { profile: { name: 'Ada', ssn: '078-05-1120' } }]);
    });

  for (const id of Object.keys(LEAKS))
    it(`are never returned as a hash, whatever another resource does with its column: ${id}`, async () => {
      for (const path of [id, `${id}-listed`, `${id}-chosen`]) {
        const { status, text } = await kernel().post(`/${path}`, {});
        expect(status, text).to.equal(200);
        expect(text, path).not.to.include('$2b$');
      }
    });

  it('do not hide a field of another table, although a field of that name is encrypted elsewhere', async () => {
    const about = { password: 'is what it is about' };
    const { body } = await kernel().post('/note', { id: 1, ssn: 'open', about });
    expect(body).to.deep.equal({ id: 1, ssn: 'open', about });
  });

  it('can be compared with a hash inside an object at sign-in', async () => {
    const signIn = async (password: string): Promise<number> =>
      (await kernel().post('/sign-in', { id: 1, profile: { password } })).status;
    expect(await signIn('correct horse')).to.equal(200);
    expect(await signIn('wrong')).to.equal(401);
  });
});
