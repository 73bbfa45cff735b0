/** Definitions that try to get round a protection: refused, warned about, sound, and served. */
export const CLEAR = 'correct horse';
const HASH = { algorithm: 'BCRYPT', options: { rounds_cost: 4 } };
export const FORM = /^\$2b\$04\$.{53}$/;
export const SEALED = /^[A-Za-z0-9+/=]{50,}$/;
export const hashed = (...names: string[]): object => ({ hashables: names.map((property) => ({ property, ...HASH })) });
const ciphered = (operation: string, ...properties: string[]): object => ({
  ciphers: [{ operation, properties, algorithm: 'Aes256Gcm', options: { key: '$ENV.KEY' } }],
});
export const sealed = (...names: string[]): object => ciphered('Encrypt', ...names);
const rules = (...names: string[]): object => ({
  payload_validation: [{ field: Object.fromEntries(names.map((name) => [name, { type: 'STRING' }])) }],
});
const sql = (query: string, parameters: readonly unknown[] = [], rest: object = {}, more: object = {}): object => ({
  ...{ id: 1, mode: 'QUERY', ...rest },
  sql_query: { query, parameters, ...more },
});
export const documents = (mongo_query: object, rest: object = {}): object => ({
  id: 1,
  mode: 'QUERY',
  ...rest,
  mongo_query,
});
const insert = (parameters: readonly unknown[], rest: object = {}, more: object = {}): object =>
  sql('INSERT INTO safes (id, secret) VALUES ($1, $2)', parameters, rest, more);
const given = (value: unknown): object => ({ id: 9, mode: 'RETURN', value, no_op: true });
export const from = (id: number, extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [id], extract_response_for: [{ extract, for: name }] }],
});
const call = (body: object, rest: object = {}): object => ({
  ...{ id: 2, mode: 'HTTPREQUEST', ...rest },
  http: { url: 'https://example.com/', method: 'POST', request_body: body },
});
const vaults = (action: string, rest: object): object => ({ collection: 'vaults', action, ...rest });

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
const attack = (title: string, ...actionables: readonly object[]): Attack => ({ title, actionables });
const people = (query: string): Attack => attack(query, sql(query, [], { result: 'many' }));
const later = (title: string, ...actionables: readonly object[]): Attack => ({
  ...{ title, actionables },
  rest: { queue: { delay: 0 } },
});
const TOKEN = sql("INSERT INTO keys (id, token) VALUES ($1, 'word') RETURNING token", ['id']);
const OTHER = { ...hashed('secret'), ...rules('id', 'other', 'secret') };

