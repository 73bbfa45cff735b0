/**
 * A project with encrypted fields: every algorithm in every encoding, lists, nested values, users, and values that must
 * be rejected.
 */
import { KEY } from './tokens.js';

export const ENV = {
  KEY_32: 'canary-field-key-Qm7xT2vLs9Rw4Zk',
  OTHER_32: 'hex:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  KEY_16: 'canary-Hb4nZq8Vt',
  TOKEN_KEY: KEY,
};
export const SORTS = {
  Aes256Gcm: '$ENV.KEY_32',
  ChaCha20Poly1305: '$ENV.KEY_32',
  XChaCha20Poly1305: '$ENV.KEY_32',
  XSalsa20Poly1305: '$ENV.KEY_32',
  Ascon128a: '$ENV.KEY_16',
} as const;
export const FORMS = {
  Base64: /^[A-Za-z0-9+/]+={0,2}$/,
  Base64Url: /^[A-Za-z0-9_-]+$/,
  Hex: /^[0-9a-f]+$/,
  Base32: /^[A-Z2-7]+={0,6}$/,
  Base58: /^[1-9A-HJ-NP-Za-km-z]+$/,
} as const;
type Algorithm = keyof typeof SORTS;

const defineCipher = (
  operation: string,
  properties: string[],
  options: object = {},
  algorithm: Algorithm = 'Aes256Gcm',
) => ({
  operation,
  properties,
  algorithm,
  options: { key: SORTS[algorithm], ...options },
});
const INSERT = 'INSERT INTO vaults (name, secret, more) VALUES ($1, $2, $3) RETURNING id';
const defineInsertResource = (id: string, ciphers: object[], rest: object = {}, action: object = {}): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      ciphers,
      sql_query: { query: INSERT, parameters: ['name', 'secret', 'more'] },
      ...action,
    },
  ],
  returnables: ['id'],
  ...rest,
});
const defineReadResource = (id: string, ciphers: object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      ciphers,
      sql_query: { query: 'SELECT id, name, secret, more FROM vaults WHERE id = $1', parameters: ['$PAYLOAD.id'] },
    },
  ],
  returnables: ['id', 'name', 'secret', 'more'],
  ...rest,
});
const guarded = { tokenize: { type: 'JWT', encryption_key: '$ENV.TOKEN_KEY' }, protected: { extract_claims: ['id'] } };

/** A value encrypted inside a column is named itself. */
const DEEP = ['id', 'secret', 'more', 'more.cards.number', 'more.address', 'more.cards.pins.code'];
const deep = { returnables: DEEP };

export const sorts = Object.keys(SORTS) as Algorithm[];
export const forms = Object.keys(FORMS) as (keyof typeof FORMS)[];
const defineInsertAndRead = (id: string, algorithm: Algorithm, options: object, rest: object = {}): object[] => [
  defineInsertResource(`add-${id}`, [defineCipher('Encrypt', ['secret'], options, algorithm)], rest),
  defineReadResource(`get-${id}`, [defineCipher('Decrypt', ['secret'], options, algorithm)], rest),
];

