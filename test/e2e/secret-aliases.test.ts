/**
 * Statements that try to return a secret under another name: through rows of sub-queries, set operations, positions,
 * functions and parts of JSON. Neither the secret nor a part of it is returned; similar values are.
 */
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { describeOnEach, SQL, type SqlName } from '../support/databases.js';

const TOKEN = 'canaryTokenQm7xT2vLs9Rw4Zk';
const HASH = { algorithm: 'BCRYPT', options: { rounds_cost: 4 } };

/** Every database; `user` has a secret `token`, a hashed `password` and a hash inside `profile`. */
const EVERYWHERE: readonly string[] = [
  'SELECT x.p FROM (SELECT token AS p FROM users) x',
  'WITH w (p) AS (SELECT token FROM users) SELECT p FROM w',
  'WITH w AS (SELECT token AS p FROM users), v AS (SELECT p AS q FROM w) SELECT upper(q) AS r FROM v',
  'SELECT id AS n FROM users UNION ALL SELECT token FROM users',
  '(SELECT id AS n FROM users) UNION (SELECT token FROM users)',
  'SELECT n FROM (SELECT id AS n FROM users UNION SELECT token FROM users) x',
  "SELECT CASE WHEN id <> '' THEN token END FROM users",
  "SELECT CASE WHEN id = '' THEN '' ELSE CASE WHEN id = 'x' THEN id ELSE token END END AS c FROM users",
  'SELECT (SELECT token FROM users LIMIT 1)',
  'SELECT (SELECT token FROM users LIMIT 1) AS t, id FROM users',
  'SELECT substr(token, 1, 12) FROM users',
  'SELECT reverse(token) AS r FROM users',
  'SELECT reverse(coalesce(nullif(token, id), id)) r FROM users',
  "SELECT concat_ws(':', id, token) AS r FROM users",
  "SELECT replace(token, 'zzz', '') AS r FROM users",
  'SELECT min(token) AS r, max(id) AS id FROM users',
  'SELECT TOKEN AS R FROM users',
  'SELECT x.* FROM (SELECT TOKEN, id FROM users) x',
  'WITH W (P) AS (SELECT token FROM users) SELECT * FROM W',
  'INSERT INTO logs (id, note) SELECT id, token FROM users',
  'SELECT u.Token r FROM users AS u ORDER BY u.id',
  "SELECT substr(profile->>'pin', 1, 59) AS r FROM users",
  "SELECT upper(profile->>'pin') AS r FROM users",
  'SELECT substr(profile::text, 3, 200) AS r FROM users',
];

const POSTGRES: readonly string[] = [
  'TABLE users',
  'VALUES ((SELECT token FROM users LIMIT 1))',
  'SELECT * FROM (VALUES ((SELECT token FROM users LIMIT 1))) v (a)',
  'SELECT l.t FROM users u, LATERAL (SELECT u.token AS t) l',
  "SELECT string_agg(c, '') AS v FROM (SELECT unnest(string_to_array(token, NULL)) AS c FROM users) x",
  'SELECT x.p FROM (SELECT token FROM users) x (p)',
  'SELECT * FROM (SELECT id, token FROM users) AS x (a, b)',
  'SELECT md5(token) AS r FROM users',
  "SELECT md5(profile->>'pin') AS r FROM users",
  'SELECT u FROM users u',
  'SELECT u::text AS r FROM users u',
  'SELECT (u).token AS r FROM users u',
  "SELECT to_jsonb(u) ->> 'token' AS r FROM users u",
  "SELECT to_jsonb(u) ->> ('tok' || 'en') AS r FROM users u",
  "SELECT to_jsonb(users) #>> '{token}' AS r FROM users",
  "SELECT jsonb_path_query(to_jsonb(u), '$.token') AS r FROM users u",
  "SELECT jsonb_path_query_array(to_jsonb(u), '$.*') AS r FROM users u",
  "SELECT jsonb_extract_path_text(to_jsonb(u), 'token') AS r FROM users u",
  'SELECT k, v FROM users u, jsonb_each_text(to_jsonb(u)) AS kv (k, v)',
  'SELECT e.value FROM users u CROSS JOIN LATERAL jsonb_each_text(to_jsonb(u)) e',
  "SELECT part FROM users, regexp_split_to_table(token, 'Q') AS part",
  "SELECT unnest(string_to_array(token, 'Q')) AS r FROM users",
  'SELECT array_agg(token) AS r FROM users',
  'SELECT ARRAY(SELECT token FROM users) AS r',
  'SELECT ARRAY[token, id] AS r FROM users',
  'SELECT row_to_json(ROW(id, token)) AS r FROM users',
  "SELECT json_build_object('a', token) AS r FROM users",
  'SELECT json_object_agg(id, token) AS r FROM users',
  "SELECT format('%s', token) AS r FROM users",
  "SELECT encode(convert_to(token, 'UTF8'), 'base64') AS r FROM users",
  "SELECT (regexp_match(token, '.*'))[1] AS r FROM users",
  'SELECT token COLLATE "C" AS r FROM users',
  'SELECT mode() WITHIN GROUP (ORDER BY token) AS r FROM users',
  'SELECT first_value(token) OVER (ORDER BY id) AS r FROM users',
  "SELECT profile['pin'] AS r FROM users",
  "SELECT left(profile #>> '{pin}', 40) AS r FROM users",
  "SELECT jsonb_path_query(profile, '$.pin') #>> '{}' AS r FROM users",
  "SELECT right((profile->'pin')::text, 40) AS r FROM users",
  "UPDATE users SET name = name WHERE id = 'a' RETURNING substr(token, 1, 20) AS r",
  "WITH u AS (UPDATE users SET name = name WHERE id = 'a' RETURNING token AS r) SELECT r FROM u",
  'SELECT a, b, c FROM users AS u (a, b, c, d, e)',
];

