/**
 * The other half of the community application: deferred work, files, webhooks, connections, other services, caches and
 * encrypted fields, in the forms that the interface shows. Data only.
 */
import { defineDependency, guarded, defineCircleResource, defineSqlQuery } from './circles.js';
import type { Files } from './project.js';

const defineRemoteCall = (path: string, request_body: unknown, more: object = {}) => ({
  mode: 'HTTPREQUEST',
  http: {
    url: `$ENV.PARTNER/${path}`,
    method: 'POST',
    headers: { authorization: 'Bearer $ENV.PARTNER_KEY', 'x-request': '$GENERATOR.NANOID' },
    request_body,
  },
  ...more,
});
const defineActivityInsert = (kind: string, text: unknown) =>
  defineSqlQuery(
    'INSERT INTO activities (circle_id, kind, text, created_at) VALUES ($1, $2, $3, $4) RETURNING id, kind, text',
    [
      'circle_id',
      { literal: kind },
      typeof text === 'string' && !text.startsWith('$') ? { literal: text } : text,
      '$DATETIME',
    ],
  );
const defineRule = (name: string, type = 'STRING', more: object = {}) => ({ field: { [name]: { type } }, ...more });

export const WORK_MODELS: Files = {
  'definitions/models/_photo.json': {
    id: { type: 'String', primary_key: true, max_length: 40 },
    storage_key: { type: 'String', max_length: 255 },
    url: { type: 'String' },
    file_size: { type: 'Number' },
    dominant_color: { type: 'String', optional: true },
    circle_id: { type: 'String', optional: true },
    created_at: { type: 'DateTime' },
  },
  'definitions/models/_balance.json': {
    id: { type: 'String', primary_key: true },
    amount: { type: 'Number' },
    status: { type: 'String', max_length: 20 },
  },
  'definitions/models/_state.json': {
    token: { type: 'String', primary_key: true, max_length: 60 },
    member_id: { type: 'String' },
    created_at: { type: 'DateTime' },
  },
};

