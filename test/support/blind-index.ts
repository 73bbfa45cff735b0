/** Definitions of encrypted columns that are unique and found by their values, for tests on several databases. */
import type { Loose } from './client.js';

export const ENV = { KEY: 'canary-field-key-Qm7xT2vLs9Rw4Zk', BLIND_INDEX_KEY: 'canary-index-key-Wp3nB8cYf6Hd1Jq5' };
export const defineCipher = (operation: string, ...properties: string[]): object => ({
  operation,
  properties,
  algorithm: 'Aes256Gcm',
  options: { key: '$ENV.KEY' },
});
export const ENCRYPT = { ciphers: [defineCipher('Encrypt', 'email')] };
export const query = (text: string, parameters: unknown[], rest: object = {}, each: object = {}): object => ({
  ...{ id: 1, mode: 'QUERY', ...rest },
  sql_query: { query: text, parameters, ...each },
});
export const RULES = {
  payload_validation: [{ field: { email: { type: 'STRING', canonical: 'email', optional: true } } }],
};
export const defineIndexedResource = (id: string, ...actionables: object[]): Loose => ({
  id,
  resource: id,
  actionables,
});
export const read = (id: string, text: string, parameters: unknown[], rest: object = {}): Loose => ({
  ...defineIndexedResource(
    id,
    query(text, parameters, { result: 'many', ciphers: [defineCipher('Decrypt', 'email')], ...rest }),
  ),
  returnables: ['id', 'email'],
});
export const INSERT = 'INSERT INTO people (id, email) VALUES ($1, $2)';

export const MODELS = [
  {
    _people: {
      id: { type: 'String', primary_key: true, max_length: 40 },
      email: { type: 'String', unique: true, blind_index: true, optional: true },
      phone: { type: 'String', blind_index: true, optional: true },
    },
  },
  { _note: { id: { type: 'String', primary_key: true, max_length: 40 }, email: { type: 'String', optional: true } } },
];
export const SERVED: readonly Loose[] = [
  { ...defineIndexedResource('add', query(INSERT, ['id', 'email'], { ...ENCRYPT, ...RULES })), returnables: ['id'] },
  defineIndexedResource(
    'add-two',
    query('INSERT INTO people (id, email, phone) VALUES ($1, $2, $3)', ['id', 'email', '$PAYLOAD.phone'], {
      ciphers: [defineCipher('Encrypt', 'email', 'phone')],
    }),
  ),
  defineIndexedResource('row', query(INSERT, ['id', 'email'], ENCRYPT)),
  defineIndexedResource('many', query(INSERT, ['id', 'email'], ENCRYPT, { multi: true })),
  defineIndexedResource('stamped', query(INSERT, ['id', 'email'], ENCRYPT, { with_timestamps: true })),
  defineIndexedResource(
    'upsert',
    query(
      'INSERT INTO people (id, email) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email',
      ['id', 'email'],
      ENCRYPT,
    ),
  ),
  defineIndexedResource('once', query(`${INSERT} ON CONFLICT (email) DO NOTHING`, ['id', 'email'], ENCRYPT)),
  defineIndexedResource('change', query('UPDATE people SET email = $1 WHERE id = $2', ['email', 'id'], ENCRYPT)),
  defineIndexedResource(
    'patch',
    query('UPDATE people SET email = COALESCE($1, email) WHERE id = $2', ['email', 'id'], {
      ciphers: [defineCipher('Encrypt', 'email')],
      payload_validation: [{ field: { email: { type: 'STRING', optional: true }, id: { type: 'STRING' } } }],
    }),
  ),
  defineIndexedResource('drop', query('DELETE FROM people WHERE email = $1', ['email'])),
  read('find', 'SELECT id, email FROM people WHERE email = $1', ['email'], RULES),
  read('find-alias', 'SELECT p.id, p.email FROM people p WHERE $1 = p.email', ['$PAYLOAD.email']),
  read('find-cast', 'SELECT id, email FROM people WHERE id <> $2 AND email = $1::text', ['email', 'id']),
  read('find-in', 'SELECT id, email FROM people WHERE email IN ($1, $2) ORDER BY id', ['email', 'other']),
  read('find-any', 'SELECT id, email FROM people WHERE email = ANY($1) ORDER BY id', ['emails']),
  read('find-none', 'SELECT id, email FROM people WHERE email IS NULL ORDER BY id', []),
  read('find-phone', 'SELECT id, email FROM people WHERE phone = $1', ['phone']),
  read('find-sub', 'SELECT id, email FROM people WHERE id IN (SELECT id FROM people WHERE email = $1)', ['email']),
  read(
    'find-join',
    'SELECT p.id, p.email FROM people p LEFT JOIN notes n ON n.email = p.id WHERE p.email = $1 AND n.email IS NULL',
    ['email'],
  ),
  defineIndexedResource('star', query('SELECT * FROM people ORDER BY id', [], { result: 'many' })),
  {
    ...defineIndexedResource('named', query('SELECT * FROM people ORDER BY id', [], { result: 'many' })),
    returnables: ['id', 'email__blind'],
  },
  {
    ...defineIndexedResource(
      'sealed-first',
      query('SELECT count(*) AS n FROM people WHERE email = $1', ['email'], { id: 2, ...ENCRYPT }),
    ),
    returnables: ['n'],
  },
  defineIndexedResource(
    'hashed',
    query(INSERT, ['id', 'email'], {
      hashables: [{ property: 'email', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
    }),
  ),
];
export const FILES = { 'definitions/a.json': [...MODELS, ...SERVED] };