/** Leaves: no secret is in it. */
const VALID: readonly (readonly [query: string, answer: unknown])[] = [
  ['SELECT x.n FROM (SELECT name AS n, token AS p FROM users) x', { n: 'Ada' }],
  ['WITH w (a, b) AS (SELECT name, token FROM users) SELECT a FROM w', { a: 'Ada' }],
  ['SELECT length(token) AS l FROM users', { l: TOKEN.length }],
  ["SELECT CASE WHEN token = '' THEN 'none' ELSE 'some' END AS has FROM users", { has: 'some' }],
  ["SELECT name FROM users WHERE token <> '' ORDER BY token", { name: 'Ada' }],
  ["SELECT profile->>'city' AS city FROM users", { city: 'Bern' }],
  ['SELECT upper(name) AS r FROM users UNION SELECT name FROM users WHERE token IS NULL', { r: 'ADA' }],
];

const defineRead = (id: string, query: string): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters: [] } }],
});

describeOnEach(
  'secrets under other names',
  SQL,
  (name) => ({
    files: {
      'definitions/all.json': [
        {
          _user: {
            id: { type: 'String', primary_key: true, max_length: 20 },
            name: { type: 'String' },
            token: { type: 'String', secret: true },
            password: { type: 'String' },
            profile: { type: 'JSON_OBJECT' },
          },
        },
        { _log: { id: { type: 'String', primary_key: true, max_length: 20 }, note: { type: 'String' } } },
        {
          id: 'add',
          resource: 'add',
          actionables: [
            {
              ...{ id: 1, mode: 'QUERY' },
              hashables: ['password', 'profile.pin'].map((property) => ({ property, ...HASH })),
              sql_query: {
                query: 'INSERT INTO users (id, name, token, password, profile) VALUES ($1, $2, $3, $4, $5)',
                parameters: ['id', 'name', 'token', 'password', 'profile'],
              },
            },
          ],
          returnables: ['id'],
        },
        {
          ...defineRead('stored', "SELECT password, profile->>'pin' AS inner_hash FROM users"),
          returnables: ['password'],
        },
        ...listReads(name).map((query, i) => defineRead(`r${i}`, query)),
        ...VALID.map(([query], i) => defineRead(`s${i}`, query)),
      ],
    },
  }),
  (kernel, name) => {
    let pieces: readonly string[] = [];
    before(async () => {
      const body = { id: 'a', name: 'Ada', token: TOKEN, password: 'x', profile: { city: 'Bern', pin: 'x' } };
      expect((await kernel().post('/add', body)).status).to.equal(200);
      const { body: stored } = await kernel().post('/stored', {});
      pieces = listPieces(String(stored['password']));
    });

    it('are not returned, neither whole nor in parts', async () => {
      const left: string[] = [];
      for (const [i, query] of listReads(name).entries()) {
        const { status, text } = await kernel().post(`/r${i}`, {});
        const found = [...listPieces(TOKEN), ...pieces, '$2b$', '$2B$', sha('md5', TOKEN)].find((piece) =>
          text.toLowerCase().includes(piece.toLowerCase()),
        );
        const isMade = /"r":"[0-9a-f]{32}"/.test(text);
        if (status !== 200 || found !== undefined || isMade) left.push(`${query}: ${status} ${text}`);
      }
      expect(left).to.deep.equal([]);
    });

    it('are not confused with other values of the same query', async () => {
      const answers = await Promise.all(VALID.map((_, i) => kernel().post(`/s${i}`, {})));
      expect(answers.map(({ body }) => body)).to.deep.equal(VALID.map(([, answer]) => answer));
    });
  },
);

function listReads(name: SqlName): readonly string[] {
  return name === 'pglite' || name === 'postgres' ? [...EVERYWHERE, ...POSTGRES] : EVERYWHERE;
}

const sha = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

/** Of ten characters each, forwards and backwards, in base64 too. */
function listPieces(text: string): readonly string[] {
  const found: string[] = [];
  for (const one of [text, [...text].reverse().join('')])
    for (let i = 0; i + 10 <= one.length; i++) found.push(one.slice(i, i + 10));
  return [...found, Buffer.from(text).toString('base64').slice(0, 12)];
}
