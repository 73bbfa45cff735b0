/** Settings that prevent the start and that only a plugin's own code can reject, for a resource with one model. */
import { defineQueryResource, defineReturnResource } from './project.js';

export interface Setting {
  readonly what: string;
  readonly code: string;
  readonly resource?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: object;
  /** The start ends earlier without a server. */
  readonly away?: string;
}

const webhook = (verifications: object): object => ({ ...defineReturnResource('one', 1), webhook: { verifications } });
const token = (tokenize: object): object => ({
  ...defineReturnResource('one', { id: 1 }),
  tokenize: { encryption_key: '$ENV.SETTING', ...tokenize },
  protected: { extract_claims: ['id'] },
});
const action = (rest: object): object => ({ id: 'one', resource: 'one', actionables: [{ id: 1, ...rest }] });
export const BAD_PEM = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
const SIGNED = { header_key: '$HEADER.x-signature', public_key_pem: '$ENV.SETTING' };

export const SETTINGS: readonly Setting[] = [
  {
    what: 'a public key of a webhook',
    code: 'WHK_SETTING',
    resource: webhook({ PublicKeySignatureVerifier: SIGNED }),
    env: { SETTING: BAD_PEM },
  },
  {
    what: 'addresses of a webhook',
    code: 'WHK_SETTING',
    resource: webhook({ IpAllowListVerifier: { allowed_ips: '$ENV.SETTING' } }),
    env: { SETTING: '10.0.0.1/33' },
  },
  {
    what: 'a key pair of tokens',
    code: 'TOK_KEY',
    resource: token({ type: 'JWT', algorithm: 'RS256' }),
    env: { SETTING: BAD_PEM },
  },
  {
    what: 'a key of encrypted tokens',
    code: 'TOK_KEY',
    resource: token({ type: 'PASETO' }),
    env: { SETTING: 'hex:zz' },
  },
  {
    what: 'a key of a field',
    code: 'CPH_KEY',
    resource: {
      ...defineQueryResource('one', 'SELECT $1::text AS x', ['$PAYLOAD.x']),
      actionables: [
        {
          ...{
            id: 1,
            mode: 'QUERY',
            sql_query: { query: 'INSERT INTO _secret (id, x) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', 'x'] },
          },
          payload_validation: [{ field: { x: { type: 'STRING' } } }],
          ciphers: [
            { algorithm: 'Aes256Gcm', operation: 'Encrypt', properties: ['x'], options: { key: '$ENV.SETTING' } },
          ],
        },
      ],
    },
    env: { SETTING: 'hex:00112233445566778899aabbccddee' },
  },
  {
    what: 'an address of a call',
    code: 'OUT_URL',
    resource: action({ mode: 'HTTPREQUEST', http: { url: '$ENV.SETTING/x', method: 'POST' } }),
    env: { SETTING: 'ftp://nowhere' },
  },
  {
    what: 'a statement without a form on MySQL',
    code: 'QRY_NOT_TRANSLATED',
    resource: defineQueryResource('one', 'SELECT x::inet AS x FROM _secret', []),
    config: { connections: { main: { use: 'mysql', url: '$ENV.SETTING' } } },
    env: { SETTING: 'mysql://127.0.0.1:1/none' },
    away: 'PLG_OPEN',
  },
  {
    what: 'an address of the config',
    code: 'CCH_ADDRESS',
    config: { cache: { use: 'redis', url: '$ENV.SETTING' } },
    resource: {
      ...defineReturnResource('one', 1),
      cacheable: { read_from_cache: true, cache_key: 'one', duration: 60 },
    },
    env: { SETTING: 'nonsense' },
  },
];

export const MODEL = { _secret: { id: { type: 'String', primary_key: true }, x: { type: 'String', optional: true } } };
