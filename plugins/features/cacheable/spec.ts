/** Spec of `cacheable`: caches results and invalidates them by name. */
import { isObject } from '../../../contract/json.js';
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { flag, list, numeric, shape, value } from '../../../contract/combinators.js';
import { cacheErrors } from '../../caches/shared/errors.light.js';
import { checkCache } from './check.light.js';

const ROOTS = ['PAYLOAD', 'PROTECTED', 'HEADER', 'ENV'];
const TIME = { say: 'how long an entry lives is `"duration"`, in seconds', rename: 'duration' };
const KEY = { say: 'the name of the entry is `"cache_key"`', rename: 'cache_key' };
const REMOVED = { say: 'entries to remove are listed in `"invalidate_cache_keys"`', rename: 'invalidate_cache_keys' };

const cacheable = shape(
  {
    read_from_cache: flag({
      doc: 'Gives what is stored, and stores what had to be computed. Guards and rules come first, every time.',
      default: false,
    }),
    cache_key: value(string().required().max(500), {
      doc:
        'Name of what is stored, by which others can remove it. What the answer depends on need not stand in it. Without a ' +
        'name it is the id of the resource, or `id#1` for its actionable 1.',
      examples: ['notes of $PROTECTED.id', 'countries'],
      roots: ROOTS,
    }),
    duration: numeric({ doc: 'How long it is given, at most.', unit: 'seconds', examples: [60] })
      .min(0.1)
      .max(31_536_000),
    invalidate_cache_keys: list(
      value(string().required().max(500), {
        doc: 'A name as the other definition writes it; only the accessors may differ.',
        afterwards: true,
        examples: ['notes of $PROTECTED.id'],
        roots: ROOTS,
      }).required(),
      { doc: 'Names whose entries are removed once the work is committed.', examples: [['notes of $PROTECTED.id']] },
    ).min(1),
  },
  {
    mistaken: {
      ttl: TIME,
      expire: TIME,
      expires: TIME,
      expires_in: TIME,
      lifetime: TIME,
      timeout: TIME,
      cache_duration: TIME,
      expiration: TIME,
      expires_after: TIME,
      max_age: TIME,
      seconds: TIME,
      key: KEY,
      name: KEY,
      invalidate: REMOVED,
      invalidates: REMOVED,
      invalidate_keys: REMOVED,
      keys: REMOVED,
      enabled: { say: 'reading what is stored is `"read_from_cache": true`', rename: 'read_from_cache' },
      read: { say: 'reading what is stored is `"read_from_cache": true`', rename: 'read_from_cache' },
      use_cache: { say: 'reading what is stored is `"read_from_cache": true`', rename: 'read_from_cache' },
    },
    form: '{"read_from_cache": true, "cache_key": "notes of $PROTECTED.id", "duration": 60}',
  },
);

