/** Spec of `JwtVerifier`: a JWT in a header, signed by the sender with a shared secret. */
import type { ApiPart, ApiPlace } from '../../../contract/api.js';
import { asText } from '../../../contract/json.js';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import {
  checkSecret,
  createHeaderField,
  createFieldMistakes,
  secretField,
  describeHeaderScheme,
  verifierErrors,
} from '../shared/fields.light.js';
import { TOK_KEY } from '../../tokens/shared/keys.light.js';
import { demandedFields } from '../../tokens/shared/audience.light.js';

export default definePlugin({
  kind: 'verifier',
  name: 'JwtVerifier',
  since: '0.3.0',
  summary: 'The header contains a JWT of the sender.',
  details:
    'The algorithm is that of the definition, never that of the token. `exp` is required; `exp`, `nbf` and `iat` are ' +
    'checked with a tolerance of 30 seconds. `Authorization` contains `Bearer <TOKEN>`; another header contains the ' +
    'token, with or without `Bearer`. `issuer` and `audience` select the tokens of the sender that are for this ' +
    'resource. The body is not signed.',
  requires: ['token:JWT'],
  schema: shape(
    {
      header_key: createHeaderField('Header with the token.', '$HEADER.authorization'),
      secret_key: secretField,
      issuer: demandedFields.issuer,
      audience: demandedFields.audience,
      algorithm: text({ doc: 'How the token is signed.', default: 'HS256', examples: ['HS512'] }).oneOf([
        'HS256',
        'HS384',
        'HS512',
      ]),
    },
    { mistaken: createFieldMistakes('header_key', 'sig_header') },
  ),
  check: checkSecret,
  openapi: describeApi,
  errors: { ...verifierErrors, TOK_KEY },
  examples: [
    {
      title: 'HS512, as bearer',
      json: { header_key: '$HEADER.authorization', secret_key: '$ENV.EXAMPLE_KEY', algorithm: 'HS512' },
    },
    {
      title: 'With issuer and audience',
      json: {
        header_key: '$HEADER.x-jwt',
        secret_key: '$ENV.EXAMPLE_KEY',
        issuer: 'https://billing.example.com/',
        audience: 'shop',
      },
    },
    { title: 'In another header', json: { header_key: '$HEADER.x-jwt', secret_key: '$ENV.EXAMPLE_KEY' } },
  ],
  counterExamples: [
    {
      title: 'No signature at all',
      json: { header_key: '$HEADER.authorization', secret_key: '$ENV.EXAMPLE_KEY', algorithm: 'none' },
      code: 'DEF_VALUE',
      at: '/algorithm',
    },
    {
      title: 'A blank secret',
      json: { header_key: '$HEADER.authorization', secret_key: ' ' },
      code: 'WHK_SETTING',
      at: '/secret_key',
    },
  ],
});

function describeApi(place: ApiPlace): ApiPart {
  const { header_key: header, algorithm = 'HS256' } = place.value;
  const what = `A JWT (${asText(algorithm)}) of the sender, with \`exp\`.`;
  if (asText(header).toLowerCase() !== '$header.authorization') return describeHeaderScheme(place, 'header_key', what);
  const scheme = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: what };
  return { security: [{ name: 'sender', scheme }] };
}