/** By the code that each is refused with. */
export const REFUSED: Readonly<Record<string, readonly Attack[]>> = {
  LNK_UNPROTECTED: [
    attack('another field of the payload', insert(['id', '$PAYLOAD.other'], OTHER)),
    attack(
      'INSERT of a select list',
      sql('INSERT INTO safes (id, secret) SELECT $1, $2', ['id', '$PAYLOAD.other'], OTHER),
    ),
    attack(
      'a value that comes through WITH',
      sql(
        'WITH n AS (SELECT $2::text AS v) INSERT INTO safes (id, secret) SELECT $1, v FROM n',
        ['id', '$PAYLOAD.other'],
        OTHER,
      ),
    ),
    attack(
      'a constant where nothing is sent',
      sql("INSERT INTO safes (id, secret) VALUES ($1, COALESCE($2, 'word'))", ['id', 'secret'], hashed('secret')),
    ),
    attack(
      'a constant beside the value',
      sql(
        "INSERT INTO safes (id, secret) VALUES ($1, 'word') ON CONFLICT (id) DO UPDATE SET secret = $2",
        ['id', 'secret'],
        hashed('secret'),
      ),
    ),
    attack('UPDATE with another column', sql('UPDATE safes SET secret = id WHERE id = $1', ['id'], OTHER)),
    attack(
      'a copy that an actionable before gives',
      given({ code: '$PAYLOAD.secret' }),
      insert(['id', 'code'], { ...from(9, 'code', 'code'), ...OTHER }),
    ),
    attack(
      'a document with another field of the payload',
      documents(vaults('INSERT', { document: { id: '$PAYLOAD.id', secret: '$PAYLOAD.other' } }), OTHER),
    ),
    attack(
      'a document with a constant',
      documents(vaults('INSERT', { document: { id: '$PAYLOAD.id', secret: 'word' } }), OTHER),
    ),
    attack(
      'a change of a document, through a placeholder',
      documents(
        vaults('UPDATE', {
          ...{ filter_predicate: { id: '$1' }, update_predicate: { $set: { secret: '$2' } } },
          parameters: ['id', '$PAYLOAD.other'],
        }),
        OTHER,
      ),
    ),
    attack(
      'a list of a document',
      documents(
        {
          ...{ collection: 'lists', action: 'UPDATE' },
          ...{ filter_predicate: { id: '$PAYLOAD.id' }, update_predicate: { $push: { secret: '$PAYLOAD.other' } } },
        },
        { ...sealed('secret'), ...rules('id', 'other', 'secret') },
      ),
    ),
  ],
  LNK_NO_VALUE: [
    attack('a misspelt property', insert(['id', 'secret'], hashed('secert'))),
    attack('a property in another case', insert(['id', 'secret'], hashed('Secret'))),
    attack('an accessor as a property', insert(['id', 'secret'], hashed('$PAYLOAD.secret'))),
  ],
  CPH_UNIQUE: [
    attack(
      'a combination of a model',
      sql('INSERT INTO pairs (id, owner, ssn) VALUES ($1, $2, $3)', ['id', 'owner', 'ssn'], sealed('ssn')),
    ),
  ],
  LNK_BLIND_FORM: [
    people('SELECT email, count(*) AS n FROM people GROUP BY 1'),
    people('SELECT email, count(*) AS n FROM people GROUP BY ROLLUP (1)'),
    people('SELECT email AS e, count(*) AS n FROM people GROUP BY e'),
    people('SELECT id, email FROM people ORDER BY 2'),
    people('SELECT id FROM safes UNION SELECT email FROM people'),
    people('(SELECT email FROM people) INTERSECT (SELECT id FROM safes)'),
    people('SELECT email FROM people EXCEPT SELECT id FROM safes'),
    people('SELECT id FROM safes WHERE id IN (SELECT email FROM people)'),
    people('SELECT a.id FROM people a NATURAL JOIN people b'),
  ],
  LTR_KEY: [
    later('a secret of RETURNING, for a call', TOKEN, call({ t: '$PAYLOAD.t' }, from(1, 'token', 't'))),
    later('the whole of it', TOKEN, call({ t: '$PAYLOAD.t' }, from(1, 'self_', 't'))),
    later(
      'the answer of a call, which is encrypted behind it',
      call({ a: 1 }, { id: 1 }),
      sql('INSERT INTO keys (id, token) VALUES ($1, $2)', ['id', 'token'], {
        ...{ id: 2, ...from(1, 'token', 'token') },
        ...sealed('token'),
      }),
    ),
    later(
      'a drawn code that is sent, and hashed behind it',
      { ...call({ t: '$PAYLOAD.code' }, { id: 1 }), generate: '$GENERATOR.UUID', for: 'code' },
      insert(['id', 'code'], { id: 2, ...hashed('code') }),
    ),
  ],
};

/** The warnings of what may be meant, and stores clear text where others do not. */
export const WARNED: Readonly<Record<string, readonly Attack[]>> = {
  LNK_CLEAR_WRITE: [
    attack('a column that others hash', insert(['id', '$PAYLOAD.secret'])),
    attack('a column that others hash, from a header', insert(['id', '$HEADER.x-pin'])),
    attack('a list of columns', sql('UPDATE safes SET (id, secret) = ($1, $2) WHERE id = $1', ['id', '$PAYLOAD.pin'])),
    attack(
      'a field that others hash',
      documents(
        vaults('UPDATE', {
          filter_predicate: { id: '$PAYLOAD.id' },
          update_predicate: { $set: { kept: '$PAYLOAD.new' } },
        }),
      ),
    ),
  ],
  LNK_PROTECTED_UNUSED: [
    attack(
      'the value that is protected is not the one that is written',
      sql('INSERT INTO pairs (id, owner) VALUES ($1, $2)', ['id', '$PAYLOAD.pass'], {
        ...{ ...hashed('password'), ...rules('id', 'pass', 'password') },
      }),
    ),
  ],
};

