/** Definitions of `e2e/name-attacks`, by attempt; the valid ones next to them share keys and tables with these. */
import type { Loose } from './client.js';

const defineToken = (claims?: readonly string[], rest: Loose = {}): Loose => ({
  tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', ...(claims && { custom_claim_fields: claims }), ...rest },
});
const defineGuard = (...claims: string[]): Loose => ({ ...defineToken(), protected: { extract_claims: claims } });
const definePurposeGuard = (purpose: string, ...claims: string[]): Loose => ({
  ...defineToken(),
  protected: { extract_claims: claims, purpose },
});
const query = (id: number, text: string, parameters: readonly unknown[] = [], rest: Loose = {}): Loose => ({
  ...{ id, mode: 'QUERY', sql_query: { query: text, parameters } },
  ...rest,
});
const defineReturn = (id: number, value: unknown, rest: Loose = {}): Loose => ({ id, mode: 'RETURN', value, ...rest });
const withActionables = (rest: Loose, ...actionables: readonly Loose[]): Loose => ({ ...rest, actionables });
const defineDocumentQuery = (rest: Loose): Loose => ({
  id: 1,
  mode: 'QUERY',
  mongo_query: { collection: 'papers', ...rest },
});
const defineDependency = (extract: string, name: string, from = 'self'): Loose => ({
  depends_on: [{ resource_id: from, action_ids: [1], extract_response_for: [{ extract, for: name }] }],
});
const send = (to: unknown): Loose => ({
  broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'a', broadcast_to: to },
});
const defineCache = (key: string): Loose => ({ cacheable: { read_from_cache: true, cache_key: key, duration: 5 } });
const call = (url: string, id: number, body: Loose, rest: Loose = {}): Loose => ({
  ...{ id, mode: 'HTTPREQUEST', http: { url: `${url}/x`, method: 'POST', request_body: body } },
  ...rest,
});

const INSERT = 'INSERT INTO note (body) VALUES ($1) RETURNING body';
const ROW = query(1, "SELECT 'a' AS name");
/** The checker does not know its columns. */
const UNKNOWN_ROW = query(1, `SELECT * FROM json_to_record('{"name":"a"}') AS r(name text)`);
const writesFrom = (first: Loose, path: string, extract = 'self_'): Loose =>
  withActionables({}, first, query(2, INSERT, [path], defineDependency(extract, 'row')));

