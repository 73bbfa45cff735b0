/** Definitions that try to bypass a protection: rejected, warned about, valid, and served. */
export const CLEAR = 'correct horse';
export const FORM = /^\$2b\$04\$.{53}$/;
export const SEALED = /^[A-Za-z0-9+/=]{50,}$/;
export const defineHashables = (...names: string[]): object => ({
  hashables: names.map((property) => ({ property, algorithm: 'BCRYPT', options: { rounds_cost: 4 } })),
});
const defineCiphers = (operation: string, ...properties: string[]): object => ({
  ciphers: [{ operation, properties, algorithm: 'Aes256Gcm', options: { key: '$ENV.KEY' } }],
});
export const defineEncryption = (...names: string[]): object => defineCiphers('Encrypt', ...names);
const defineRules = (...names: string[]): object => ({
  payload_validation: [{ field: Object.fromEntries(names.map((name) => [name, { type: 'STRING' }])) }],
});
const defineStatement = (
  query: string,
  parameters: readonly unknown[] = [],
  rest: object = {},
  more: object = {},
): object => ({
  ...{ id: 1, mode: 'QUERY', ...rest },
  sql_query: { query, parameters, ...more },
});
export const defineDocumentAction = (mongo_query: object, rest: object = {}): object => ({
  id: 1,
  mode: 'QUERY',
  ...rest,
  mongo_query,
});
const insert = (parameters: readonly unknown[], rest: object = {}, more: object = {}): object =>
  defineStatement('INSERT INTO safes (id, secret) VALUES ($1, $2)', parameters, rest, more);
const defineValue = (value: unknown): object => ({ id: 9, mode: 'RETURN', value, no_op: true });
export const defineExtract = (id: number, extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [id], extract_response_for: [{ extract, for: name }] }],
});
const call = (body: object, rest: object = {}): object => ({
  ...{ id: 2, mode: 'HTTPREQUEST', ...rest },
  http: { url: 'https://example.com/', method: 'POST', request_body: body },
});
const defineVaultQuery = (action: string, rest: object): object => ({ collection: 'vaults', action, ...rest });

const TEXT = { type: 'String' };
const ID = { ...TEXT, primary_key: true };
export const MODELS = [
  { _safe: { id: ID, secret: { ...TEXT, optional: true } } },
  { _people: { id: ID, email: { ...TEXT, blind_index: true } } },
  { _pair: { id: ID, owner: TEXT, ssn: TEXT, unique: [['owner', 'ssn']] } },
  { _key: { id: ID, token: { ...TEXT, secret: true } } },
  { _vault: { id: TEXT, kept: { ...TEXT, optional: true }, secret: { ...TEXT, optional: true } } },
];

interface Attack {
  readonly title: string;
  readonly actionables: readonly object[];
  readonly rest?: object;
}
const createAttack = (title: string, ...actionables: readonly object[]): Attack => ({ title, actionables });
const createPeopleAttack = (query: string): Attack =>
  createAttack(query, defineStatement(query, [], { result: 'many' }));
const createQueuedAttack = (title: string, ...actionables: readonly object[]): Attack => ({
  ...{ title, actionables },
  rest: { queue: { delay: 0 } },
});
const TOKEN = defineStatement("INSERT INTO keys (id, token) VALUES ($1, 'word') RETURNING token", ['id']);
const OTHER = { ...defineHashables('secret'), ...defineRules('id', 'other', 'secret') };

