/** Encrypts fields before the actionable and decrypts those of its result. */
import { definePlugin } from '../../../contract/plugin.js';
import { list, pluginName, shape, text, value } from '../../../contract/combinators.js';
import { describeCiphersApi } from './api.light.js';
import { check } from './check.light.js';
import { errors } from './errors.light.js';

const OPERATION = { say: 'the operation is `"operation": "Encrypt"` or `"Decrypt"`', rename: 'operation' };
const KEY = { say: 'the key is `"key": "$ENV.<NAME>"`', rename: 'key' };
const AAD = { say: 'the additional data is `"aad"`', rename: 'aad' };
const ENCODING = { say: 'the text form is `"encoding"`, such as `"Base64"`', rename: 'encoding' };

const OPTION = { key: 'the key is `"options": {"key": "$ENV.<NAME>"}`' };

export default definePlugin({
  kind: 'feature',
  name: 'ciphers',
  since: '0.3.0',
  summary: 'Encrypts fields before this actionable uses them, decrypts fields of its result.',
  details:
    '`Encrypt` applies to the payload (and to names that other actionables define), after the rules: this actionable ' +
    'and later ones see the ciphertext. `Decrypt` applies to the result of this actionable, in a list to each row, ' +
    'before any other feature reads it. Any JSON value is restored as it was; a missing or null value stays so. If ' +
    'the body is a list, or the statement is repeated for the items of one, the field of each item is encrypted. A ' +
    'ciphertext is different each time, so it can be neither searched nor unique, unless the field of the model has ' +
    '`blind_index`. It is bound to its algorithm and to `aad`, and can be decrypted in any column or row with the ' +
    'same ones: put into `aad` what the value belongs to. Encrypted and decrypted fields are never returned unless ' +
    '`returnables` names them. At most 1,000 values of a request are encrypted, and 10,000 values of a result ' +
    'decrypted.',
  facts: { applies: 'when-present' },
  requires: ['cipher:*', 'encoding:*', 'encoding:Base64'],
  slots: {
    actionable: shape({
      ciphers: list(
        shape({
          operation: text({
            doc: 'The operation.',
            enumDocs: {
              Encrypt: 'The fields of the payload are encrypted before the actionable uses them.',
              Decrypt: 'The fields of its result are decrypted.',
            },
          })
            .required()
            .oneOf(['Encrypt', 'Decrypt']),
          properties: list(
            text({
              doc: 'A field, or a dotted path. A path through a list means each of its items.',
              declares: 'secret',
              refers: { symbol: 'payload-field', named: true, when: { field: 'operation', is: 'Encrypt' } },
              complete: { source: 'value' },
              examples: ['email', 'cards.number'],
            })
              .required()
              .matches(/^(?!\$)[^.[\]*]+(\.[^.[\]*]+)*$/),
            {
              doc: 'The fields. A list or an object at the end of a path is encrypted whole.',
              itemLabel: 'a property',
            },
          )
            .required()
            .min(1),
          options: shape({
            key: value(text({ doc: 'The key itself.' }).required(), {
              doc: 'The key: text with exactly the number of bytes that the algorithm needs, or `hex:` or `base64:` and the bytes. Keep it in the environment.',
              roots: ['ENV'],
              secret: true,
              examples: ['$ENV.FIELD_KEY'],
            }).required(),
            nonce: value(text({ doc: 'The nonce itself.' }), {
              doc: 'A fixed nonce, for tests only: the config must have `"testing": true`. Two values with the same nonce reveal each other.',
              roots: ['ENV'],
              advanced: true,
              examples: ['hex:000102030405060708090a0b'],
            }),
            aad: value(text({ doc: 'Text.' }), {
              doc: 'Additional data: a value can be decrypted only with the same text. `hex:` and `base64:` are decoded if the text has no accessor.',
              examples: ['customer.email of $PROTECTED.id'],
            }),
            encoding: pluginName('encoding', {
              doc: 'The text form of the ciphertext.',
              default: 'Base64',
              examples: ['Base64Url'],
            }),
          })
            .meta({
              doc: 'The key and its options.',
              form: '{"key": "$ENV.<NAME>"}',
              mistaken: {
                secret: KEY,
                secret_key: KEY,
                encryption_key: KEY,
                password: KEY,
                passphrase: KEY,
                iv: 'a nonce is made anew for each value; leave it out',
                additional_data: AAD,
                associated_data: AAD,
                context: AAD,
                format: ENCODING,
                output: ENCODING,
              },
            })
            .required(),
        }).meta({
          doc: 'Fields, and how they are encrypted or decrypted.',
          parts: ['ciphers.item'],
          mistaken: {
            property: { say: 'fields are listed in `"properties": ["email"]`', rename: 'properties' },
            fields: { say: 'fields are listed in `"properties": ["email"]`', rename: 'properties' },
            op: OPERATION,
            action: OPERATION,
            type: OPERATION,
            mode: OPERATION,
            ...OPTION,
            encryption_key: OPTION.key,
            nonce: 'a nonce belongs into `options`, and is made anew for each value without one',
            aad: 'additional data is `"options": {"key": "...", "aad": "..."}`',
            encoding: 'the text form is `"options": {"key": "...", "encoding": "Base64"}`',
          },
        }),
        { doc: 'Fields that are encrypted or decrypted.', itemLabel: 'an entry of "ciphers"' },
      ),
    }),
  },
  check,
  openapi: describeCiphersApi,
  errors,
  examples: [
    {
      title: 'Bound to the caller',
      json: {
        payload_validation: [{ field: { email: { type: 'EMAIL' } } }],
        ciphers: [
          {
            operation: 'Encrypt',
            properties: ['email'],
            algorithm: 'XChaCha20Poly1305',
            options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email' },
          },
        ],
      },
    },
    {
      title: 'Two algorithms for two fields',
      json: {
        payload_validation: [{ field: { email: { type: 'EMAIL' }, note: { type: 'STRING', max_length: 500 } } }],
        ciphers: [
          {
            operation: 'Encrypt',
            properties: ['email'],
            algorithm: 'Aes256Gcm',
            options: { key: '$ENV.EXAMPLE_KEY', encoding: 'Base64Url' },
          },
          {
            operation: 'Encrypt',
            properties: ['note'],
            algorithm: 'ChaCha20Poly1305',
            options: { key: '$ENV.EXAMPLE_KEY', encoding: 'Hex' },
          },
        ],
      },
    },
    {
      title: 'Decrypted in each row',
      json: {
        mode: 'QUERY',
        sql_query: { query: 'SELECT NULL::text AS email' },
        ciphers: [
          {
            operation: 'Decrypt',
            properties: ['email'],
            algorithm: 'XChaCha20Poly1305',
            options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email' },
          },
        ],
      },
    },
  ],
  counterExamples: [
    {
      title: 'No algorithm',
      json: { ciphers: [{ operation: 'Encrypt', properties: ['email'], options: { key: '$ENV.EXAMPLE_KEY' } }] },
      code: 'DEF_REQUIRED',
      at: '/ciphers/0',
    },
    {
      title: 'Another operation',
      json: {
        ciphers: [
          { operation: 'Hide', properties: ['a'], algorithm: 'Aes256Gcm', options: { key: '$ENV.EXAMPLE_KEY' } },
        ],
      },
      code: 'DEF_VALUE',
      at: '/ciphers/0/operation',
    },
    {
      title: 'A key of the caller',
      json: {
        ciphers: [
          { operation: 'Decrypt', properties: ['a'], algorithm: 'Aes256Gcm', options: { key: '$PAYLOAD.key' } },
        ],
      },
      code: 'ACC_NOT_HERE',
      at: '/ciphers/0/options/key',
    },
    {
      title: 'Encrypted twice',
      json: {
        ciphers: [
          {
            operation: 'Encrypt',
            properties: ['email', 'email'],
            algorithm: 'Aes256Gcm',
            options: { key: '$ENV.EXAMPLE_KEY' },
          },
        ],
      },
      code: 'CPH_TWICE',
      at: '/ciphers/0/properties/1',
    },
    {
      title: 'A prefix before a value from the request',
      json: {
        ciphers: [
          {
            operation: 'Encrypt',
            properties: ['email'],
            algorithm: 'Aes256Gcm',
            options: { key: '$ENV.EXAMPLE_KEY', aad: 'hex:$PAYLOAD.id' },
          },
        ],
      },
      code: 'CPH_AAD',
      at: '/ciphers/0/options/aad',
    },
    {
      title: 'Misspelt',
      json: {
        payload_validation: [{ field: { email: { type: 'EMAIL' } } }],
        ciphers: [
          {
            operation: 'Encrypt',
            properties: ['emial'],
            algorithm: 'Aes256Gcm',
            options: { key: '$ENV.EXAMPLE_KEY' },
          },
        ],
      },
      code: 'LNK_NO_VALUE',
      at: '/ciphers/0/properties/0',
    },
  ],
});
