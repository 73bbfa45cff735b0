/** How many requests a caller may send within a window. */
import { isObject, type Json } from '../../../contract/json.js';
import type { ApiPart, ApiPlace } from '../../../contract/api.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { numeric, shape, value } from '../../../contract/combinators.js';

const ADDRESS = '$HEADER.ip';
const LIMIT = { say: 'the number of allowed requests is `"limit"`', rename: 'limit' };
const WINDOW = { say: 'the length of a window, in seconds, is `"expires_after"`', rename: 'expires_after' };
const IDENTIFIER = { say: 'the counted value is `"identifier"`, an accessor', rename: 'identifier' };

export default definePlugin({
  kind: 'feature',
  name: 'rate_limit',
  since: '0.3.0',
  summary: 'Rejects requests of a caller that sent too many, with 429 and `Retry-After`.',
  details:
    'Requests are counted in windows: the first request starts a window of `expires_after` seconds, and each value of ' +
    '`identifier` has its own window. Limits by address or header are checked before the token, limits by claims ' +
    'after it, and limits by payload after the payload is read, before its rules. Every request counts, also one that ' +
    'is rejected later. Responses have the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and ' +
    '`X-RateLimit-Reset` (seconds until the window ends). Counters are stored in the `cache` of the config: with ' +
    'Redis all processes count together. A value that the caller can choose freely (a header, a payload field) does ' +
    'not limit a caller who changes it. Of an IPv6 address (`$HEADER.ip`) only the first 64 bits count, because one ' +
    'client usually has the whole network. Values of callers (payload, headers) are compared without regard to case, ' +
    'blanks, accents, Unicode forms, a dot at the end of an address, and `5` and `5.0` are equal. A request that ' +
    'reaches actionables of this resource by `depends_on` of another resource is counted here too, once. Jobs are ' +
    'counted when they are accepted; scheduled runs have no caller and are not counted.',
  facts: { applies: 'when-present', validates: true, holds: 'requests' },
  // `$HEADER.ip` is the default, without being mentioned.
  requires: ['cache:*', 'accessor:HEADER'],
  slots: {
    resource: shape({
      rate_limit: shape({
        limit: numeric({ doc: 'Maximum number of requests in a window.', unit: 'requests', examples: [10] })
          .required()
          .integer()
          .min(1)
          .max(1_000_000_000),
        identifier: value(null, {
          doc: 'What identifies the caller: an accessor, or a list of accessors, of which each combination is counted. A request without the value is rejected with 422.',
          roots: ['HEADER', 'PROTECTED', 'PAYLOAD'],
          default: ADDRESS,
          examples: ['$PROTECTED.id'],
        }),
        expires_after: numeric({ doc: 'Length of a window.', unit: 'seconds', examples: [60] })
          .required()
          .integer()
          .min(1)
          .max(31_536_000),
      }).meta({
        doc: 'Limits the number of requests of a caller.',
        form: '{"limit": 10, "identifier": "$HEADER.ip", "expires_after": 60}',
        mistaken: {
          max: LIMIT,
          max_requests: LIMIT,
          requests: LIMIT,
          count: LIMIT,
          points: LIMIT,
          window: WINDOW,
          window_ms: 'the length of a window, in seconds, is `"expires_after"`',
          duration: WINDOW,
          interval: WINDOW,
          per: WINDOW,
          period: WINDOW,
          ttl: WINDOW,
          seconds: WINDOW,
          key: IDENTIFIER,
          by: IDENTIFIER,
          id: IDENTIFIER,
        },
      }),
    }),
  },
  check,
  openapi: describeApi,
  errors: {
    LIM_IDENTIFIER: {
      severity: 'error',
      title: 'No caller identifier',
      message: '`identifier` must be an accessor, such as "$HEADER.ip" or "$PROTECTED.id", or a list of them.',
      help: 'With a constant value, all callers share one limit.',
    },
    LIM_EXCEEDED: {
      status: 429,
      title: 'Too many requests',
      message: 'Too many requests; try again in {seconds} s.',
      help: 'Wait for the seconds in `Retry-After`.',
    },
    LIM_UNIDENTIFIED: {
      status: 422,
      title: 'Identifier missing',
      message: 'The request lacks the identifier of the rate limit.',
      help: 'The endpoint counts requests by a value that is empty here. Send it.',
    },
  },
  examples: [
    {
      title: 'Ten a minute for each address',
      json: { rate_limit: { limit: 10, identifier: '$HEADER.ip', expires_after: 60 } },
    },
    {
      title: 'A hundred an hour for each user',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { extract_claims: ['id'] },
        rate_limit: { limit: 100, identifier: '$PROTECTED.id', expires_after: 3600 },
      },
    },
    {
      title: 'Five attempts for each address and account',
      json: { rate_limit: { limit: 5, identifier: ['$HEADER.ip', '$PAYLOAD.email'], expires_after: 300 } },
    },
  ],
  counterExamples: [
    { title: 'A number instead of an object', json: { rate_limit: 10 }, code: 'DEF_TYPE', at: '/rate_limit' },
    {
      title: 'A limit of zero',
      json: { rate_limit: { limit: 0, expires_after: 60 } },
      code: 'DEF_RANGE',
      at: '/rate_limit/limit',
    },
    { title: 'No window', json: { rate_limit: { limit: 10 } }, code: 'DEF_REQUIRED', at: '/rate_limit' },
    {
      title: 'Text instead of an accessor',
      json: { rate_limit: { limit: 10, identifier: 'ip', expires_after: 60 } },
      code: 'LIM_IDENTIFIER',
      at: '/rate_limit/identifier',
    },
    {
      title: 'A different value in every request',
      json: { rate_limit: { limit: 10, identifier: '$GENERATOR.ULID', expires_after: 60 } },
      code: 'ACC_NOT_HERE',
      at: '/rate_limit/identifier',
    },
  ],
});

const isAccessor = (json: Json): boolean => typeof json === 'string' && listAccessors(json).length > 0;

function check({ value: { rate_limit: written } }: CheckPlace): Finding[] {
  const identifier = isObject(written) ? written['identifier'] : undefined;
  if (identifier === undefined) return [];
  const entries = Array.isArray(identifier) ? (identifier as readonly Json[]) : [identifier];
  if (entries.length > 0 && entries.every(isAccessor)) return [];
  return [{ code: 'LIM_IDENTIFIER', at: '/rate_limit/identifier' }];
}

const COUNTED = {
  'x-ratelimit-limit': 'Maximum number of requests in a window.',
  'x-ratelimit-remaining': 'Requests that are left in this window.',
  'x-ratelimit-reset': 'Seconds until the window ends.',
};

/** Only the client address is always known. */
function describeApi({ value: { rate_limit: written } }: ApiPlace): ApiPart {
  const { identifier = ADDRESS, limit, expires_after: seconds } = isObject(written) ? written : {};
  const entries = Array.isArray(identifier) ? (identifier as readonly Json[]) : [identifier];
  const refuses = [
    { code: 'LIM_EXCEEDED', headers: { 'retry-after': 'Seconds to wait.', ...COUNTED } },
    ...(entries.every((entry) => entry === ADDRESS) ? [] : ['LIM_UNIDENTIFIED']),
  ];
  const notes = [`At most ${Number(limit)} requests in ${Number(seconds)} seconds.`];
  return { answers: COUNTED, refuses, notes, repeatable: true };
}
