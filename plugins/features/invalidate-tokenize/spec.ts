/** Spec of `invalidate_tokenize`: revokes tokens before they expire. */
import { isObject, type Json } from '../../../contract/json.js';
import type { ApiField, ApiPart, ApiPlace } from '../../../contract/api.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { createListSchema, createObjectSchema } from '../../../contract/forms.js';
import { numeric, shape, value } from '../../../contract/combinators.js';
import { MAX_TOKENS } from './limits.light.js';
import { addingTokenize } from '../shared/tokenize-fix.light.js';

export default definePlugin({
  kind: 'feature',
  name: 'invalidate_tokenize',
  since: '0.3.0',
  summary: 'Revokes tokens: `protected` refuses them from then on, everywhere.',
  details:
    '`tokenize` beside it says how tokens are judged: only those that are good are revoked, whoever sends them, for who holds a ' +
    'token may end it; others are passed over. `Bearer` in front is no part of a token. A resource without `actionables` ' +
    'answers `{"invalidated": n}`; with them the tokens are revoked once the work is done, and the answer is theirs. A token is ' +
    "remembered by its `jti` until it ends, where the config's `cache` says: in Redis every process knows, in memory one " +
    'process, until it is started again. It is asked about at each request.',
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
          doc: 'Remembers tokens at least so long. They are remembered until they end in any case.',
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
      help: 'Tokens come with a request. What is written out in a definition is the same for every request.',
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
      title: 'A list',
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
      title: 'Written out',
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
  if (holder['tokenize'] === undefined) return [{ code: 'TOK_REVOKE', at: '/invalidate_tokenize', ...addingTokenize }];
  const tokens = isObject(written) ? written['tokens'] : undefined;
  if (tokens === undefined) return [];
  const entries = Array.isArray(tokens) ? (tokens as readonly Json[]) : [tokens];
  if (entries.length > 0 && entries.every(isAccessor)) return [];
  return [{ code: 'TOK_REVOKE_FORM', at: '/invalidate_tokenize/tokens' }];
}

/** The whole text must be one accessor, because a token is never part of a longer text. */
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
