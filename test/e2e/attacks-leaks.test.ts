/**
 * Leaks of a hash or a password, or its storage in plain text: wrapped rows, rows as JSON, claims of a token, items of
 * a list; and responses that caches may store. Every case is requested over real HTTP.
 */
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { createHider } from '../../language/strings/hide-secrets.js';
import { describeOnBothDatabases } from '../support/kernel.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

const HASHED = [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }];
const query = (id: number, text: string, rest: object = {}, parameters: readonly string[] = []): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables,
  ...rest,
});
const row = {
  depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'row' }] }],
};
const ALL = 'SELECT * FROM users WHERE id = 1';
const hidden = query(1, ALL, { no_op: true });
const NESTED = `SELECT id, json_build_object('a', json_build_array(row_to_json(u))) AS j FROM users u WHERE id = 1`;
const INSERT = 'INSERT INTO users (id, name, password) VALUES ($1, $2, $3)';
const USER = { id: { type: 'NUMBER' }, name: { type: 'STRING' }, password: { type: 'STRING', optional: true } };
const defineMultiInsert = (multi: unknown, property: string): object => ({
  id: 1,
  mode: 'QUERY',
  payload_validation: [
    { field: { users: { type: 'ARRAY', fields: USER }, password: { type: 'STRING', optional: true } } },
  ],
  sql_query: { query: INSERT, parameters: ['id', 'name', 'password'], multi },
  hashables: [{ ...HASHED[0], property }],
});
const TOKEN = { type: 'JWT', encryption_key: '$ENV.KEY' };

const FILES = {
  'definitions/_user.json': {
    id: { type: 'Number', primary_key: true },
    name: { type: 'String' },
    password: { type: 'String' },
  },
  'definitions/a.json': [
    resource('sign-up', [
      query(1, INSERT, { hashables: HASHED }, ['$PAYLOAD.id', '$PAYLOAD.name', '$PAYLOAD.password']),
    ]),
    resource('as-json', [query(1, 'SELECT row_to_json(u) AS u FROM users u WHERE id = 1')]),
    resource('in-a-list', [query(1, 'SELECT json_agg(u) AS all FROM users u WHERE id = 1')]),
    resource('deep', [query(1, NESTED)]),
    resource('deep-listed', [query(1, NESTED, { returnables: ['id', 'j'] })]),
    resource('deep-listed-outside', [query(1, NESTED)], { returnables: ['id', 'j'] }),
    resource('wrapped', [hidden, { id: 2, mode: 'RETURN', value: { user: ['$PAYLOAD.row'] }, ...row }]),
    resource('wrapped-listed', [
      hidden,
      { id: 2, mode: 'RETURN', value: { user: '$PAYLOAD.row' }, ...row, returnables: ['user'] },
    ]),
    resource('extracted', [hidden, { id: 2, mode: 'RETURN', value: { id: 1 }, ...row }], {
      returnables: ['id', 'row'],
    }),
    resource('merged', [query(1, `SELECT row_to_json(u) AS u FROM users u WHERE id = 1`), query(2, 'SELECT 1 AS id')], {
      combine_returned_results_from: [1],
    }),
    resource('renamed', [query(1, 'SELECT id, password AS pw, "password" other FROM users WHERE id = 1')]),
    resource('named', [hidden, { id: 2, mode: 'RETURN', value: { user: '$PAYLOAD.row' }, ...row }], {
      returnables: ['user', 'user.password'],
    }),
    resource('named-alone', [query(1, ALL, { returnables: ['id', 'password'] })]),
    resource('renamed-named', [query(1, 'SELECT password AS pw FROM users WHERE id = 1', { returnables: ['pw'] })]),
    resource('token', [hidden, { id: 2, mode: 'RETURN', value: { id: 1 }, ...row }], {
      tokenize: { ...TOKEN, custom_claim_fields: ['row'] },
    }),
    resource('guarded', [{ id: 1, mode: 'RETURN', value: { id: 1 } }], { tokenize: TOKEN, protected: {} }),
    resource('guarded-elsewhere', [{ id: 1, mode: 'RETURN', value: { id: 1 } }], {
      tokenize: TOKEN,
      protected: { provide_as: 'x-key' },
    }),
    resource('many', [defineMultiInsert(true, 'password')]),
    resource('many-by-path', [defineMultiInsert('users', 'users.password')]),
    resource('stored', [query(1, 'SELECT password AS kept FROM users WHERE id > 1', { result: 'many' })], {
      returnables: ['kept'],
    }),
    resource('forget', [query(1, 'DELETE FROM users WHERE id > 1')]),
  ],
};

