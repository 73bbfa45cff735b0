/** Definitions with deferred work, written from the interface alone. Data only. */
const createSqlQuery = (query: string, parameters: readonly unknown[] = []) => ({ query, parameters });
const tokenize = {
  type: 'JWT',
  algorithm: 'HS256',
  expiration: 3600,
  encryption_key: '$ENV.JWT_SECRET_KEY',
  custom_claim_fields: ['id', 'email'],
  property_name: 'token',
};
const validates = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const guard = { tokenize: validates, protected: { provide_as: 'Authorization', extract_claims: ['id', 'email'] } };
const defineHmac = (rest: object = {}) => ({
  verifications: {
    HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK_KEY', algorithm: 'sha256' },
    ...rest,
  },
});
const call = (path: string, request_body: object, headers: object = {}) => ({
  mode: 'HTTPREQUEST',
  http: { url: `$ENV.REMOTE/${path}`, method: 'POST', headers, request_body },
});
const defineRule = (name: string, type = 'STRING', rest: object = {}) => ({ field: { [name]: { type } }, ...rest });
const insert = (status: string, extra: object = {}) => ({
  mode: 'QUERY',
  payload_validation: [defineRule('text', 'STRING', { min_length: 1, max_length: 100 })],
  sql_query: createSqlQuery(
    'INSERT INTO note (id, text, status, created_at) VALUES ($1, $2, $3, $4) RETURNING id, text',
    ['$GENERATOR.ULID', 'text', { literal: status }, '$DATETIME'],
  ),
  ...extra,
});
const defineResource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: `work/${id}`,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
const defineDependsOn = (action: number, pairs: Readonly<Record<string, string>>, resource_id = 'self') => [
  {
    resource_id,
    action_ids: [action],
    extract_response_for: Object.entries(pairs).map(([extract, name]) => ({ extract, for: name })),
  },
];
const count = (id: string, path: string) => call(path, { id });