/** What looks much the same, and is sound. */
export const SOUND: readonly Attack[] = [
  people('SELECT id FROM safes UNION ALL SELECT email FROM people'),
  people('SELECT id, email FROM people ORDER BY 1'),
  people('SELECT id, email AS mail FROM people WHERE id = (SELECT max(id) FROM safes)'),
  people(
    'WITH a AS (SELECT id FROM safes UNION SELECT secret FROM safes) SELECT p.email FROM people p JOIN a ON a.id = p.id',
  ),
  attack(
    'what is stored stays where nothing is sent',
    sql('UPDATE safes SET secret = COALESCE($2, secret) WHERE id = $1', ['id', 'secret'], hashed('secret')),
  ),
  attack(
    'NULL',
    sql('UPDATE safes SET secret = NULL WHERE id = $1', ['id'], { ...hashed('secret'), ...rules('id', 'secret') }),
  ),
  attack(
    'a document with an object around the value',
    documents(vaults('INSERT', { document: { id: '$PAYLOAD.id', login: '$PAYLOAD.login' } }), hashed('login.secret')),
  ),
];

const ITEMS = given({
  items: [
    { id: 'one', secret: CLEAR },
    { id: 'two', secret: `${CLEAR} 2` },
  ],
});
const seeing = (id: string, query: string, returnables?: readonly string[]): object => ({
  ...{ id, resource: id, actionables: [sql(query, [], { result: 'many' })] },
  ...(returnables && { returnables }),
});
const serving = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });
export const SERVED: readonly object[] = [
  seeing('rows', 'SELECT id, secret AS kept FROM safes', ['id', 'kept']),
  serving(
    'items',
    ITEMS,
    insert(['id', 'secret'], { ...from(9, 'items', 'found'), ...hashed('secret') }, { multi: 'found' }),
  ),
  serving(
    'items-sealed',
    ITEMS,
    insert(['$GENERATOR.ULID', 'secret'], { ...from(9, 'items', 'found'), ...sealed('secret') }, { multi: 'found' }),
  ),
  serving(
    'items-lacking',
    given({
      items: [
        { id: 'lacking', secret: CLEAR },
        { id: 'lacking too', secret: null },
      ],
    }),
    insert(['id', 'secret'], { ...from(9, 'items', 'found'), ...hashed('secret') }, { multi: 'found' }),
  ),
  serving(
    'items-path',
    ITEMS,
    insert(
      ['$GENERATOR.ULID', 'secret'],
      { ...from(9, 'items', 'items'), ...hashed('items.secret') },
      { multi: 'items' },
    ),
  ),
  serving('sent', insert(['id', 'secret'], hashed('list.secret'), { multi: 'list' })),
  serving('around', insert(['id', 'x $PAYLOAD.secret'], hashed('secret'))),
  serving(
    'returning',
    sql(
      'INSERT INTO safes (id, secret) VALUES ($1, $2) RETURNING *, $2::text AS said',
      ['id', 'secret'],
      hashed('secret'),
    ),
  ),
  serving('document', documents(vaults('INSERT', { parameters: ['id', 'kept'] }), hashed('kept'))),
  {
    ...serving('documents', documents(vaults('FETCH', { filter_predicate: {} }), { result: 'many' })),
    returnables: ['id', 'kept'],
  },
  serving(
    'document-project',
    documents(vaults('AGGREGATE', { pipeline: [{ $project: { v: '$kept' } }] }), { result: 'many' }),
  ),
  serving(
    'document-root',
    documents(vaults('AGGREGATE', { pipeline: [{ $group: { _id: null, all: { $push: '$$ROOT' } } }] })),
  ),
  seeing('star', 'SELECT * FROM safes'),
  seeing('wrapped', 'SELECT row_to_json(s) AS v FROM safes s'),
  seeing('named', 'SELECT secret AS v FROM safes', ['v']),
  seeing('with', 'WITH w AS (SELECT secret AS v FROM safes) SELECT v FROM w'),
  seeing('listed', "SELECT string_agg(secret, ',') AS v FROM safes"),
  seeing('grouped', 'SELECT secret AS v, count(*) AS n FROM safes GROUP BY 1'),
];