/** By the code of the rejection. */
export const REJECTED: Readonly<Record<string, readonly Attack[]>> = {
  LNK_UNPROTECTED: [
    createAttack('another field of the payload', insert(['id', '$PAYLOAD.other'], OTHER)),
    createAttack(
      'INSERT of a select list',
      defineStatement('INSERT INTO safes (id, secret) SELECT $1, $2', ['id', '$PAYLOAD.other'], OTHER),
    ),
    createAttack(
      'a value that comes through WITH',
      defineStatement(
        'WITH n AS (SELECT $2::text AS v) INSERT INTO safes (id, secret) SELECT $1, v FROM n',
        ['id', '$PAYLOAD.other'],
        OTHER,
      ),
    ),
    createAttack(
      'a constant where nothing is sent',
      defineStatement(
        "INSERT INTO safes (id, secret) VALUES ($1, COALESCE($2, 'word'))",
        ['id', 'secret'],
        defineHashables('secret'),
      ),
    ),
    createAttack(
      'a constant beside the value',
      defineStatement(
        "INSERT INTO safes (id, secret) VALUES ($1, 'word') ON CONFLICT (id) DO UPDATE SET secret = $2",
        ['id', 'secret'],
        defineHashables('secret'),
      ),
    ),
    createAttack(
      'UPDATE with another column',
      defineStatement('UPDATE safes SET secret = id WHERE id = $1', ['id'], OTHER),
    ),
    createAttack(
      'a copy that an actionable before gives',
      defineValue({ code: '$PAYLOAD.secret' }),
      insert(['id', 'code'], { ...defineExtract(9, 'code', 'code'), ...OTHER }),
    ),
    createAttack(
      'a document with another field of the payload',
      defineDocumentAction(
        defineVaultQuery('INSERT', { document: { id: '$PAYLOAD.id', secret: '$PAYLOAD.other' } }),
        OTHER,
      ),
    ),
    createAttack(
      'a document with a constant',
      defineDocumentAction(defineVaultQuery('INSERT', { document: { id: '$PAYLOAD.id', secret: 'word' } }), OTHER),
    ),
    createAttack(
      'a change of a document, through a placeholder',
      defineDocumentAction(
        defineVaultQuery('UPDATE', {
          ...{ filter_predicate: { id: '$1' }, update_predicate: { $set: { secret: '$2' } } },
          parameters: ['id', '$PAYLOAD.other'],
        }),
        OTHER,
      ),
    ),
    createAttack(
      'a list of a document',
      defineDocumentAction(
        {
          ...{ collection: 'lists', action: 'UPDATE' },
          ...{ filter_predicate: { id: '$PAYLOAD.id' }, update_predicate: { $push: { secret: '$PAYLOAD.other' } } },
        },
        { ...defineEncryption('secret'), ...defineRules('id', 'other', 'secret') },
      ),
    ),
  ],
  LNK_NO_VALUE: [
    createAttack('a misspelt property', insert(['id', 'secret'], defineHashables('secert'))),
    createAttack('a property in another case', insert(['id', 'secret'], defineHashables('Secret'))),
    createAttack('an accessor as a property', insert(['id', 'secret'], defineHashables('$PAYLOAD.secret'))),
  ],
  CPH_UNIQUE: [
    createAttack(
      'a combination of a model',
      defineStatement(
        'INSERT INTO pairs (id, owner, ssn) VALUES ($1, $2, $3)',
        ['id', 'owner', 'ssn'],
        defineEncryption('ssn'),
      ),
    ),
  ],
  LNK_BLIND_FORM: [
    createPeopleAttack('SELECT email, count(*) AS n FROM people GROUP BY 1'),
    createPeopleAttack('SELECT email, count(*) AS n FROM people GROUP BY ROLLUP (1)'),
    createPeopleAttack('SELECT email AS e, count(*) AS n FROM people GROUP BY e'),
    createPeopleAttack('SELECT id, email FROM people ORDER BY 2'),
    createPeopleAttack('SELECT id FROM safes UNION SELECT email FROM people'),
    createPeopleAttack('(SELECT email FROM people) INTERSECT (SELECT id FROM safes)'),
    createPeopleAttack('SELECT email FROM people EXCEPT SELECT id FROM safes'),
    createPeopleAttack('SELECT id FROM safes WHERE id IN (SELECT email FROM people)'),
    createPeopleAttack('SELECT a.id FROM people a NATURAL JOIN people b'),
  ],
  SQL_UNSEEN: [
    "SELECT query_to_xml('SELECT token FROM keys', true, false, '')::text AS x",
    "SELECT database_to_xml(true, false, '')::text AS x",
  ].map((query) => createAttack(query, defineStatement(query))),
  SQL_OUTSIDE: ["SELECT pg_read_file('postgresql.conf') AS x", "COPY keys TO '/tmp/keys'"].map((query) =>
    createAttack(query, defineStatement(query)),
  ),
  LTR_KEY: [
    createQueuedAttack(
      'a secret of RETURNING, for a call',
      TOKEN,
      call({ t: '$PAYLOAD.t' }, defineExtract(1, 'token', 't')),
    ),
    createQueuedAttack('the whole of it', TOKEN, call({ t: '$PAYLOAD.t' }, defineExtract(1, 'self_', 't'))),
    createQueuedAttack(
      'the answer of a call, which is encrypted behind it',
      call({ a: 1 }, { id: 1 }),
      defineStatement('INSERT INTO keys (id, token) VALUES ($1, $2)', ['id', 'token'], {
        ...{ id: 2, ...defineExtract(1, 'token', 'token') },
        ...defineEncryption('token'),
      }),
    ),
    createQueuedAttack(
      'a drawn code that is sent, and hashed behind it',
      { ...call({ t: '$PAYLOAD.code' }, { id: 1 }), generate: '$GENERATOR.UUID', for: 'code' },
      insert(['id', 'code'], { id: 2, ...defineHashables('code') }),
    ),
  ],
};