export const FILES = {
  'definitions/_vault.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    name: { type: 'String', optional: true },
    secret: { type: 'String', optional: true },
    more: { type: 'JSON_OBJECT', optional: true },
  },
  'definitions/resources.json': [
    ...sorts.flatMap((sort) =>
      forms.flatMap((form) => defineInsertAndRead(`${sort}-${form}`, sort, { encoding: form })),
    ),
    ...defineInsertAndRead('bound', 'XChaCha20Poly1305', { aad: 'vault of $PROTECTED.id' }, guarded),
    ...defineInsertAndRead('bound-salsa', 'XSalsa20Poly1305', { aad: '$PROTECTED.id' }, guarded),
    ...defineInsertAndRead('tagged', 'ChaCha20Poly1305', { aad: '$PAYLOAD.tag' }),
    defineReadResource('get-other-key', [defineCipher('Decrypt', ['secret'], { key: '$ENV.OTHER_32' })]),
    defineReadResource('get-other-aad', [defineCipher('Decrypt', ['secret'], { aad: 'x' })]),
    defineReadResource('raw', [], { returnables: ['name', ...DEEP] }),
    {
      ...defineReadResource('unnamed', [defineCipher('Decrypt', ['secret'])]),
      returnables: undefined,
    },
    {
      id: 'tamper',
      resource: 'tamper',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: {
            query: 'UPDATE vaults SET secret = $2 WHERE id = $1',
            parameters: ['$PAYLOAD.id', '$PAYLOAD.text'],
          },
        },
      ],
    },
    defineInsertResource('add-deep', [
      defineCipher('Encrypt', ['more.cards.number', 'more.address']),
      defineCipher('Encrypt', ['more.cards.pins.code'], {}, 'Ascon128a'),
      defineCipher('Encrypt', ['secret'], { encoding: 'Base58' }, 'XSalsa20Poly1305'),
    ]),
    defineReadResource(
      'get-deep',
      [
        defineCipher('Decrypt', ['more.cards.number', 'more.address']),
        defineCipher('Decrypt', ['more.cards.pins.code'], {}, 'Ascon128a'),
        defineCipher('Decrypt', ['secret'], { encoding: 'Base58' }, 'XSalsa20Poly1305'),
      ],
      deep,
    ),
    defineInsertResource(
      'add-many',
      [defineCipher('Encrypt', ['secret'])],
      {},
      {
        sql_query: { query: INSERT, parameters: ['name', 'secret', 'more'], multi: true },
      },
    ),
    defineInsertResource(
      'add-items',
      [defineCipher('Encrypt', ['secret'])],
      {},
      {
        payload_validation: [{ field: { items: { type: 'ARRAY' } } }],
        sql_query: { query: INSERT, parameters: ['name', 'secret', 'more'], multi: 'items' },
      },
    ),
    {
      id: 'list',
      resource: 'list',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ciphers: [defineCipher('Decrypt', ['secret'])],
          sql_query: { query: 'SELECT id, secret FROM vaults WHERE name = $1 ORDER BY id', parameters: ['name'] },
          result: 'many',
        },
      ],
      returnables: ['id', 'secret'],
    },
    {
      id: 'list-beside',
      resource: 'list-beside',
      parallel: true,
      actionables: [1, 2].map((id) => ({
        id,
        mode: 'QUERY',
        ciphers: [defineCipher('Decrypt', ['secret'])],
        sql_query: {
          query: `SELECT secret AS secret FROM vaults WHERE name = $1 ORDER BY id`,
          parameters: ['name'],
        },
        result: 'many',
      })),
      returnables: ['secret'],
    },
    {
      id: 'copy',
      resource: 'copy',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ciphers: [defineCipher('Decrypt', ['secret'])],
          sql_query: { query: 'SELECT name, secret, more FROM vaults WHERE id = $1', parameters: ['$PAYLOAD.id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            {
              resource_id: 'self',
              action_ids: [1],
              extract_response_for: [
                { extract: 'secret', for: 'secret' },
                { extract: 'name', for: 'name' },
              ],
            },
          ],
          ciphers: [defineCipher('Encrypt', ['secret'], { encoding: 'Hex' }, 'ChaCha20Poly1305')],
          sql_query: {
            query: 'INSERT INTO vaults (name, secret) VALUES ($1, $2) RETURNING id',
            parameters: ['name', 'secret'],
          },
          main_returnable: true,
        },
      ],
      returnables: ['id'],
    },
    defineInsertResource(
      'add-optional',
      [defineCipher('Encrypt', ['secret'], {})],
      {},
      {
        payload_validation: [
          {
            field: {
              name: { type: 'STRING' },
              more: { type: 'OBJECT', optional: true },
              secret: { type: 'STRING', optional: true },
            },
          },
        ],
      },
    ),
    {
      id: 'copy-items',
      resource: 'copy-items',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ciphers: [defineCipher('Decrypt', ['secret'])],
          sql_query: { query: 'SELECT name, secret FROM vaults WHERE name = $1', parameters: ['$PAYLOAD.name'] },
          result: 'many',
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            {
              resource_id: 'self',
              action_ids: [1],
              extract_response_for: [{ extract: 'self_', for: 'found' }],
            },
          ],
          ciphers: [defineCipher('Encrypt', ['secret'])],
          sql_query: {
            query: 'INSERT INTO vaults (name, secret) VALUES ($1, $2) RETURNING id',
            parameters: ['name', 'secret'],
            multi: 'found',
          },
        },
      ],
      returnables: ['id'],
    },
    defineInsertResource(
      'add-hash',
      [defineCipher('Encrypt', ['secret'])],
      {},
      { hashables: [{ property: 'secret', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }] },
    ),
    {
      id: 'verify-hash',
      resource: 'verify-hash',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ciphers: [defineCipher('Decrypt', ['secret'])],
          verify_hashables: [{ property: 'secret', algorithm: 'BCRYPT' }],
          sql_query: { query: 'SELECT id, secret FROM vaults WHERE id = $1', parameters: ['$PAYLOAD.id'] },
        },
      ],
      returnables: ['id'],
    },
    {
      id: 'rows',
      resource: 'rows',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: {
            query: 'INSERT INTO vaults (name, secret) SELECT $1, $2 FROM generate_series(1, $3::int)',
            parameters: ['name', 'secret', '$PAYLOAD.n'],
          },
        },
      ],
    },
  ],
};