export const WORK: readonly object[] = [
  {
    _note: {
      id: { type: 'String', primary_key: true },
      text: { type: 'String', max_length: 100 },
      status: { type: 'String' },
      url: { type: 'String', optional: true },
      created_at: { type: 'DateTime' },
    },
  },
  {
    _user: {
      id: { type: 'String', primary_key: true },
      email: { type: 'String', indexable: true },
      password: { type: 'String' },
    },
  },
  defineResource('notes', [
    {
      mode: 'QUERY',
      result: 'many',
      sql_query: createSqlQuery('SELECT id, text, status, url, created_at FROM note ORDER BY text, status'),
    },
  ]),
  // Pattern 1, with the deferred welcome message.
  defineResource(
    'sign-up',
    [
      {
        mode: 'QUERY',
        payload_validation: [
          defineRule('email', 'EMAIL'),
          defineRule('password', 'STRING', { min_length: 8, max_length: 64 }),
        ],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
        sql_query: {
          ...createSqlQuery('INSERT INTO "user" (id, email, password) VALUES ($1, $2, $3) RETURNING id, email', [
            '$GENERATOR.KSUID',
            'email',
            'password',
          ]),
          unique: ['email'],
        },
      },
      {
        ...call('welcome', { to: '$PAYLOAD.email', user: '$PAYLOAD.user_id', stage: '$ENV.STAGE' }),
        run_in_background: true,
        queue: { delay: 0, priority: 1 },
        depends_on: defineDependsOn(1, { id: 'user_id' }),
      },
    ],
    { tokenize, returnables: ['id', 'email', 'token'] },
  ),
  // `run_in_background` on the resource: nothing runs in the foreground.
  defineResource('report', [insert('report'), call('reported', { text: '$PAYLOAD.text', at: '$DATETIME' })], {
    run_in_background: true,
  }),
  // ... and on the only actionable.
  defineResource('only', [insert('only', { run_in_background: true })]),
  // One of two: the response is that of the other.
  defineResource('both', [insert('now'), { ...insert('behind'), run_in_background: true }], { returnables: ['text'] }),
  defineResource('first-behind', [{ ...insert('behind first'), run_in_background: true }, insert('now second')]),
  // Pattern 7.
  defineResource('order', [
    { ...call('orders', { text: '$PAYLOAD.text' }), run_in_background: true, queue: { delay: 2, priority: 10 } },
  ]),
  defineResource('queued', [call('queued', { text: '$PAYLOAD.text' }, { 'x-trace': '$HEADER.x-trace' })], {
    queue: { delay: 0 },
    parallel: true,
  }),
  defineResource('ranks', [
    { ...call('rank-low', {}), queue: { delay: 0.3, priority: 1 } },
    { ...call('rank-high', {}), queue: { delay: 0.3, priority: 10 } },
    { ...call('rank-middle', {}), queue: { delay: 0.3, priority: 5 } },
  ]),
  defineResource('again', [{ ...call('flaky', { text: '$PAYLOAD.text' }), queue: { retries: 3 } }]),
  defineResource('never', [{ ...call('broken', {}), run_in_background: true, retries: 1 }]),
  // A chain whose last part is queued.
  defineResource('chain', [
    { mode: 'QUERY', no_op: true, sql_query: createSqlQuery('SELECT count(*)::int AS many FROM note') },
    insert('chained'),
    {
      mode: 'QUERY',
      queue: {},
      depends_on: [...defineDependsOn(1, { many: 'many' }), ...defineDependsOn(2, { id: 'note_id' })],
      sql_query: createSqlQuery('UPDATE note SET status = $1 WHERE id = $2 AND $3::int >= 0', [
        { literal: 'FULFILLED' },
        'note_id',
        'many',
      ]),
    },
  ]),
  defineResource('elsewhere', [
    {
      ...call('elsewhere', { first: '$PAYLOAD.first' }),
      run_in_background: true,
      depends_on: defineDependsOn(1, { '0.text': 'first' }, 'notes'),
    },
  ]),
  // The token's claims are those of the request, whenever the work is done.
  defineResource(
    'mine',
    [
      {
        ...call('mine', { owner: '$PROTECTED.id', all: '$PAYLOAD' }),
        payload_validation: [defineRule('text')],
        run_in_background: true,
      },
    ],
    guard,
  ),
  // Webhooks: JSON and forms, verified, processed after the response, and jobs that they queue.
  defineResource('paid', [{ ...insert('paid') }, call('paid', { all: '$PAYLOAD', kind: '$HEADER.x-kind' })], {
    webhook: defineHmac(),
    run_in_background: true,
  }),
  defineResource(
    'paid-any',
    [{ ...insert('paid any') }, { ...count('$PAYLOAD.text', 'paid-any'), queue: { delay: 0 } }],
    {
      webhook: defineHmac({
        HeaderTokenVerifier: { header_key: '$HEADER.x-secret', secret_key: '$ENV.HOOK_KEY' },
        composition_strategy_mode: 'ANY',
      }),
      returnables: ['text'],
    },
  ),
  // An upload is stored in the foreground; the row is written after the response.
  defineResource('upload', [
    {
      mode: 'UPLOAD',
      uploads: {
        max_file_uploads: 1,
        max_upload_file_size: 10000,
        allowed_mimetypes: ['text/plain'],
        upload_folder: 'work',
      },
      returnables: ['storage_key', 'url', 'file_size'],
    },
    {
      mode: 'QUERY',
      queue: { delay: 0 },
      depends_on: [{ resource_id: 'self', action_ids: [1] }],
      sql_query: {
        ...createSqlQuery('INSERT INTO note (id, text, status, url, created_at) VALUES ($1, $2, $3, $4, $5)', [
          '$GENERATOR.ULID',
          'storage_key',
          { literal: 'uploaded' },
          'url',
          '$DATETIME',
        ]),
        multi: true,
      },
    },
  ]),
  // Caches are emptied when the work is done, and not when it is accepted.
  defineResource(
    'cached',
    [{ mode: 'QUERY', sql_query: createSqlQuery("SELECT count(*)::int AS many FROM note WHERE status = 'cached'") }],
    {
      cacheable: { read_from_cache: true, cache_key: 'many', duration: 60 },
    },
  ),
  defineResource('cache-add', [
    insert('cached', { run_in_background: true, cacheable: { invalidate_cache_keys: ['many'] } }),
  ]),
  // A payload that a parameter lacks.
  defineResource('absent', [
    {
      mode: 'QUERY',
      queue: {},
      sql_query: createSqlQuery('INSERT INTO note (id, text, status, url, created_at) VALUES ($1, $2, $3, $4, $5)', [
        '$GENERATOR.UUID',
        { literal: 'absent' },
        { literal: 'absent' },
        '$PAYLOAD.url',
        '$DATETIME',
      ]),
    },
  ]),
  defineResource('bypassed', [insert('bypassed', { bypass_payload_validation: true, run_in_background: true })]),
  defineResource('parallel', [
    { ...call('side-a', {}), parallel: true, run_in_background: true },
    { ...call('side-b', {}), parallel: true, run_in_background: true },
  ]),
];

/** Started by the scheduler. */
export const SCHEDULED: readonly object[] = [
  // Pattern 8.
  defineResource('cleanup', [
    {
      mode: 'QUERY',
      sql_query: createSqlQuery("DELETE FROM note WHERE status = 'FULFILLED' AND created_at < $1::timestamptz", [
        '$DATETIME',
      ]),
      cron_job: { execution_interval: '* * * * * *' },
    },
  ]),
  defineResource('pulse', [
    { ...call('pulse', { at: '$DATETIME' }), cron_job: { execution_interval: '*/1 * * * * *' } },
    { mode: 'QUERY', sql_query: createSqlQuery('SELECT 1 AS alive') },
  ]),
  defineResource('beat', [
    { ...call('beat', { at: '$DATETIME' }), cron_job: { execution_interval: '* * * * * *' }, queue: { priority: 3 } },
  ]),
  // Once in a year: never in this test.
  defineResource('yearly', [{ ...call('yearly', {}), cron_job: { execution_interval: '0 0 0 1 1 *' } }]),
];