/** The warnings for definitions that may be intended, and store plain text where others do not. */
export const WARNED: Readonly<Record<string, readonly Attack[]>> = {
  LNK_CLEAR_WRITE: [
    createAttack('a column that others hash', insert(['id', '$PAYLOAD.secret'])),
    createAttack('a column that others hash, from a header', insert(['id', '$HEADER.x-pin'])),
    createAttack(
      'a list of columns',
      defineStatement('UPDATE safes SET (id, secret) = ($1, $2) WHERE id = $1', ['id', '$PAYLOAD.pin']),
    ),
    createAttack(
      'a field that others hash',
      defineDocumentAction(
        defineVaultQuery('UPDATE', {
          filter_predicate: { id: '$PAYLOAD.id' },
          update_predicate: { $set: { kept: '$PAYLOAD.new' } },
        }),
      ),
    ),
  ],
  LNK_PROTECTED_UNUSED: [
    createAttack(
      'the value that is protected is not the one that is written',
      defineStatement('INSERT INTO pairs (id, owner) VALUES ($1, $2)', ['id', '$PAYLOAD.pass'], {
        ...{ ...defineHashables('password'), ...defineRules('id', 'pass', 'password') },
      }),
    ),
  ],
};

/** Similar definitions that are valid. */
export const VALID: readonly Attack[] = [
  createPeopleAttack('SELECT id FROM safes UNION ALL SELECT email FROM people'),
  createPeopleAttack('SELECT id, email FROM people ORDER BY 1'),
  createPeopleAttack('SELECT id, email AS mail FROM people WHERE id = (SELECT max(id) FROM safes)'),
  createPeopleAttack(
    'WITH a AS (SELECT id FROM safes UNION SELECT secret FROM safes) SELECT p.email FROM people p JOIN a ON a.id = p.id',
  ),
  createAttack(
    'what is stored stays where nothing is sent',
    defineStatement(
      'UPDATE safes SET secret = COALESCE($2, secret) WHERE id = $1',
      ['id', 'secret'],
      defineHashables('secret'),
    ),
  ),
  createAttack(
    'NULL',
    defineStatement('UPDATE safes SET secret = NULL WHERE id = $1', ['id'], {
      ...defineHashables('secret'),
      ...defineRules('id', 'secret'),
    }),
  ),
  createAttack(
    'a document with an object around the value',
    defineDocumentAction(
      defineVaultQuery('INSERT', { document: { id: '$PAYLOAD.id', login: '$PAYLOAD.login' } }),
      defineHashables('login.secret'),
    ),
  ),
];

