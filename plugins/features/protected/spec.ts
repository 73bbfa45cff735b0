/** Spec of `protected`: only callers with a valid token. */
import type { ApiPart, ApiPlace } from '../../../contract/api.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import {
  definePlugin,
  type CheckPlace,
  type CredentialMismatch,
  type Finding,
  type IssuedCredentials,
} from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { HEADER_NAME } from '../../../language/strings/header.js';
import { list, shape, text } from '../../../contract/combinators.js';
import { addTokenizeFix } from '../shared/tokenize-fix.light.js';
import {
  ACCESS,
  canAcceptIssued,
  resolveRequirements,
  demandedFields,
  describeRequirements,
  listSigningSettings,
} from '../../tokens/shared/audience.light.js';

const HEADER = { say: 'the header with the token is `"provide_as"`', rename: 'provide_as' };
const CLAIMS = { say: 'claims to read are listed in `"extract_claims"`', rename: 'extract_claims' };

export default definePlugin({
  kind: 'feature',
  name: 'protected',
  since: '0.2.0',
  summary: 'Rejects callers without a valid token, before the payload is read.',
  details:
    '`tokenize` next to it sets how tokens are validated. `Authorization` contains `Bearer <TOKEN>`; another header ' +
    'contains the token, with or without `Bearer`. Only the claims in `extract_claims` are readable, as ' +
    '`$PROTECTED.<claim>`. The `aud` of a token must be the `audience` of this guard, or belong to its key if none is ' +
    'written. `issuer`, `audience` and `purpose` are taken from `tokenize` next to it, unless they are written here; ' +
    'a token with another purpose is rejected. For tokens of another system, write its key, `issuer` and `audience`. ' +
    'Every invalid token gets the same 401; the log has the reason at level debug.',
  facts: { applies: 'when-present', guards: true, identifies: true },
  // A pattern, so that `invalidate_tokenize` is used but not loaded because of this plugin.
  requires: ['token:*', 'feature:invalidate_*'],
  slots: {
    resource: shape({
      protected: shape({
        provide_as: text({
          doc: 'Header that carries the token.',
          complete: { source: 'header-name' },
          default: 'Authorization',
          examples: ['x-access-token'],
        }).matches(HEADER_NAME),
        ...demandedFields,
        extract_claims: list(
          text({ doc: 'Name of a claim, or a dotted path.', declares: 'claim', examples: ['id'] })
            .required()
            .matches(/^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/),
          { doc: 'Claims that `$PROTECTED` may read.', examples: [['id', 'email']] },
        ),
      }).meta({
        doc: 'Requires a token.',
        examples: [{ extract_claims: ['id'] }],
        mistaken: { header: HEADER, header_key: HEADER, token_header: HEADER, claims: CLAIMS },
        short: { boolean: '{}' },
      }),
    }),
  },
  check,
  getCallerKey,
  getRealm,
  accepts: isTokenAccepted,
  findMismatch,
  openapi: describeApi,
  errors: {
    TOK_NO_SETTINGS: {
      severity: 'error',
      title: 'Missing `tokenize`',
      message:
        '`protected` needs `tokenize` next to it: `"tokenize": { "type": "JWT", "encryption_key": "$ENV.JWT_SECRET_KEY" }`.',
      help: 'Write the type, algorithm and key of the tokens.',
    },
    TOK_REFUSED: {
      status: 401,
      title: 'Not authenticated',
      message: 'A valid token is required.',
      help: 'Send the token in the header that the endpoint names. The log has the reason at level debug.',
    },
  },
  examples: [
    {
      title: 'Bearer token, one claim',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { extract_claims: ['id'] },
      },
    },
    {
      title: 'Only tokens for setting a new password',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { extract_claims: ['id'], purpose: 'password-reset' },
      },
    },
    {
      title: 'Tokens of another system, with its issuer and audience',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: {
          extract_claims: ['sub'],
          issuer: 'https://login.example.com/',
          audience: 'https://api.example.com',
        },
      },
    },
    {
      title: 'A header of your own',
      json: {
        tokenize: { type: 'PASETO', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { provide_as: 'x-access-token' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'An audience that is not a name',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { audience: true },
      },
      code: 'DEF_TYPE',
      at: '/protected/audience',
    },
    { title: 'No `tokenize`', json: { protected: {} }, code: 'TOK_NO_SETTINGS', at: '/protected' },
    {
      title: 'Not a valid header name',
      json: {
        tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
        protected: { provide_as: 'access token' },
      },
      code: 'DEF_FORMAT',
      at: '/protected/provide_as',
    },
  ],
});

