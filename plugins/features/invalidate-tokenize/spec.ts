/** Spec of `invalidate_tokenize`: revokes tokens before they expire. */
import { isObject, type Json } from '../../../contract/json.js';
import type { ApiField, ApiPart, ApiPlace } from '../../../contract/api.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { createListSchema, createObjectSchema } from '../../../contract/forms.js';
import { numeric, shape, value } from '../../../contract/combinators.js';
import { MAX_TOKENS } from './limits.light.js';
import { addTokenizeFix } from '../shared/tokenize-fix.light.js';

export default definePlugin({
  kind: 'feature',
  name: 'invalidate_tokenize',
  since: '0.3.0',
  summary: 'Revokes tokens: `protected` rejects them from then on, in every process that shares the cache.',
  details:
    '`tokenize` next to it sets how tokens are validated. Only valid tokens are revoked, whatever caller sends them, ' +
    'because the holder of a token may revoke it; other tokens are ignored. A prefix `Bearer` is ignored. A resource ' +
    'without `actionables` returns `{"invalidated": n}`; with them, the tokens are revoked after the work, and the ' +
    'response is that of the actionables. The `jti` of a token is stored in the `cache` of the config until the token ' +
    'expires: with Redis for every process, in memory for one process until it restarts. It is looked up in each ' +
    'request.',
  facts: { applies: 'when-present', instead: ['actionables'] },
  requires: ['token:*', 'cache:*'],
  slots: {
    resource: shape({
      invalidate_tokenize: shape({
        tokens: value(null, {
          afterwards: true,
          doc: 'The tokens: an accessor to one or to a list of them, or a list of accessors. At most 1,000.',
          roots: ['HEADER', 'PAYLOAD'],
          examples: ['$HEADER.authorization'],
        }).required(),
        expires_after: numeric({
          doc: 'Minimum time for which revocations are stored. They are always stored until the tokens expire.',
          unit: 'seconds',
          examples: [86_400],
        })
          .integer()
          .min(1)
          .max(3_153_600_000),
      }).meta({ doc: 'Revokes tokens.', form: '{"tokens": "$HEADER.authorization"}' }),
    }),
  },
  check,
  openapi: describeApi,
  errors: {
    TOK_REVOKE: {
      severity: 'error',
      title: 'Missing `tokenize`',
      message:
        '`invalidate_tokenize` needs `tokenize` next to it: `"tokenize": { "type": "JWT", "encryption_key": "$ENV.JWT_SECRET_KEY" }`.',
      help: 'Write the type, algorithm and key of the tokens. Without them any caller could fill the store.',
    },
    TOK_REVOKE_FORM: {
      severity: 'error',
      title: 'No tokens',
      message: '`tokens` must be an accessor, such as "$HEADER.authorization", or a list of accessors.',
      help: 'Use an accessor. A constant token would be the same in every request.',
    },
    TOK_NOT_TOKENS: {
      status: 422,
      title: 'No tokens',
      message: 'A token, or a list of at most {max} tokens, is expected.',
      help: 'Send tokens as text.',
    },
  },
  examples: [
    {
      title: 'Signing out',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: {},
        invalidate_tokenize: { tokens: '$HEADER.authorization' },
      },
    },
    {
      title: 'Several tokens',
      json: {
        tokenize: { type: 'PASETO', encryption_key: '$ENV.EXAMPLE_KEY' },
        invalidate_tokenize: { tokens: '$PAYLOAD.tokens', expires_after: 86_400 },
      },
    },
  ],
  counterExamples: [
    {
      title: 'No `tokenize`',
      json: { invalidate_tokenize: { tokens: '$HEADER.authorization' } },
      code: 'TOK_REVOKE',
      at: '/invalidate_tokenize',
    },
    {
      title: 'A constant token',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        invalidate_tokenize: { tokens: 'authorization' },
      },
      code: 'TOK_REVOKE_FORM',
      at: '/invalidate_tokenize/tokens',
    },
  ],
});

function check({ value: { invalidate_tokenize: written }, holder }: CheckPlace): Finding[] {
  if (holder['tokenize'] === undefined) return [{ code: 'TOK_REVOKE', at: '/invalidate_tokenize', ...addTokenizeFix }];
  const tokens = isObject(written) ? written['tokens'] : undefined;
  if (tokens === undefined) return [];
  const entries = Array.isArray(tokens) ? (tokens as readonly Json[]) : [tokens];
  if (entries.length > 0 && entries.every(isAccessor)) return [];
  return [{ code: 'TOK_REVOKE_FORM', at: '/invalidate_tokenize/tokens' }];
}

/** The whole text must be one accessor: a token is no part of a text. */
function isAccessor(json: Json): boolean {
  if (typeof json !== 'string') return false;
  const [only] = listAccessors(json);
  return only?.start === 0 && only.end === json.length;
}

const TOKEN = { type: 'string' };
const TOKENS: ApiField = {
  schema: { anyOf: [TOKEN, createListSchema(TOKEN, { maxItems: MAX_TOKENS })] },
  required: true,
};

/** Documents only tokens at the top level of the payload. */
function describeApi({ value: { invalidate_tokenize: written }, isMade }: ApiPlace): ApiPart {
  const tokens = isObject(written) ? written['tokens'] : undefined;
  const entries = Array.isArray(tokens) ? (tokens as readonly Json[]) : [tokens ?? null];
  const names = entries.flatMap((entry) => {
    const [only] = typeof entry === 'string' ? listAccessors(entry) : [];
    return only?.root === 'PAYLOAD' && only.tail.length === 1 ? only.tail.filter((name) => !isMade(name)) : [];
  });
  return {
    fields: Object.fromEntries(names.map((name) => [name, TOKENS])),
    answers: { 'cache-control': '`no-store`.' },
    refuses: ['TOK_NOT_TOKENS'],
    instead: createObjectSchema({ invalidated: { type: 'integer', minimum: 0 } }),
  };
}
