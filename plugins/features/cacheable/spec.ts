/** Spec of `cacheable`: caches results and invalidates them by name. */
import { isObject } from '../../../contract/json.js';
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { flag, list, numeric, shape, value } from '../../../contract/combinators.js';
import { cacheErrors } from '../../caches/shared/errors.light.js';
import { checkCache } from './check.light.js';

const ROOTS = ['PAYLOAD', 'PROTECTED', 'HEADER', 'ENV'];
const TIME = { say: 'the lifetime of an entry is `"duration"`, in seconds', rename: 'duration' };
const KEY = { say: 'the name of the entry is `"cache_key"`', rename: 'cache_key' };
const REMOVED = { say: 'entries to remove are listed in `"invalidate_cache_keys"`', rename: 'invalidate_cache_keys' };

const cacheable = shape(
  {
    read_from_cache: flag({
      doc: 'Returns the cached result, or computes and caches it. Guards and rules always run first.',
      default: false,
    }),
    cache_key: value(string().required().max(500), {
      doc:
        'Name of the cached entries, by which other definitions remove them. It need not contain what the result depends on. Without a ' +
        'name it is the id of the resource, or `id#1` for its actionable 1.',
      examples: ['notes of $PROTECTED.id', 'countries'],
      declares: 'cache-key',
      roots: ROOTS,
    }),
    duration: numeric({ doc: 'How long an entry is valid.', unit: 'seconds', examples: [60] })
      .min(0.1)
      .max(31_536_000),
    invalidate_cache_keys: list(
      value(string().required().max(500), {
        doc: 'A name as the other definition writes it. Only the accessors may differ.',
        afterwards: true,
        examples: ['notes of $PROTECTED.id'],
        refers: { symbol: 'cache-key' },
        roots: ROOTS,
      }).required(),
      { doc: 'Names whose entries are removed after the commit.', examples: [['notes of $PROTECTED.id']] },
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
      enabled: { say: 'cached results are returned with `"read_from_cache": true`', rename: 'read_from_cache' },
      read: { say: 'cached results are returned with `"read_from_cache": true`', rename: 'read_from_cache' },
      use_cache: { say: 'cached results are returned with `"read_from_cache": true`', rename: 'read_from_cache' },
    },
    form: '{"read_from_cache": true, "cache_key": "notes of $PROTECTED.id", "duration": 60}',
  },
);

export default definePlugin({
  kind: 'feature',
  name: 'cacheable',
  since: '0.3.0',
  summary: 'Caches results for a time, and removes them when data changes.',
  details: [
    'A **name** (`cache_key`) has any number of entries. The entry is selected by everything that the definition',
    'reads of a request: fields of the payload with their types, claims, headers, values of other actionables. Two',
    'callers share an entry only if all values that the definition reads are equal, so the name need not contain the',
    'caller. Removing a name removes all of its entries, in every process that shares the store.',
    '',
    'In names, constant text and values are separate: a value cannot imitate another name. The same constant text',
    'with equal values is the same name in every definition, wherever a value comes from: `user $PAYLOAD.id` and',
    '`user $PROTECTED.id`. `5` and `"5"` are equal here. If an accessor in a name has no value, the request is',
    'rejected.',
    '',
    'On a resource, the response is cached as it was sent, and returned after the guards and rules without a query.',
    'On an actionable, the result is cached before it is shaped, without secret fields; such an actionable runs',
    'outside the transaction of adjacent ones. Errors are never cached. If several requests need the same entry at',
    'the same time, one computes it and the others wait, also in other processes on the same store: at most 10',
    'seconds, or until that request fails. A request that arrives after the response of a removal never gets an older',
    'entry, in any process. Entries belong to the definitions that created them: after any change of a definition,',
    'the cache starts empty. If the store is unavailable, every result is computed, and removals are repeated when it',
    'is available again.',
  ].join('\n'),
  facts: { applies: 'when-present' },
  requires: ['cache:*'],
  slots: {
    resource: shape({ cacheable: cacheable.meta({ doc: 'Caches the response of the resource.' }) }),
    actionable: shape({ cacheable: cacheable.meta({ doc: 'Caches the result of the actionable.' }) }),
  },
  check: checkCache,
  transactionEffect: ({ value, slot }) => {
    const written = value['cacheable'];
    return slot === 'actionable' && isObject(written) && written['read_from_cache'] === true ? 'apart' : null;
  },
  // An unavailable store slows requests down but rejects none.
  openapi: () => ({ repeatable: true, refuses: [], never: ['CCH_AWAY'] }),
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
      help: 'Put `cacheable` on the actionable that reads. If `tokenize` is only for validating tokens, leave out `custom_claim_fields`.',
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
    CCH_WRITTEN: {
      severity: 'warning',
      title: 'Cached value written',
      message: 'Actionable {id} writes with values of this result, which may be outdated.',
      help: 'Read what decides a write without a cache.',
    },
    CCH_NOT_READ: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'Nothing is cached',
      message: '"{field}" has no effect without `"read_from_cache": true`.',
      help: 'Write `"read_from_cache": true` next to it, or remove it.',
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
      title: 'Cached for a minute, with a name',
      json: { cacheable: { read_from_cache: true, cache_key: 'people', duration: 60 } },
    },
    {
      title: 'Each response on its own, without a name',
      json: {
        payload_validation: [{ field: { id: { type: 'NUMBER' } } }],
        mode: 'RETURN',
        value: { id: '$PAYLOAD.id' },
        cacheable: { read_from_cache: true, duration: 5 },
      },
    },
    { title: 'Removing stale entries', json: { cacheable: { invalidate_cache_keys: ['people'] } } },
  ],
  counterExamples: [
    {
      title: 'No duration',
      json: { cacheable: { read_from_cache: true, cache_key: 'people' } },
      code: 'CCH_NO_DURATION',
      at: '/cacheable/read_from_cache',
    },
    {
      title: 'A field of another system',
      json: { cacheable: { read_from_cache: true, ttl: 60 } },
      code: 'DEF_INVENTED',
      at: '/cacheable/ttl',
    },
    {
      title: 'A name that is different each time',
      json: { cacheable: { read_from_cache: true, cache_key: 'people $GENERATOR.ULID', duration: 60 } },
      code: 'ACC_NOT_HERE',
      at: '/cacheable/cache_key',
    },
    {
      title: 'A name without reading',
      json: { cacheable: { cache_key: 'people', duration: 60 } },
      code: 'CCH_NOT_READ',
      at: '/cacheable/cache_key',
    },
  ],
});
