/**
 * What the canary test drives: for each part of the product its definitions, its secrets, and requests that succeed, are
 * refused and fail. A new part adds an entry to FEATURES; every value it makes with `canary` is then looked for everywhere.
 */
import { randomBytes } from 'node:crypto';
import { returning } from './project.js';

export interface CanaryCall {
  readonly method?: string;
  readonly path: string;
  /** Text is sent as it stands. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the answer may hold, because the caller is to have it. */
  readonly gives?: readonly string[];
  /** Names a value of the answer for later calls, which write it as `{name}` in their headers. */
  readonly keeps?: { readonly name: string; readonly field: string };
}

export interface CanaryFeature {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sections of the config. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly definitions: readonly object[];
  readonly calls: readonly CanaryCall[];
}

const made = new Map<string, string>();
/** A value that occurs nowhere else; the same for the same name. Long enough for a key. */
export function canary(name: string): string {
  const known = made.get(name) ?? `Cny${name}${randomBytes(24).toString('hex')}`.slice(0, 48);
  made.set(name, known);
  return known;
}
/** Every canary there is, by name. */
export const canaries = (): ReadonlyMap<string, string> => made;

const statement = (query: string, parameters: readonly unknown[] = [], rest: object = {}): object => ({
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const door: CanaryFeature = {
  name: 'the door',
  definitions: [returning('echo', '$PAYLOAD'), returning('shop', '$PAYLOAD.shop', { resource: 'shops/:shop' })],
  calls: [
    { path: '/echo', body: { a: canary('echoed') }, status: 200, gives: ['echoed'] },
    { path: `/shops/${canary('parameter')}`, body: {}, status: 200, gives: ['parameter'] },
    { method: 'GET', path: `/echo?q=${canary('query')}`, status: 200, gives: ['query'] },
    { path: `/${canary('path')}/x?token=${canary('querytoken')}`, body: {}, status: 404 },
    { path: '/echo', body: `{"${canary('halfjson')}`, status: 400 },
    { path: '/echo', body: { constructor: canary('poison') }, status: 400 },
    { path: '/echo', body: `"${canary('notobject')}"`, status: 422 },
    { path: '/echo', body: canary('type'), headers: { 'content-type': `text/${canary('mediatype')}` }, status: 415 },
    { path: '/echo', body: {}, headers: { 'content-encoding': canary('encoding') }, status: 415 },
    { method: 'PUT', path: `/echo?x=${canary('verb')}`, status: 405 },
    { path: '/echo', body: { a: canary('large').repeat(30_000) }, status: 413 },
    { path: `/echo?${canary('url').repeat(200)}`, body: {}, status: 414 },
  ],
};

const rules: CanaryFeature = {
  name: 'rules',
  definitions: [
    resource('ruled', [
      {
        mode: 'RETURN',
        value: 1,
        payload_validation: [
          { field: { mail: { type: 'EMAIL' } } },
          { field: { name: { type: 'STRING', max_length: 5 } } },
          { field: { n: { type: 'NUMBER' } } },
        ],
      },
    ]),
    returning('header', { h: '$HEADER.x-needed' }),
  ],
  calls: [
    { path: '/ruled', body: { mail: canary('mail'), name: canary('longname'), n: canary('nonumber') }, status: 422 },
    { path: '/ruled', body: { [canary('fieldname')]: 1 }, status: 422 },
    { path: '/header', body: {}, headers: { 'x-needed': canary('header') }, status: 200, gives: ['header'] },
    { path: '/header', body: {}, headers: { 'x-other': canary('otherheader') }, status: 422 },
  ],
};

const sql: CanaryFeature = {
  name: 'statements',
  env: { SQL_SECRET: canary('envsql') },
  definitions: [
    { _thing: { id: { type: 'Number', primary_key: true }, code: { type: 'String', unique: true } } },
    resource('add', [statement('INSERT INTO things (id, code) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.code'])]),
    resource('secret', [statement('SELECT length($1::text) AS n', ['$ENV.SQL_SECRET'])]),
    resource('cast', [statement('SELECT $1::int AS n', ['$PAYLOAD.n'])]),
    resource('cast-env', [statement('SELECT $1::int AS n', ['$ENV.SQL_SECRET'])]),
    resource('say', [
      statement('SELECT query_to_xml($1::text, true, true, $2)::text AS x', ['$PAYLOAD.q', { literal: '' }]),
    ]),
    resource('lost', [
      statement('SELECT pg_terminate_backend(pg_backend_pid()) AS gone, $1::text AS x FOR UPDATE', ['$PAYLOAD.x']),
    ]),
    resource('chain', [
      statement('INSERT INTO things (id, code) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.code']),
      statement('SELECT $1::int AS n', ['$PAYLOAD.n']),
    ]),
  ],
  calls: [
    { path: '/add', body: { id: 1, code: canary('code') }, status: 200, gives: ['code'] },
    { path: '/add', body: { id: 2, code: canary('code') }, status: 409 },
    { path: '/add', body: { id: canary('idtext'), code: 'c' }, status: 422 },
    { path: '/add', body: { id: 3, code: `${canary('nul')}\u0000` }, status: 422 },
    { path: '/secret', body: {}, status: 200 },
    { path: '/cast', body: { n: canary('cast') }, status: 422 },
    { path: '/cast-env', body: {}, status: 422 },
    { path: '/say', body: { q: `SELECT '${canary('nowhere')}' FROM nowhere` }, status: 500 },
    { path: '/lost', body: { x: canary('lost') }, status: 503 },
    { path: '/chain', body: { id: 9, code: canary('rolledback'), n: canary('badnumber') }, status: 422 },
  ],
};