const ITEMS = defineValue({
  items: [
    { id: 'one', secret: CLEAR },
    { id: 'two', secret: `${CLEAR} 2` },
  ],
});
const defineListResource = (id: string, query: string, returnables?: readonly string[]): object => ({
  ...{ id, resource: id, actionables: [defineStatement(query, [], { result: 'many' })] },
  ...(returnables && { returnables }),
});
const defineResource = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });
export const SERVED: readonly object[] = [
  defineListResource('rows', 'SELECT id, secret AS kept FROM safes', ['id', 'kept']),
  defineResource(
    'items',
    ITEMS,
    insert(
      ['id', 'secret'],
      { ...defineExtract(9, 'items', 'found'), ...defineHashables('secret') },
      { multi: 'found' },
    ),
  ),
  defineResource(
    'items-sealed',
    ITEMS,
    insert(
      ['$GENERATOR.ULID', 'secret'],
      { ...defineExtract(9, 'items', 'found'), ...defineEncryption('secret') },
      { multi: 'found' },
    ),
  ),
  defineResource(
    'items-lacking',
    defineValue({
      items: [
        { id: 'lacking', secret: CLEAR },
        { id: 'lacking too', secret: null },
      ],
    }),
    insert(
      ['id', 'secret'],
      { ...defineExtract(9, 'items', 'found'), ...defineHashables('secret') },
      { multi: 'found' },
    ),
  ),
  defineResource(
    'items-path',
    ITEMS,
    insert(
      ['$GENERATOR.ULID', 'secret'],
      { ...defineExtract(9, 'items', 'items'), ...defineHashables('items.secret') },
      { multi: 'items' },
    ),
  ),
  defineResource('sent', insert(['id', 'secret'], defineHashables('list.secret'), { multi: 'list' })),
  defineResource('around', insert(['id', 'x $PAYLOAD.secret'], defineHashables('secret'))),
  defineResource(
    'returning',
    defineStatement(
      'INSERT INTO safes (id, secret) VALUES ($1, $2) RETURNING *, $2::text AS said',
      ['id', 'secret'],
      defineHashables('secret'),
    ),
  ),
  defineResource(
    'document',
    defineDocumentAction(defineVaultQuery('INSERT', { parameters: ['id', 'kept'] }), defineHashables('kept')),
  ),
  {
    ...defineResource(
      'documents',
      defineDocumentAction(defineVaultQuery('FETCH', { filter_predicate: {} }), { result: 'many' }),
    ),
    returnables: ['id', 'kept'],
  },
  defineResource(
    'document-project',
    defineDocumentAction(defineVaultQuery('AGGREGATE', { pipeline: [{ $project: { v: '$kept' } }] }), {
      result: 'many',
    }),
  ),
  defineResource(
    'document-root',
    defineDocumentAction(
      defineVaultQuery('AGGREGATE', { pipeline: [{ $group: { _id: null, all: { $push: '$$ROOT' } } }] }),
    ),
  ),
  defineListResource('star', 'SELECT * FROM safes'),
  defineListResource('wrapped', 'SELECT row_to_json(s) AS v FROM safes s'),
  defineListResource('named', 'SELECT secret AS v FROM safes', ['v']),
  defineListResource('with', 'WITH w AS (SELECT secret AS v FROM safes) SELECT v FROM w'),
  defineListResource('listed', "SELECT string_agg(secret, ',') AS v FROM safes"),
  defineListResource('grouped', 'SELECT secret AS v, count(*) AS n FROM safes GROUP BY 1'),
];
