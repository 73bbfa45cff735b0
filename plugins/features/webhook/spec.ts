/** Spec of `webhook`: verifies requests of a third party before processing them. */
import { asText, type Json } from '../../../contract/json.js';
import type { ApiPart, ApiPlace } from '../../../contract/api.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { shape, slot } from '../../../contract/combinators.js';
import { readCompositionMode, listVerifiers } from './verifications.light.js';

export default definePlugin({
  kind: 'feature',
  name: 'webhook',
  since: '0.3.0',
  summary: 'Verifies the sender of requests, and rejects the others before their payload is used.',
  details:
    'Every listed verifier runs; `composition_strategy_mode` sets whether all of them must accept the request (`ALL`, ' +
    'the default) or one is enough (`ANY`). Every rejected request gets the same 401; the log has the reason at level ' +
    'debug. A resource that is also `protected` requires both. The whole payload is `$PAYLOAD`, headers are ' +
    '`$HEADER.<name>`. With a missing or blank secret the start fails.',
  facts: { applies: 'when-present', guards: true },
  requires: ['verifier:*', 'strategy:*', 'strategy:ALL'],
  slots: {
    resource: shape({
      webhook: shape({
        verifications: slot(['webhook.verifications'], {
          doc: 'The verifiers, and how they are combined.',
          form: '{"HmacSignatureVerifier": {"sig_header": "$HEADER.x-signature", "secret_key": "$ENV.WEBHOOK_SECRET"}}',
          examples: [
            { HmacSignatureVerifier: { sig_header: '$HEADER.x-hub-signature-256', secret_key: '$ENV.WEBHOOK_SECRET' } },
          ],
        }).required(),
      }).meta({ doc: 'How the sender of a request is verified.' }),
    }),
  },
  check,
  getCallerKey,
  openapi: describeApi,
  errors: {
    WHK_NONE: {
      severity: 'error',
      title: 'Nothing is verified',
      message:
        '`verifications` names no verifier; write one: `"HmacSignatureVerifier": { "sig_header": "$HEADER.x-signature", "secret_key": "$ENV.WEBHOOK_SECRET" }`.',
      help: 'Without a verifier any caller is accepted. For an open resource, remove `webhook`.',
    },
    WHK_REFUSED: {
      status: 401,
      title: 'Not verified',
      message: 'The request could not be verified.',
      help: 'The log has the reason at level debug.',
    },
  },
  examples: [
    {
      title: 'Signed, and from allowed addresses',
      json: {
        webhook: {
          verifications: {
            HmacSignatureVerifier: {
              sig_header: '$HEADER.x-hub-signature-256',
              secret_key: '$ENV.EXAMPLE_SECRET',
              algorithm: 'sha256',
            },
            IpAllowListVerifier: { allowed_ips: '$ENV.EXAMPLE_IPS' },
          },
        },
      },
    },
    {
      title: 'A signature or a token',
      json: {
        webhook: {
          verifications: {
            composition_strategy_mode: 'ANY',
            HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.EXAMPLE_SECRET' },
            HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.EXAMPLE_SECRET' },
          },
        },
      },
    },
  ],
  counterExamples: [
    {
      title: 'No verifier',
      json: { webhook: { verifications: {} } },
      code: 'WHK_NONE',
      at: '/webhook/verifications',
    },
    {
      title: 'Only the mode',
      json: { webhook: { verifications: { composition_strategy_mode: 'ANY' } } },
      code: 'WHK_NONE',
      at: '/webhook/verifications',
    },
    {
      title: 'Unknown verifier',
      json: { webhook: { verifications: { HmacVerifier: {} } } },
      code: 'DEF_UNKNOWN_KEY',
      at: '/webhook/verifications/HmacVerifier',
    },
    { title: 'An empty object', json: { webhook: {} }, code: 'DEF_REQUIRED', at: '/webhook' },
  ],
});

function check({ value }: CheckPlace): Finding[] {
  return listVerifiers(value['webhook']).length === 0 ? [{ code: 'WHK_NONE', at: '/webhook/verifications' }] : [];
}

/** Equal verifiers with equal settings and combination accept the same senders. */
function getCallerKey({ holder }: Parameters<NonNullable<PluginSpec['getCallerKey']>>[0]): string {
  const webhook = holder['webhook'];
  const asked = listVerifiers(webhook).map(([name, options]) => [name, sortEntries(options)]);
  return JSON.stringify([readCompositionMode(webhook), asked.sort(([a], [b]) => (asText(a) < asText(b) ? -1 : 1))]);
}

/** Each verifier documents its own requirements. */
function describeApi({ value: { webhook }, facts }: ApiPlace): ApiPart {
  const isEither = facts('strategy', readCompositionMode(webhook))?.enough === 'one';
  const several = listVerifiers(webhook).length > 1;
  return {
    ...(isEither && { either: ['webhook.verifications'] }),
    requestOnly: true,
    answers: { 'cache-control': '`no-store`.' },
    refuses: ['WHK_REFUSED'],
    ...(isEither && several && { notes: ['One of these proofs is enough.'] }),
  };
}

const sortEntries = (options: Readonly<Record<string, Json>>): Json[] =>
  Object.keys(options)
    .sort()
    .map((name) => [name, options[name] ?? null]);