const PASSWORD = canary('password');
const tokens: CanaryFeature = {
  name: 'passwords and tokens',
  env: { JWT_KEY: canary('jwtkey'), PASETO_KEY: canary('pasetokey').slice(0, 32), SALT: canary('salt') },
  definitions: [
    { _person: { id: { type: 'Number', primary_key: true }, mail: { type: 'String' }, password: { type: 'String' } } },
    resource('join', [
      statement('INSERT INTO persons (id, mail, password) VALUES ($1, $2, $3)', ['id', 'mail', 'password'], {
        payload_validation: [
          { field: { id: { type: 'NUMBER' } } },
          { field: { mail: { type: 'STRING' } } },
          { field: { password: { type: 'STRING' } } },
        ],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4, salt: '$ENV.SALT' } }],
      }),
    ]),
    ...(
      [
        ['sign-in', { type: 'JWT', encryption_key: '$ENV.JWT_KEY' }],
        ['sign-in-paseto', { type: 'PASETO', encryption_key: '$ENV.PASETO_KEY' }],
      ] as const
    ).map(([id, tokenize]) =>
      resource(
        id,
        [
          statement('SELECT id, mail, password FROM persons WHERE id = $1', ['$PAYLOAD.id'], {
            verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
          }),
        ],
        { tokenize: { ...tokenize, custom_claim_fields: ['id', 'mail'] } },
      ),
    ),
    resource('guarded', [{ mode: 'RETURN', value: { mine: true, mail: '$PROTECTED.mail' } }], {
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_KEY' },
      protected: { extract_claims: ['mail'] },
    }),
    resource('guarded-paseto', [{ mode: 'RETURN', value: 1 }], {
      tokenize: { type: 'PASETO', encryption_key: '$ENV.PASETO_KEY' },
      protected: { provide_as: 'x-key' },
    }),
  ],
  calls: [
    { path: '/join', body: { id: 1, mail: canary('claim'), password: PASSWORD }, status: 200, gives: ['claim'] },
    { path: '/join', body: { id: 2, mail: 'm', password: canary('longpassword').repeat(2) }, status: 422 },
    { path: '/sign-in', body: { id: 1, password: canary('wrongpassword') }, status: 401 },
    {
      path: '/sign-in',
      body: { id: 1, password: PASSWORD },
      status: 200,
      gives: ['claim'],
      keeps: { name: 'jwt', field: 'token' },
    },
    {
      path: '/sign-in-paseto',
      body: { id: 1, password: PASSWORD },
      status: 200,
      gives: ['claim'],
      keeps: { name: 'paseto', field: 'token' },
    },
    { path: '/guarded', body: {}, headers: bearer('{jwt}'), status: 200, gives: ['claim'] },
    { path: '/guarded', body: {}, headers: bearer('{jwt}x'), status: 401 },
    { path: '/guarded', body: {}, headers: bearer('{paseto}'), status: 401 },
    { path: '/guarded', body: {}, headers: bearer(canary('token')), status: 401 },
    { path: '/guarded', body: {}, headers: { authorization: `Basic ${canary('basic')}` }, status: 401 },
    { path: '/guarded', body: {}, headers: { cookie: `sid=${canary('cookie')}` }, status: 401 },
    { path: '/guarded-paseto', body: {}, headers: { 'x-key': '{paseto}' }, status: 200 },
    { path: '/guarded-paseto', body: {}, headers: { 'x-key': canary('pasetotoken') }, status: 401 },
  ],
};

const behind: CanaryFeature = {
  name: 'work behind the answer, and messages',
  config: { websocket: { enabled: true } },
  definitions: [
    resource(
      'join-later',
      [
        statement('INSERT INTO persons (id, mail, password) VALUES ($1, $2, $3)', ['id', 'mail', 'password'], {
          payload_validation: [
            { field: { id: { type: 'NUMBER' } } },
            { field: { mail: { type: 'STRING' } } },
            { field: { password: { type: 'STRING' } } },
          ],
          hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4, salt: '$ENV.SALT' } }],
          broadcast_websocket_message: { broadcast_type: 'ALL', action: 'joined' },
        }),
      ],
      { run_in_background: true },
    ),
    // Never succeeds: what is left of it is dead.
    resource('dead', [statement('SELECT $1::int AS n', ['$PAYLOAD.n'])], { queue: { retries: 0 } }),
    resource('who', [{ mode: 'RETURN', value: { mail: '$PROTECTED.mail', n: '$PAYLOAD.n' } }], {
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_KEY' },
      protected: { extract_claims: ['mail'] },
      queue: {},
    }),
  ],
  calls: [
    {
      path: '/dead',
      body: { n: canary('deadpayload'), other: canary('notread') },
      headers: { ...bearer(canary('jobtoken')), 'x-other': canary('jobheader') },
      status: 202,
    },
    { path: '/who', body: { n: 1, other: canary('unread') }, headers: bearer('{jwt}'), status: 202 },
  ],
};
/** Comes when clients are there to be told. */
export const JOIN_LATER: CanaryCall = {
  path: '/join-later',
  body: { id: 7, mail: canary('joinedmail'), password: canary('laterpassword') },
  status: 202,
};

export const FEATURES: readonly CanaryFeature[] = [door, rules, sql, tokens, behind];