/** The code of the error that is expected of a definition. */
export const WRONG: Readonly<Record<string, readonly [code: string, definition: Loose]>> = {
  'a claim that no token has, in a statement': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('rank'), query(1, 'SELECT $1::text AS x', ['$PROTECTED.rank'])),
  ],
  'a claim that no token has, as a bare name': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('rank'), query(1, 'SELECT $1::text AS rank', ['rank'])),
  ],
  'a claim that is misspelt': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('emial'), defineReturn(1, '$PROTECTED.emial')),
  ],
  'a claim that no token has, in a limit': [
    'LNK_CLAIM_ABSENT',
    withActionables(
      { ...defineGuard('rank'), rate_limit: { limit: 5, identifier: '$PROTECTED.rank', expires_after: 60 } },
      defineReturn(1, 1),
    ),
  ],
  'a claim that no token has, as a receiver': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('uid'), defineReturn(1, 1, send('$PROTECTED.uid'))),
  ],
  'a claim that no token has, in the name of an entry': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('rank'), query(1, 'SELECT 1 AS n', [], defineCache('of $PROTECTED.rank'))),
  ],
  'a path other than the one in the tokens': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('profile'), defineReturn(1, '$PROTECTED.profile.b')),
  ],
  'a path that is not extracted': [
    'ACC_UNDECLARED',
    withActionables(defineGuard('profile.a'), defineReturn(1, '$PROTECTED.profile.b')),
  ],
  'a claim that tokens for another purpose have': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('step'), defineReturn(1, '$PROTECTED.step')),
  ],
  'a claim that only tokens for access have': [
    'LNK_CLAIM_ABSENT',
    withActionables(definePurposeGuard('reset', 'email'), defineReturn(1, '$PROTECTED.email')),
  ],
  'a claim of other systems': [
    'LNK_CLAIM_ABSENT',
    withActionables(defineGuard('sub'), defineReturn(1, '$PROTECTED.sub')),
  ],
  'a claim that only the reached resource extracts': [
    'LNK_CLAIM_REACHED',
    withActionables(defineGuard('id'), defineReturn(1, '$PAYLOAD.x', defineDependency('self_', 'x', 'mail'))),
  ],
  'a bare name that is not a column of a row': ['LNK_NOT_SELECTED', writesFrom(ROW, 'row.nope')],
  'an accessor that no column of a row is called': ['LNK_NOT_SELECTED', writesFrom(ROW, '$PAYLOAD.row.nope')],
  'a bare name in a document that is not a column': [
    'LNK_NOT_SELECTED',
    withActionables({}, ROW, {
      ...defineDocumentQuery({ action: 'INSERT', document: { a: '$1' }, parameters: ['row.nope'] }),
      id: 2,
      ...defineDependency('self_', 'row'),
    }),
  ],
  'a column that no result has': ['LNK_NOT_SELECTED', writesFrom(ROW, 'row', 'nope')],
  'a column of a list': ['LNK_ABSENT', writesFrom({ ...ROW, result: 'many' }, 'row', 'name')],
  'a bare name inside a list': ['LNK_ABSENT', writesFrom({ ...ROW, result: 'many' }, 'row.name')],
  'small letters inside the text of a call': [
    'TPL_VALUE',
    withActionables({}, call('https://a.example', 1, { a: 'dear $payload.a' })),
  ],
  'small letters in a document': [
    'TPL_VALUE',
    withActionables({}, defineDocumentQuery({ action: 'INSERT', document: { a: '$payload.a' } })),
  ],
  'small letters inside the text of a document': [
    'TPL_VALUE',
    withActionables({}, defineDocumentQuery({ action: 'INSERT', document: { a: 'at $payload.a' } })),
  ],
  'small letters in a filter': [
    'TPL_VALUE',
    withActionables(
      defineGuard('id'),
      defineDocumentQuery({ action: 'FETCH', filter_predicate: { a: { $in: ['$protected.id'] } } }),
    ),
  ],
  'small letters in a condition of a pipeline': [
    'TPL_VALUE',
    withActionables({}, defineDocumentQuery({ action: 'AGGREGATE', pipeline: [{ $match: { a: '$Payload.a' } }] })),
  ],
  'small letters in the name of an entry': [
    'TPL_VALUE',
    withActionables({}, query(1, 'SELECT 1 AS n', [], defineCache('of $payload.a'))),
  ],
  'small letters in the name of a room': [
    'TPL_VALUE',
    withActionables({}, defineReturn(1, 1, { join_room: 'team $payload.a' })),
  ],
  'small letters inside the text of a statement': [
    'TPL_SQL',
    withActionables({}, query(1, "SELECT '$payload.a' AS a")),
  ],
  'small letters in a statement': ['TPL_SQL', withActionables({}, query(1, 'SELECT $payload.a AS a'))],
  'a secret of a table under another name': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT id, email AS contact FROM account', 'contact'),
  ],
  'a secret in an expression': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT id, lower(email) AS email FROM account', 'email'),
  ],
  'a secret of a row of a sub-query': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT x.id, x.contact FROM (SELECT id, email AS contact FROM account) x', 'contact'),
  ],
  'a secret that the list of a WITH entry names': [
    'TOK_CLAIM_SECRET',
    secretClaim('WITH w (id, contact) AS (SELECT id, email FROM account) SELECT id, contact FROM w', 'contact'),
  ],
  'a secret by its place in a sub-query': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT * FROM (SELECT id, email FROM account) AS x (id, contact)', 'contact'),
  ],
  'a secret as a result of CASE': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT id, CASE WHEN id > 0 THEN email END AS contact FROM account', 'contact'),
  ],
  'a secret in one of two selects': [
    'TOK_CLAIM_SECRET',
    secretClaim('SELECT id, email FROM staff UNION SELECT id, email FROM account', 'email'),
  ],
};

function secretClaim(text: string, claim: string): Loose {
  return withActionables(defineToken(['id', claim], { encryption_key: '$ENV.OTHER' }), query(1, text));
}

/** Served, and its requests end with 422; nothing is written. */
export const UNRESOLVED: Readonly<Record<string, Loose>> = {
  'a bare name inside a row': writesFrom(UNKNOWN_ROW, 'row.nope'),
  'an accessor inside a row': writesFrom(UNKNOWN_ROW, '$PAYLOAD.row.nope'),
  'a bare name inside JSON': writesFrom(query(1, `SELECT '{"a":1}'::jsonb AS data`), 'row.b', 'data'),
  'a bare name inside no row': writesFrom(query(1, "SELECT 'a' AS name WHERE 1 = 2"), 'row.name'),
  'a bare name after the end of a list': writesFrom(
    query(1, "SELECT 'a' AS name", [], { result: 'many' }),
    'row.3.name',
  ),
  'a bare name in a document': withActionables({}, UNKNOWN_ROW, {
    ...defineDocumentQuery({ action: 'INSERT', document: { a: '$1' }, parameters: ['row.nope'] }),
    id: 2,
    ...defineDependency('self_', 'row'),
  }),
  'a column that the result lacks': writesFrom(UNKNOWN_ROW, 'row', 'nope'),
};

