/** Accounts, uploads, calls, queues, caches and messages on documents, as the interface has them. Data only. */
import {
  issues,
  guard,
  defineBookQuery,
  defineRules,
  defineLibraryResource,
  defineDependsOn,
  defineReaderQuery,
  BY_ID,
  defineCardCiphers,
  type Part,
} from './interface-documents-parts.js';

export const LIBRARY_WORK: readonly Part[] = [
  // Patterns: accounts.
  defineLibraryResource(
    'sign-up',
    {
      ...defineReaderQuery('INSERT', {
        document: { id: '$1', email: '$2', password: '$3', balance: 0 },
        parameters: ['id', 'email', 'password'],
        unique: ['email'],
        with_timestamp: true,
      }),
      ...defineRules({ email: { type: 'EMAIL' }, password: { type: 'STRING', min_length: 8 } }),
      hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
      generate: '$GENERATOR.ULID',
      for: 'id',
    },
    { tokenize: issues, returnables: ['email', 'token'] },
  ),
  defineLibraryResource('sign-up-quietly', {
    ...defineReaderQuery('INSERT', {
      parameters: ['id', 'email', 'password', '$PAYLOAD.balance'],
      with_timestamp: true,
    }),
    ...defineRules({ email: { type: 'EMAIL' }, password: { type: 'STRING' }, id: { type: 'STRING' } }),
    hashables: [{ property: 'password', algorithm: 'ARGON2' }],
  }),
  defineLibraryResource(
    'sign-in',
    {
      ...defineReaderQuery('FETCH_ONE', { filter_predicate: { email: '$PAYLOAD.email' } }),
      ...defineRules({ email: { type: 'EMAIL' }, password: { type: 'STRING' } }),
      verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      must_return_value: true,
    },
    { tokenize: issues, returnables: ['email', 'token'] },
  ),
  defineLibraryResource(
    'me',
    { ...defineReaderQuery('FETCH', { filter_predicate: { id: '$PROTECTED.id' } }), must_return_value: true },
    guard,
  ),
  defineLibraryResource(
    'top-up',
    [
      { ...defineReaderQuery('FETCH_ONE', { filter_predicate: { id: '$PROTECTED.id' } }), no_op: true },
      {
        ...defineReaderQuery('UPDATE', {
          filter_predicate: { id: '$PROTECTED.id' },
          update_predicate: [{ $set: { balance: { $add: ['$1', '$2'] } } }],
          parameters: ['add_bal', 'amount'],
          with_timestamp: true,
        }),
        ...defineRules({ amount: { type: 'NUMBER' } }),
        ...defineDependsOn(1, { balance: 'add_bal' }),
      },
    ],
    { ...guard, returnables: ['balance'] },
  ),
  defineLibraryResource(
    'card-set',
    {
      ...defineReaderQuery('UPDATE', {
        filter_predicate: { id: '$PROTECTED.id' },
        update_predicate: { $set: { card: '$1' } },
        parameters: ['card'],
      }),
      ...defineRules({ card: { type: 'STRING' } }),
      ...defineCardCiphers('Encrypt'),
      returnables: ['card'],
    },
    guard,
  ),
  defineLibraryResource(
    'card-get',
    {
      ...defineReaderQuery('FETCH_ONE', { filter_predicate: { id: '$PROTECTED.id' } }),
      ...defineCardCiphers('Decrypt'),
      returnables: ['card'],
    },
    guard,
  ),
  // Pattern 5.
  defineLibraryResource('covers', [
    { mode: 'UPLOAD', uploads: { max_file_uploads: 3, allowed_mimetypes: ['image/png'], upload_folder: 'covers' } },
    {
      ...defineBookQuery('INSERT', {
        collection: 'covers',
        parameters: ['url', 'storage_key', 'file_size', 'caption'],
        multi: true,
      }),
      returnables: ['storage_key', 'file_size'],
    },
  ]),
  // Pattern 6.
  defineLibraryResource(
    'state-make',
    {
      ...defineBookQuery('INSERT', {
        collection: 'states',
        document: { state: '$GENERATOR.NANOID', owner: '$PROTECTED.id' },
      }),
      returnables: ['state'],
    },
    guard,
  ),
  defineLibraryResource('state-use', [
    {
      ...defineBookQuery('DELETE', { collection: 'states', filter_predicate: { state: '$PAYLOAD.state' } }),
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
      ...defineDependsOn(1, { owner: 'owner' }),
    },
  ]),
  // Pattern 7, and deferred work.
  defineLibraryResource(
    'call-later',
    [
      { ...defineBookQuery('FETCH_ONE', BY_ID), main_returnable: true },
      {
        mode: 'HTTPREQUEST',
        http: { url: '$ENV.REMOTE/later', method: 'POST', headers: {}, request_body: { title: '$PAYLOAD.title' } },
        run_in_background: true,
        queue: { delay: 0, priority: 5 },
        ...defineDependsOn(1, { title: 'title' }),
      },
    ],
    { returnables: ['id'] },
  ),
  defineLibraryResource('add-later', {
    ...defineBookQuery('INSERT', { parameters: ['id', 'title'] }),
    queue: { delay: 0, priority: 1 },
  }),
  defineLibraryResource('add-behind', defineBookQuery('INSERT', { parameters: ['id', 'title'] }), {
    run_in_background: true,
  }),
  defineLibraryResource(
    'paid',
    {
      ...defineBookQuery('INSERT', {
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
  defineLibraryResource('payments', {
    ...defineBookQuery('FETCH', { collection: 'payments', sort: { id: 1 } }),
    result: 'many',
    returnables: ['id', 'kind', 'all.amount'],
  }),
  // Caching.
  defineLibraryResource('cached', {
    ...defineBookQuery('COUNT', { filter_predicate: { status: 'cached' } }),
    cacheable: { read_from_cache: true, cache_key: 'cached-books', duration: 60 },
  }),
  defineLibraryResource('cached-add', {
    ...defineBookQuery('INSERT', { document: { id: '$PAYLOAD.id', title: 't', status: 'cached' } }),
    cacheable: { invalidate_cache_keys: ['cached-books'] },
  }),
  defineLibraryResource(
    'cached-add-silently',
    defineBookQuery('INSERT', { document: { id: '$PAYLOAD.id', title: 't', status: 'cached' } }),
  ),
  // Messages.
  defineLibraryResource('announce', {
    ...defineBookQuery('UPDATE', { ...BY_ID, update_predicate: { $set: { lent: false } } }),
    returnables: ['id', 'lent'],
    broadcast_websocket_message: { broadcast_type: 'ALL', action: 'returned' },
  }),
  // Pattern 8.
  defineLibraryResource(
    'finish',
    defineBookQuery('UPDATE', { ...BY_ID, update_predicate: { $set: { status: 'FULFILLED' } } }),
    {
      returnables: ['status'],
    },
  ),
  defineLibraryResource('cleanup', {
    ...defineBookQuery('DELETE', {
      filter_predicate: { status: 'FULFILLED', id: { $lt: '$1' } },
      parameters: [{ literal: 'zzz' }],
    }),
    cron_job: { execution_interval: '* * * * * *' },
  }),
];