/**
 * Tokens of one format, key, audience and purpose are valid for every resource with these, regardless of the header.
 */
function getCallerKey({ value, holder, facts }: Parameters<NonNullable<PluginSpec['getCallerKey']>>[0]): string {
  const settings = isObject(holder['tokenize']) ? holder['tokenize'] : {};
  const demanded = describeRequirements(resolveRequirements(value['protected'], settings));
  const by = listSigningSettings(settings, facts);
  return JSON.stringify(demanded === null ? by : [...by, demanded]);
}

/** Messages go to holders of access tokens only. */
function getRealm(place: Parameters<NonNullable<PluginSpec['getRealm']>>[0]) {
  const { protected: written, ...value } = place.value;
  const { purpose } = resolveRequirements(written, place.holder['tokenize']);
  const access = { ...value, protected: { ...(isObject(written) && written), purpose: ACCESS } };
  return { realm: getCallerKey({ ...place, value: access }), reached: purpose === ACCESS };
}

function isTokenAccepted(
  { value, holder, facts }: Parameters<NonNullable<PluginSpec['getCallerKey']>>[0],
  { marks }: IssuedCredentials,
) {
  const settings = holder['tokenize'];
  const isSameKey =
    JSON.stringify(listSigningSettings(settings, facts)) === JSON.stringify(listSigningSettings(marks, facts));
  return isSameKey && canAcceptIssued(resolveRequirements(value['protected'], settings), marks);
}

/** Without a key in common, credentials are not comparable. */
function findMismatch(
  { value, holder, facts }: Parameters<NonNullable<PluginSpec['getCallerKey']>>[0],
  { marks }: IssuedCredentials,
): CredentialMismatch | null {
  const [guard, settings] = [value['protected'], holder['tokenize']].map((one) => (isObject(one) ? one : {}));
  const demanded = resolveRequirements(guard, settings);
  const [own, made] = [settings, marks].map((one) => listSigningSettings(one, facts));
  const createMismatch = (field: string, names: readonly string[], issued: Json | undefined): CredentialMismatch => {
    const holders = ['protected', 'tokenize'].filter((_, i) => [guard, settings][i]?.[field] !== undefined);
    return {
      field,
      at: holders[0] === undefined ? null : `/${holders[0]}/${field}`,
      issuedAt: `/tokenize/${field}`,
      demanded: names,
      issued: issued === undefined ? null : asText(issued),
    };
  };
  if (JSON.stringify(own?.[2]) !== JSON.stringify(made?.[2])) return null;
  for (const [i, field] of ['type', 'algorithm'].entries())
    if (own?.[i] !== made?.[i]) return createMismatch(field, [asText(own?.[i] ?? null)], made?.[i] ?? undefined);
  if (canAcceptIssued(demanded, marks) !== false) return null;
  const { purpose = ACCESS, audience, issuer } = marks;
  const { issuers, audiences } = demanded;
  if (issuers !== null && !issuers.includes(asText(issuer ?? null))) return createMismatch('issuer', issuers, issuer);
  if (purpose !== demanded.purpose) return createMismatch('purpose', [demanded.purpose], purpose);
  return createMismatch('audience', audiences ?? [], audience);
}

function describeApi({ value, holder, used }: ApiPlace): ApiPart {
  const written = isObject(value['protected']) ? value['protected'] : {};
  const header = asText(written['provide_as'] ?? 'Authorization');
  const format = asText(isObject(holder['tokenize']) ? holder['tokenize']['type'] : '');
  const { purpose } = resolveRequirements(written, holder['tokenize']);
  const isBearer = header.toLowerCase() === 'authorization';
  const asked = isBearer ? { headers: { 'www-authenticate': '`Bearer`.' } } : {};
  return {
    repeatable: true,
    security: [
      isBearer
        ? { name: format || 'bearer', scheme: { type: 'http', scheme: 'bearer', bearerFormat: format } }
        : {
            name: header,
            scheme: {
              type: 'apiKey',
              in: 'header',
              name: header,
              description: `The token (${format}), with or without \`Bearer\`.`,
            },
          },
    ],
    ...(purpose !== ACCESS && { notes: [`Takes only tokens for the purpose \`${purpose}\`.`] }),
    answers: { 'cache-control': '`no-store`.' },
    // Where tokens can be revoked, the store is queried.
    refuses: [{ code: 'TOK_REFUSED', ...asked }, ...(used('feature:invalidate_tokenize') ? ['CCH_AWAY'] : [])],
  };
}

function check({ holder }: CheckPlace): Finding[] {
  return holder['tokenize'] === undefined ? [{ code: 'TOK_NO_SETTINGS', at: '/protected', ...addTokenizeFix }] : [];
}