export const WORK: Files = {
  // The upload's values flow into the statement after it, once for each file.
  'definitions/files/new-1.json': defineCircleResource(
    'photos',
    [
      {
        mode: 'UPLOAD',
        uploads: {
          max_file_uploads: 3,
          max_upload_file_size: 100000,
          allowed_mimetypes: ['text/plain', 'image/png'],
          upload_folder: 'circles/$PROTECTED.id',
        },
        returnables: ['storage_key', 'url', 'file_size', 'dominant_color'],
      },
      {
        ...defineSqlQuery(
          'INSERT INTO photos (id, storage_key, url, file_size, dominant_color, circle_id, created_at) VALUES ($1, $2, $3, $4::bigint, $5, $6, $7::timestamptz)',
          ['$GENERATOR.CUID', 'storage_key', 'url', 'file_size', 'dominant_color', '$PAYLOAD.circle_id', '$DATETIME'],
          { multi: true },
        ),
        returnables: ['storage_key', 'file_size', 'circle_id'],
      },
    ],
    guarded,
  ),
  // Pattern 4, with the dependency written last.
  'definitions/money/x.json': defineCircleResource('balance/add', [
    {
      ...defineSqlQuery(
        'UPDATE balances SET amount = $1::bigint + $2::bigint, status = $3 WHERE id = $4 RETURNING amount, status',
        ['current', '$PAYLOAD.add_bal', { literal: 'FULFILLED' }, 'id'],
      ),
      depends_on: [defineDependency(2, { amount: 'current' })],
      must_return_value: true,
    },
    {
      ...defineSqlQuery('SELECT amount FROM balances WHERE id = $1 FOR UPDATE', ['id']),
      no_op: true,
      must_return_value: true,
    },
  ]),
  'definitions/money/open.json': defineCircleResource('balance/open', [
    defineSqlQuery(
      `INSERT INTO balances (id, amount, status) SELECT x.id, x.amount::bigint, 'new' FROM jsonb_to_recordset($1::jsonb) AS x(id text, amount int)
       ON CONFLICT (id) DO UPDATE SET amount = EXCLUDED.amount, status = 'again' RETURNING id, status`,
      ['$PAYLOAD.rows'],
    ),
  ]),
  'definitions/hooks/paid.json': defineCircleResource(
    'hooks/paid',
    [
      defineSqlQuery(
        "UPDATE balances SET amount = amount + $2::int, status = 'PAID' WHERE id = $1 RETURNING id, amount",
        ['$PAYLOAD.data.object.id', '$PAYLOAD.data.object.amount'],
      ),
      defineRemoteCall(
        'receipts',
        { for: '$PAYLOAD.data.object.id', event: '$HEADER.x-event', now: '$PAYLOAD.amount' },
        {
          depends_on: [defineDependency(1, { amount: 'amount' })],
          queue: { delay: 0, priority: 1 },
        },
      ),
    ],
    {
      webhook: {
        verifications: {
          HmacSignatureVerifier: {
            sig_header: '$HEADER.x-signature',
            secret_key: '$ENV.HOOK_KEY',
            algorithm: 'sha256',
          },
          IpAllowListVerifier: { allowed_ips: '$ENV.HOOK_ADDRESSES' },
          composition_strategy_mode: 'ALL',
        },
      },
      run_in_background: true,
    },
  ),
  'definitions/jobs/invite.json': defineCircleResource(
    'invite',
    [
      {
        ...defineRemoteCall('mail', { to: '$PAYLOAD.email', from: '$PROTECTED.handle', at: '$DATETIME' }),
        payload_validation: [defineRule('email', 'EMAIL')],
        run_in_background: true,
        queue: { delay: 0, priority: 10 },
      },
    ],
    guarded,
  ),
  'definitions/jobs/sweep.json': defineCircleResource('sweep', [
    {
      ...defineSqlQuery(
        "DELETE FROM states WHERE created_at < $1::timestamptz - interval '10 minutes' RETURNING token",
        ['$DATETIME'],
      ),
      cron_job: { execution_interval: '* * * * * *' },
    },
  ]),
  // Pattern 6.
  'definitions/connect/start.json': defineCircleResource(
    'connect/start',
    [
      {
        ...defineSqlQuery(
          'INSERT INTO states (token, member_id, created_at) VALUES ($1, $2, $3::timestamptz) RETURNING token',
          ['state', '$PROTECTED.id', '$PAYLOAD.at'],
        ),
        generate: '$GENERATOR.NANOID',
        for: 'state',
      },
    ],
    guarded,
  ),
  'definitions/connect/callback.json': defineCircleResource('connect/callback', [
    defineRemoteCall(
      'token',
      { code: '$PAYLOAD.code', member: '$PAYLOAD.owner' },
      {
        depends_on: [defineDependency(2, { member_id: 'owner' })],
        returnables: ['access.kind', 'member'],
      },
    ),
    {
      ...defineSqlQuery('DELETE FROM states WHERE token = $1 RETURNING member_id', ['$PAYLOAD.state']),
      no_op: true,
      must_return_value: true,
    },
  ]),
  'definitions/connect/states.json': defineCircleResource('states', [
    defineSqlQuery('SELECT count(*)::int AS open FROM states'),
  ]),
  // Connections: everybody, one, several.
  'definitions/live/say.json': defineCircleResource(
    'say',
    [
      {
        ...defineActivityInsert('said', '$PAYLOAD.text'),
        payload_validation: [defineRule('text', 'STRING', { min_length: 1, max_length: 500 }), defineRule('circle_id')],
        broadcast_websocket_message: { broadcast_type: 'ALL', action: 'said' },
      },
    ],
    guarded,
  ),
  'definitions/live/whisper.json': defineCircleResource(
    'whisper',
    [
      {
        ...defineSqlQuery('SELECT $1 AS text, handle FROM members WHERE id = $2', ['text', '$PROTECTED.id']),
        payload_validation: [defineRule('text')],
        broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'whispered', broadcast_to: '$PAYLOAD.to' },
      },
    ],
    guarded,
  ),
  'definitions/live/tell.json': defineCircleResource('tell', [
    {
      ...defineActivityInsert('told', 'hear, hear'),
      broadcast_websocket_message: { broadcast_type: 'BULK', action: 'told', broadcast_to: '$PAYLOAD.uids' },
      returnables: ['kind', 'text'],
    },
  ]),
  'definitions/private/set.json': defineCircleResource(
    'phone/set',
    [
      {
        ...defineSqlQuery('UPDATE members SET phone = $2 WHERE id = $1 RETURNING id', ['$PROTECTED.id', 'phone']),
        payload_validation: [defineRule('phone')],
        ciphers: [
          { operation: 'Encrypt', properties: ['phone'], algorithm: 'Aes256Gcm', options: { key: '$ENV.FIELD_KEY' } },
        ],
      },
    ],
    guarded,
  ),
  'definitions/private/get.json': defineCircleResource(
    'phone/get',
    [
      {
        ...defineSqlQuery('SELECT phone FROM members WHERE id = $1', ['$PROTECTED.id']),
        ciphers: [
          { operation: 'Decrypt', properties: ['phone'], algorithm: 'Aes256Gcm', options: { key: '$ENV.FIELD_KEY' } },
        ],
        returnables: ['phone'],
      },
    ],
    guarded,
  ),
  'definitions/cached/top.json': defineCircleResource(
    'top',
    [defineSqlQuery('SELECT name, member_count FROM circles ORDER BY member_count DESC, name LIMIT 3')],
    { cacheable: { read_from_cache: true, cache_key: 'top-$PAYLOAD.lang', duration: 300 } },
  ),
  'definitions/cached/rename.json': defineCircleResource('circle/rename', [
    {
      ...defineSqlQuery('UPDATE circles SET name = $2 WHERE id = $1 RETURNING id, name', [
        '$PAYLOAD.circle_id',
        'name',
      ]),
      cacheable: { invalidate_cache_keys: ['top-$PAYLOAD.lang'] },
    },
  ]),
  // Two that are independent, merged; and a value of another resource.
  'definitions/zz/overview.json': defineCircleResource(
    'overview',
    [
      { ...defineSqlQuery('SELECT count(*)::int AS circles FROM circles'), parallel: true },
      { ...defineSqlQuery('SELECT count(*)::int AS members FROM members WHERE deleted_at IS NULL'), parallel: true },
      {
        ...defineSqlQuery('SELECT $1::jsonb AS numbers, $2::text AS first', ['everything', 'first']),
        depends_on: [
          {
            resource_id: 'circle-numbers-01',
            action_ids: [1],
            extract_response_for: [
              { extract: 'self_', for: 'everything' },
              { extract: 'feed.0.text', for: 'first' },
            ],
          },
        ],
        main_returnable: true,
      },
    ],
    { combine_returned_results_from: [1, 2] },
  ),
  'definitions/zz/sign-out.json': {
    id: 'sign-out-01',
    resource: 'sign-out',
    ...guarded,
    invalidate_tokenize: { tokens: '$PAYLOAD.tokens', expires_after: 86400 },
  },
  'definitions/zz/nothing.json': { id: 'nothing-01', resource: 'nothing', actionables: [] },
};