export default definePlugin({
  kind: 'feature',
  name: 'cacheable',
  since: '0.3.0',
  summary: 'Gives what was computed before, for a while, and removes it when something changes.',
  details: [
    'A **name** (`cache_key`) holds any number of entries. Which of them is meant is told by everything that the definition reads',
    'of a request: fields of the payload with their types, claims, headers, values of other actionables. Two callers share an',
    'entry only when nothing that the definition reads tells them apart; nobody has to write the caller into the name. Removing a',
    'name removes all of its entries, in every process that shares the store.',
    '',
    'In names, constant words and values are kept apart: no value can look like another name. The same words around equal values',
    'are the same name in every definition, wherever the value comes from: `user $PAYLOAD.id` and `user $PROTECTED.id`. `5` and',
    '`"5"` are equal here. A name whose accessor has no value refuses the request.',
    '',
    'On a resource the answer is kept as it left, and given again after the guards and rules, without a query. On an actionable',
    'its result is kept before it is shaped, without secret fields; such an actionable stands outside the transaction of its',
    'neighbours. Refusals and failures are never kept. Of requests for the same entry at the same time one computes, the others',
    'wait for it, also those of other processes on the same store: for 10 seconds at most, or until the one that computes failed.',
    'A request that comes after the answer of one that removes a name is never given what was computed before, by any process.',
    'Entries belong to the definitions they were made with: any change of a definition begins with none. When the store is away,',
    'everything is computed; removals are made up for when it is back.',
  ].join('\n'),
  facts: { applies: 'when-present' },
  requires: ['cache:*'],
  slots: {
    resource: shape({ cacheable: cacheable.meta({ doc: 'Keeps the answer of the resource.' }) }),
    actionable: shape({ cacheable: cacheable.meta({ doc: 'Keeps the result of the actionable.' }) }),
  },
  check: checkCache,
  transactionEffect: ({ value, slot }) => {
    const written = value['cacheable'];
    return slot === 'actionable' && isObject(written) && written['read_from_cache'] === true ? 'apart' : null;
  },
  // An unavailable store slows requests down but rejects none.
  openapi: () => ({ refuses: [], never: ['CCH_AWAY'] }),
  errors: {
    ...cacheErrors,
    CCH_NO_DURATION: {
      severity: 'error',
      title: 'Duration missing',
      message: '"duration" is missing: the seconds for which a result is cached.',
      help: 'Write `"duration": 60`. Entries expire after that time.',
    },
    CCH_TOKEN: {
      severity: 'error',
      title: 'Token from a cache',
      message: 'The response contains a token, so other callers with the same cache key would receive it.',
      help: 'Put `cacheable` on the actionable that reads. Where `tokenize` is only to judge tokens, leave out `custom_claim_fields`.',
    },
    CCH_REVOKES: {
      severity: 'error',
      title: 'Token not revoked',
      message: 'This resource revokes tokens, but a response from the cache revokes none.',
      help: 'Remove `read_from_cache`, or revoke tokens in a separate resource.',
    },
    CCH_WRITES: {
      severity: 'warning',
      title: 'Side effect skipped by the cache',
      message: 'Actionable {id} writes or sends something, which a response from the cache skips.',
      help: 'Put `cacheable` on an actionable that only reads. List the keys that a write makes stale in `invalidate_cache_keys`.',
    },
    CCH_CLEAR: {
      severity: 'warning',
      title: 'Decrypted values in the cache',
      message: 'The values that actionable {id} decrypts are cached in clear text.',
      help: 'Anyone with access to the store can read them. Do not cache such results, or protect the store like the keys.',
    },
    CCH_SPLITS: {
      severity: 'warning',
      title: 'Transaction split by a cached result',
      message:
        'A cached result is outside the transaction: writes before it are committed separately, even if a later step fails.',
      help: 'Put the cached actionable before the first or after the last write.',
    },
    CCH_NOT_READ: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'Nothing is cached',
      message: '"{field}" has no effect without `"read_from_cache": true`.',
      help: 'Write `"read_from_cache": true` beside it, or remove it.',
    },
    CCH_NOTHING: {
      severity: 'warning',
      title: 'Nothing is cached',
      message: '`cacheable` neither caches nor invalidates anything.',
      help: 'Write `"read_from_cache": true` with a `duration`, or list names in `invalidate_cache_keys`.',
    },
  },
  examples: [
    {
      title: 'Kept for a minute, under a name',
      json: { cacheable: { read_from_cache: true, cache_key: 'people', duration: 60 } },
    },
    {
      title: 'Each answer by itself, without a name',
      json: {
        payload_validation: [{ field: { id: { type: 'NUMBER' } } }],
        mode: 'RETURN',
        value: { id: '$PAYLOAD.id' },
        cacheable: { read_from_cache: true, duration: 5 },
      },
    },
    { title: 'What is no longer true is removed', json: { cacheable: { invalidate_cache_keys: ['people'] } } },
  ],
  counterExamples: [
    {
      title: 'For how long?',
      json: { cacheable: { read_from_cache: true, cache_key: 'people' } },
      code: 'CCH_NO_DURATION',
      at: '/cacheable/read_from_cache',
    },
    {
      title: 'A word of another system',
      json: { cacheable: { read_from_cache: true, ttl: 60 } },
      code: 'DEF_INVENTED',
      at: '/cacheable/ttl',
    },
    {
      title: 'A name that never comes again',
      json: { cacheable: { read_from_cache: true, cache_key: 'people $GENERATOR.ULID', duration: 60 } },
      code: 'ACC_NOT_HERE',
      at: '/cacheable/cache_key',
    },
    {
      title: 'Nothing is read',
      json: { cacheable: { cache_key: 'people', duration: 60 } },
      code: 'CCH_NOT_READ',
      at: '/cacheable/cache_key',
    },
  ],
});
