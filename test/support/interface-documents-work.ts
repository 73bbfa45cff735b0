/** Accounts, uploads, calls, queues, caches and messages on documents, as the interface has them. Data only. */
import { issues, guard, q, rules, of, from, readers, BY_ID, card, type Part } from './interface-documents-parts.js';

export const LIBRARY_WORK: readonly Part[] = [
  // Patterns: accounts.
  of(
    'sign-up',
    {
      ...readers('INSERT', {
        document: { id: '$1', email: '$2', password: '$3', balance: 0 },
        parameters: ['id', 'email', 'password'],
        unique: ['email'],
        with_timestamp: true,
      }),
      ...rules({ email: { type: 'EMAIL' }, password: { type: 'STRING', min_length: 8 } }),
      hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
      generate: '$GENERATOR.ULID',
      for: 'id',
    },
    { tokenize: issues, returnables: ['email', 'token'] },
  ),
  of('sign-up-quietly', {
    ...readers('INSERT', { parameters: ['id', 'email', 'password', '$PAYLOAD.balance'], with_timestamp: true }),
    ...rules({ email: { type: 'EMAIL' }, password: { type: 'STRING' }, id: { type: 'STRING' } }),
    hashables: [{ property: 'password', algorithm: 'ARGON2' }],
  }),
  of(
    'sign-in',
    {
      ...readers('FETCH_ONE', { filter_predicate: { email: '$PAYLOAD.email' } }),
      ...rules({ email: { type: 'EMAIL' }, password: { type: 'STRING' } }),
      verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      must_return_value: true,
    },
    { tokenize: issues, returnables: ['email', 'token'] },
  ),
  of('me', { ...readers('FETCH', { filter_predicate: { id: '$PROTECTED.id' } }), must_return_value: true }, guard),
  of(
    'top-up',
    [
      { ...readers('FETCH_ONE', { filter_predicate: { id: '$PROTECTED.id' } }), no_op: true },
      {
        ...readers('UPDATE', {
          filter_predicate: { id: '$PROTECTED.id' },
          update_predicate: [{ $set: { balance: { $add: ['$1', '$2'] } } }],
          parameters: ['add_bal', 'amount'],
          with_timestamp: true,
        }),
        ...rules({ amount: { type: 'NUMBER' } }),
        ...from(1, { balance: 'add_bal' }),
      },
    ],
    { ...guard, returnables: ['balance'] },
  ),
  of(
    'card-set',
    {
      ...readers('UPDATE', {
        filter_predicate: { id: '$PROTECTED.id' },
        update_predicate: { $set: { card: '$1' } },
        parameters: ['card'],
      }),
      ...rules({ card: { type: 'STRING' } }),
      ...card('Encrypt'),
      returnables: ['card'],
    },
    guard,
  ),
  of(
    'card-get',
    {
      ...readers('FETCH_ONE', { filter_predicate: { id: '$PROTECTED.id' } }),
      ...card('Decrypt'),
      returnables: ['card'],
    },
    guard,
  ),
  // Pattern 5.
  of('covers', [
    { mode: 'UPLOAD', uploads: { max_file_uploads: 3, allowed_mimetypes: ['image/png'], upload_folder: 'covers' } },
    {
      ...q('INSERT', {
        collection: 'covers',
        parameters: ['url', 'storage_key', 'file_size', 'caption'],
        multi: true,
      }),
      returnables: ['storage_key', 'file_size'],
    },
  ]),
  // Pattern 6.
  of(
    'state-make',
    {
      ...q('INSERT', { collection: 'states', document: { state: '$GENERATOR.NANOID', owner: '$PROTECTED.id' } }),
      returnables: ['state'],
    },
    guard,
  ),
  of('state-use', [
    {
      ...q('DELETE', { collection: 'states', filter_predicate: { state: '$PAYLOAD.state' } }),
      must_return_value: true,
    },
    {
      mode: 'HTTPREQUEST',
      http: {
        url: '$ENV.REMOTE/token',
        method: 'POST',
        headers: {},
        request_body: { code: '$PAYLOAD.code', of: '$PAYLOAD.owner' },
      },
      ...from(1, { owner: 'owner' }),
    },
  ]),
  // Pattern 7, and work behind the answer.
  of(
    'call-later',
    [
      { ...q('FETCH_ONE', BY_ID), main_returnable: true },
      {
        mode: 'HTTPREQUEST',
        http: { url: '$ENV.REMOTE/later', method: 'POST', headers: {}, request_body: { title: '$PAYLOAD.title' } },
        run_in_background: true,
        queue: { delay: 0, priority: 5 },
        ...from(1, { title: 'title' }),
      },
    ],
    { returnables: ['id'] },
  ),
  of('add-later', { ...q('INSERT', { parameters: ['id', 'title'] }), queue: { delay: 0, priority: 1 } }),
  of('add-behind', q('INSERT', { parameters: ['id', 'title'] }), { run_in_background: true }),
  of(
    'paid',
    {
      ...q('INSERT', {
        collection: 'payments',
        document: { id: '$PAYLOAD.id', all: '$PAYLOAD', kind: '$HEADER.x-kind' },
      }),
    },
    {
      run_in_background: true,
      webhook: {
        verifications: { HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK_KEY' } },
      },
    },
  ),
  of('payments', {
    ...q('FETCH', { collection: 'payments', sort: { id: 1 } }),
    result: 'many',
    returnables: ['id', 'kind', 'all.amount'],
  }),
  // Caching.
  of('cached', {
    ...q('COUNT', { filter_predicate: { status: 'cached' } }),
    cacheable: { read_from_cache: true, cache_key: 'cached-books', duration: 60 },
  }),
  of('cached-add', {
    ...q('INSERT', { document: { id: '$PAYLOAD.id', title: 't', status: 'cached' } }),
    cacheable: { invalidate_cache_keys: ['cached-books'] },
  }),
  of('cached-add-silently', q('INSERT', { document: { id: '$PAYLOAD.id', title: 't', status: 'cached' } })),
  // Messages.
  of('announce', {
    ...q('UPDATE', { ...BY_ID, update_predicate: { $set: { lent: false } } }),
    returnables: ['id', 'lent'],
    broadcast_websocket_message: { broadcast_type: 'ALL', action: 'returned' },
  }),
  // Pattern 8.
  of('finish', q('UPDATE', { ...BY_ID, update_predicate: { $set: { status: 'FULFILLED' } } }), {
    returnables: ['status'],
  }),
  of('cleanup', {
    ...q('DELETE', { filter_predicate: { status: 'FULFILLED', id: { $lt: '$1' } }, parameters: [{ literal: 'zzz' }] }),
    cron_job: { execution_interval: '* * * * * *' },
  }),
];