describeOnBothDatabases('attacks: leaks in responses', { files: FILES, env: { KEY } }, (kernel) => {
  const postTo = (path: string, body: object = {}, init?: RequestInit) => kernel().post(`/${path}`, body, init);
  const user = { id: 1, name: 'ada' };

  before(async () => {
    const { status, body } = await postTo('sign-up', { ...user, password: 'correct horse' });
    expect([status, body]).to.deep.equal([200, user]);
  });

  const stripped: Readonly<Record<string, unknown>> = {
    'as-json': { u: user },
    'in-a-list': { all: [user] },
    deep: { id: 1, j: { a: [user] } },
    'deep-listed': { id: 1, j: { a: [user] } },
    'deep-listed-outside': { id: 1, j: { a: [user] } },
    wrapped: { user: [user] },
    'wrapped-listed': { user },
    extracted: { id: 1, row: user },
    merged: { u: user, id: 1 },
    renamed: { id: 1 },
  };
  for (const [path, answer] of Object.entries(stripped)) {
    it(`does not return a hash: ${path}`, async () => {
      const { status, body } = await postTo(path);
      expect([status, body]).to.deep.equal([200, answer]);
    });
  }

  it('returns a secret that is named by its path', async () => {
    for (const [path, where] of [
      ['named', 'user.password'],
      ['named-alone', 'password'],
      ['renamed-named', 'pw'],
    ] as const) {
      const { body } = await postTo(path);
      expect(body, path)
        .to.have.nested.property(where)
        .that.matches(/^\$2b\$/);
    }
  });

  it('returns no hash in a claim that is a row, and forbids storing a response with a token', async () => {
    const { body, headers } = await postTo('token');
    expect(decodeJwt(String(body['token']))).to.have.deep.property('row', user);
    expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('forbids storing responses behind a guard and error responses, and no other responses', async () => {
    const token = await signJwt({ id: 1 });
    for (const [path, init, status] of [
      ['guarded', createBearerInit(token), 200],
      ['guarded', {}, 401],
      ['guarded-elsewhere', { headers: { 'x-key': token } }, 200],
      ['guarded-elsewhere', {}, 401],
    ] as const) {
      const answer = await postTo(path, {}, init);
      expect([answer.status, answer.headers.get('cache-control')], path).to.deep.equal([status, 'no-store']);
    }
    expect((await postTo('as-json')).headers.get('cache-control')).to.equal(null);
  });

  for (const path of ['many', 'many-by-path']) {
    it(`hashes the password of every item of a list: ${path}`, async () => {
      const item = (id: number): object => ({ id, name: 'x', password: `secret ${id}` });
      const { status } = await postTo(path, { users: [item(2), item(3)] });
      const { text, body } = await postTo('stored');
      expect(status).to.equal(200);
      expect(text).not.to.include('secret');
      expect(body).to.have.length(2);
      await postTo('forget');
    });
  }

  it('hashes a password next to the list for the items that have none', async () => {
    await postTo('many', { password: 'secret for all', users: [{ id: 4, name: 'x' }] });
    const { text } = await postTo('stored');
    expect(text).to.match(/"kept":"\$2b\$/);
    await postTo('forget');
  });

  it('names the index of the wrong password in a list', async () => {
    const users = [
      { id: 5, name: 'x', password: 'fine' },
      { id: 6, name: 'x', password: 'x'.repeat(73) },
    ];
    const { status, body } = await postTo('many', { users });
    expect(status).to.equal(422);
    expect(body).to.have.nested.property('errors[0].pointer', '/users/1/password');
  });
});

const CANARY = 'canary-7f3a';
const CALLS: Readonly<Record<string, readonly [string, number]>> = {
  'SELECT to_tsquery($1::text)::text AS x': [`& ${CANARY}`, 422],
  'SELECT $1::regtype::text AS x': [`"${CANARY}"`, 422],
  'SELECT $1::regclass::text AS x': [`"no ${CANARY}"`, 500],
  "SELECT jsonb_path_exists('{}', $1::jsonpath) AS x": [`$.${CANARY} ???`, 422],
  'SELECT $1::int AS x': [CANARY, 422],
  "SELECT 'a' ~ $1::text AS x": [`(${CANARY}`, 422],
  'SELECT raised($1::text) AS x': [CANARY, 500],
};
const RAISED =
  "CREATE OR REPLACE FUNCTION raised(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no %'', $1; END'";

describeOnBothDatabases(
  'attacks: leaks in the log',
  {
    files: {
      'migrations/1-raised.sql': `${RAISED};`,
      'definitions/a.json': [
        resource('gone', [query(1, 'SELECT 1 FROM not_a_table_at_all')]),
        ...Object.keys(CALLS).map((sql, n) => resource(`call-${n}`, [query(1, sql, {}, ['$PAYLOAD.x'])])),
      ],
    },
    onProblem: 'skip',
  },
  (kernel) => {
    const logged = (): string =>
      kernel()
        .log.map(({ fields }) => {
          const { err } = fields;
          return `${JSON.stringify(fields)} ${err instanceof Error ? `${err.stack} ${JSON.stringify(err)}` : ''}`;
        })
        .join('\n');
    for (const [n, [sql, [x, expected]]] of Object.entries(CALLS).entries()) {
      it(`contains no value that the database rejects: ${sql}`, async () => {
        const { status, text } = await kernel().post(`/call-${n}`, { x }, { headers: { 'x-canary': CANARY } });
        expect([status, text.includes(CANARY)], text).to.deep.equal([expected, false]);
        expect(logged()).not.to.include(CANARY);
      });
    }

    it('contains an error of the statement itself', async () => {
      expect((await kernel().post('/gone')).status).to.equal(500);
      expect(logged()).to.include('not_a_table_at_all');
    });
  },
);

describe('attacks: redaction', () => {
  const hide = createHider(new Set(['pw']), ['kept.pw', 'list.0.pw', 'pw.inner']);

  it('returns the same value if nothing is redacted', () => {
    for (const value of [1, null, undefined, 'pw', [], { a: { b: [1] } }, { kept: { pw: { pw: 1 } } }]) {
      expect(hide(value)).to.equal(value);
    }
  });

  it('never changes its argument, and treats unusual names as names', () => {
    const value = JSON.parse('{"a":[{"pw":1,"__proto__":{"pw":2,"x":3}}],"list":[{"pw":4}],"kept":{"pw":5}}') as object;
    const before = JSON.stringify(value);
    const after = hide(value);
    expect(JSON.stringify(after)).to.equal('{"a":[{"__proto__":{"x":3}}],"list":[{"pw":4}],"kept":{"pw":5}}');
    expect(JSON.stringify(value)).to.equal(before);
  });
});