/** Some tokens have the claim `role`; the sent one lacks it. `rest`: the use of the claim after the INSERT. */
export const createOptionalClaimCases = (url: string): Readonly<Record<string, readonly Loose[]>> => ({
  'in a call': [call(url, 2, { role: '$PROTECTED.role' })],
  'in a statement after a call': [call(url, 2, {}), query(3, 'SELECT $1::text AS role', ['role'])],
  'in deferred work': [call(url, 2, { role: '$PROTECTED.role' }, { run_in_background: true })],
  'in a job that is accepted after a call': [
    call(url, 2, {}),
    call(url, 3, { role: '$PROTECTED.role' }, { queue: {} }),
  ],
  'in an actionable of another resource': [
    call(url, 2, {}),
    defineReturn(3, '$PAYLOAD.x', defineDependency('self_', 'x', 'of-staff')),
  ],
  'in a document after a call': [
    call(url, 2, {}),
    { ...defineDocumentQuery({ action: 'INSERT', document: { a: '$1' }, parameters: ['role'] }), id: 3 },
  ],
  'in the name of a folder': [
    { id: 2, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/*'], upload_folder: 'of/$PROTECTED.role' } },
  ],
});

/** Valid: this e-mail address is not a secret, though another resource encrypts a column of that name. */
export const OPEN_CLAIMS: readonly string[] = [
  'SELECT s.id, s.email FROM staff s JOIN account a ON a.id = s.id',
  'SELECT s.id, s.email FROM account a JOIN staff s ON s.email = a.email OR s.id = a.id',
  "SELECT id, 'ada@example.com' AS email FROM account",
  'SELECT id, contact AS email FROM account',
  'SELECT x.id, x.email FROM (SELECT id, contact AS email, email AS other FROM account) x',
  'WITH w (id, email) AS (SELECT id, contact FROM account) SELECT w.id, w.email FROM w',
  'SELECT * FROM (SELECT s.id, x.email FROM account a, staff s, (SELECT contact AS email FROM account) x) y',
];

const nameDefinitions = (prefix: string, definitions: readonly Loose[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    definitions.map((one, i) => [
      `definitions/${prefix}${i}.json`,
      { id: `${prefix}${i}`, resource: `${prefix}${i}`, ...one },
    ]),
  );
const defineResource = (id: string, rest: Loose): Loose => ({ id, resource: id, ...rest });

export const createAttackFiles = (url: string): Readonly<Record<string, unknown>> => ({
  ...nameDefinitions(
    'wrong',
    Object.values(WRONG).map(([, definition]) => definition),
  ),
  ...nameDefinitions('open', Object.values(UNRESOLVED)),
  ...nameDefinitions(
    'late',
    Object.values(createOptionalClaimCases(url)).map((rest) =>
      withActionables(defineGuard('id', 'role'), query(1, INSERT, ['body']), ...rest),
    ),
  ),
  ...nameDefinitions(
    'claim',
    OPEN_CLAIMS.map((text) =>
      withActionables(defineToken(['id', 'email'], { encryption_key: '$ENV.OTHER' }), query(1, text)),
    ),
  ),
  'definitions/all.json': [
    {
      _note: {
        id: { type: 'Number', primary_key: true, auto_increment: true },
        body: { type: 'String', optional: true },
      },
    },
    { _paper: { a: { type: 'String', optional: true } } },
    {
      _account: {
        id: { type: 'Number', primary_key: true },
        email: { type: 'String' },
        contact: { type: 'String', optional: true },
      },
    },
    { _staff: { id: { type: 'Number', primary_key: true }, email: { type: 'String' } } },
    defineResource(
      'sign-in',
      withActionables(
        defineToken(['id', 'email', 'profile.a']),
        defineReturn(1, { id: 1, email: 'e', profile: { a: 1 } }),
      ),
    ),
    defineResource(
      'reset',
      withActionables(defineToken(['id', 'step'], { purpose: 'reset' }), defineReturn(1, { id: 1, step: 2 })),
    ),
    defineResource('mail', withActionables(defineGuard('id', 'email'), defineReturn(1, { email: '$PROTECTED.email' }))),
    defineResource(
      'standard',
      withActionables(
        defineGuard('exp', 'iss', 'jti'),
        defineReturn(1, { by: '$PROTECTED.iss', at: '$PROTECTED.exp' }),
      ),
    ),
    defineResource(
      'elsewhere',
      withActionables(
        { ...defineToken(), protected: { extract_claims: ['scope'], issuer: 'https://login.example/' } },
        defineReturn(1, { scope: '$PROTECTED.scope' }),
      ),
    ),
    defineResource('of-staff', withActionables(defineGuard('id', 'role'), call(url, 1, { role: '$PROTECTED.role' }))),
    defineResource('notes', withActionables({}, query(1, 'SELECT id, body FROM note', [], { result: 'many' }))),
    defineResource(
      'seal',
      withActionables(
        {},
        query(
          1,
          'INSERT INTO account (id, email, contact) VALUES ($1, $2, $3)',
          ['$PAYLOAD.id', '$PAYLOAD.email', '$PAYLOAD.contact'],
          {
            ciphers: [
              { operation: 'Encrypt', algorithm: 'Aes256Gcm', properties: ['email'], options: { key: '$ENV.OTHER' } },
            ],
          },
        ),
      ),
    ),
    defineResource(
      'hire',
      withActionables({}, query(1, 'INSERT INTO staff (id, email) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.email'])),
    ),
    defineResource('staff', withActionables(defineToken(['id', 'role']), defineReturn(1, { id: 1, role: 'admin' }))),
    defineResource(
      'notified',
      withActionables(
        defineGuard('id'),
        call(url, 1, {}, { generate: '$GENERATOR.UUID', for: 'tenant', ...send('$HEADER.tenant') }),
      ),
    ),
  ],
});
