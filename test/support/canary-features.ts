/**
 * Cases of the canary test: for each part of the product its definitions, its secrets, and requests that succeed, are
 * rejected and fail. A new part adds an entry to FEATURES; every value created with `canary` is then searched for
 * everywhere.
 */
import { randomBytes } from 'node:crypto';
import { defineReturnResource } from './project.js';

export interface CanaryCall {
  readonly method?: string;
  readonly path: string;
  /** Text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the response may contain, because it belongs to the caller. */
  readonly gives?: readonly string[];
  /** Names a value of the response for later calls, which write it as `{name}` in their headers. */
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
export function getCanary(name: string): string {
  const known = made.get(name) ?? `Cny${name}${randomBytes(24).toString('hex')}`.slice(0, 48);
  made.set(name, known);
  return known;
}
/** Every canary there is, by name. */
export const getCanaries = (): ReadonlyMap<string, string> => made;

const defineStatement = (query: string, parameters: readonly unknown[] = [], rest: object = {}): object => ({
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
const defineResource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
const createBearerHeaders = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const httpLayer: CanaryFeature = {
  name: 'the door',
  definitions: [
    defineReturnResource('echo', '$PAYLOAD'),
    defineReturnResource('shop', '$PAYLOAD.shop', { resource: 'shops/:shop' }),
  ],
  calls: [
    { path: '/echo', body: { a: getCanary('echoed') }, status: 200, gives: ['echoed'] },
    { path: `/shops/${getCanary('parameter')}`, body: {}, status: 200, gives: ['parameter'] },
    { method: 'GET', path: `/echo?q=${getCanary('query')}`, status: 200, gives: ['query'] },
    { path: `/${getCanary('path')}/x?token=${getCanary('querytoken')}`, body: {}, status: 404 },
    { path: '/echo', body: `{"${getCanary('halfjson')}`, status: 400 },
    { path: '/echo', body: { constructor: getCanary('poison') }, status: 400 },
    { path: '/echo', body: `"${getCanary('notobject')}"`, status: 422 },
    {
      path: '/echo',
      body: getCanary('type'),
      headers: { 'content-type': `text/${getCanary('mediatype')}` },
      status: 415,
    },
    { path: '/echo', body: {}, headers: { 'content-encoding': getCanary('encoding') }, status: 415 },
    { method: 'PUT', path: `/echo?x=${getCanary('verb')}`, status: 405 },
    { path: '/echo', body: { a: getCanary('large').repeat(30_000) }, status: 413 },
    { path: `/echo?${getCanary('url').repeat(200)}`, body: {}, status: 414 },
  ],
};

const rules: CanaryFeature = {
  name: 'rules',
  definitions: [
    defineResource('ruled', [
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
    defineReturnResource('header', { h: '$HEADER.x-needed' }),
  ],
  calls: [
    {
      path: '/ruled',
      body: { mail: getCanary('mail'), name: getCanary('longname'), n: getCanary('nonumber') },
      status: 422,
    },
    { path: '/ruled', body: { [getCanary('fieldname')]: 1 }, status: 422 },
    { path: '/header', body: {}, headers: { 'x-needed': getCanary('header') }, status: 200, gives: ['header'] },
    { path: '/header', body: {}, headers: { 'x-other': getCanary('otherheader') }, status: 422 },
  ],
};

const sql: CanaryFeature = {
  name: 'statements',
  env: { SQL_SECRET: getCanary('envsql') },
  definitions: [
    { _thing: { id: { type: 'Number', primary_key: true }, code: { type: 'String', unique: true } } },
    defineResource('add', [
      defineStatement('INSERT INTO things (id, code) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.code']),
    ]),
    defineResource('secret', [defineStatement('SELECT length($1::text) AS n', ['$ENV.SQL_SECRET'])]),
    defineResource('cast', [defineStatement('SELECT $1::int AS n', ['$PAYLOAD.n'])]),
    defineResource('cast-env', [defineStatement('SELECT $1::int AS n', ['$ENV.SQL_SECRET'])]),
    defineResource('say', [defineStatement('SELECT run_text($1::text) AS x', ['$PAYLOAD.q'])]),
    defineResource('lost', [defineStatement('SELECT end_session() AS gone, $1::text AS x FOR UPDATE', ['$PAYLOAD.x'])]),
    defineResource('chain', [
      defineStatement('INSERT INTO things (id, code) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.code']),
      defineStatement('SELECT $1::int AS n', ['$PAYLOAD.n']),
    ]),
  ],
  calls: [
    { path: '/add', body: { id: 1, code: getCanary('code') }, status: 200, gives: ['code'] },
    { path: '/add', body: { id: 2, code: getCanary('code') }, status: 409 },
    { path: '/add', body: { id: getCanary('idtext'), code: 'c' }, status: 422 },
    { path: '/add', body: { id: 3, code: `${getCanary('nul')}\u0000` }, status: 422 },
    { path: '/secret', body: {}, status: 200 },
    { path: '/cast', body: { n: getCanary('cast') }, status: 422 },
    { path: '/cast-env', body: {}, status: 422 },
    { path: '/say', body: { q: `SELECT '${getCanary('nowhere')}' FROM nowhere` }, status: 500 },
    { path: '/lost', body: { x: getCanary('lost') }, status: 503 },
    { path: '/chain', body: { id: 9, code: getCanary('rolledback'), n: getCanary('badnumber') }, status: 422 },
  ],
};

const PASSWORD = getCanary('password');
const tokens: CanaryFeature = {
  name: 'passwords and tokens',
  env: { JWT_KEY: getCanary('jwtkey'), PASETO_KEY: getCanary('pasetokey').slice(0, 32), SALT: getCanary('salt') },
  definitions: [
    { _person: { id: { type: 'Number', primary_key: true }, mail: { type: 'String' }, password: { type: 'String' } } },
    defineResource('join', [
      defineStatement('INSERT INTO persons (id, mail, password) VALUES ($1, $2, $3)', ['id', 'mail', 'password'], {
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
      defineResource(
        id,
        [
          defineStatement('SELECT id, mail, password FROM persons WHERE id = $1', ['$PAYLOAD.id'], {
            verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
          }),
        ],
        { tokenize: { ...tokenize, custom_claim_fields: ['id', 'mail'] } },
      ),
    ),
    defineResource('guarded', [{ mode: 'RETURN', value: { mine: true, mail: '$PROTECTED.mail' } }], {
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_KEY' },
      protected: { extract_claims: ['mail'] },
    }),
    defineResource('guarded-paseto', [{ mode: 'RETURN', value: 1 }], {
      tokenize: { type: 'PASETO', encryption_key: '$ENV.PASETO_KEY' },
      protected: { provide_as: 'x-key' },
    }),
  ],
  calls: [
    { path: '/join', body: { id: 1, mail: getCanary('claim'), password: PASSWORD }, status: 200, gives: ['claim'] },
    { path: '/join', body: { id: 2, mail: 'm', password: getCanary('longpassword').repeat(2) }, status: 422 },
    { path: '/sign-in', body: { id: 1, password: getCanary('wrongpassword') }, status: 401 },
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
    { path: '/guarded', body: {}, headers: createBearerHeaders('{jwt}'), status: 200, gives: ['claim'] },
    { path: '/guarded', body: {}, headers: createBearerHeaders('{jwt}x'), status: 401 },
    { path: '/guarded', body: {}, headers: createBearerHeaders('{paseto}'), status: 401 },
    { path: '/guarded', body: {}, headers: createBearerHeaders(getCanary('token')), status: 401 },
    { path: '/guarded', body: {}, headers: { authorization: `Basic ${getCanary('basic')}` }, status: 401 },
    { path: '/guarded', body: {}, headers: { cookie: `sid=${getCanary('cookie')}` }, status: 401 },
    { path: '/guarded-paseto', body: {}, headers: { 'x-key': '{paseto}' }, status: 200 },
    { path: '/guarded-paseto', body: {}, headers: { 'x-key': getCanary('pasetotoken') }, status: 401 },
  ],
};

const behind: CanaryFeature = {
  name: 'work after the response, and messages',
  config: { websocket: { enabled: true } },
  definitions: [
    defineResource(
      'join-later',
      [
        defineStatement('INSERT INTO persons (id, mail, password) VALUES ($1, $2, $3)', ['id', 'mail', 'password'], {
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
    // Never succeeds, so it becomes a dead job.
    defineResource('dead', [defineStatement('SELECT $1::int AS n', ['$PAYLOAD.n'])], { queue: { retries: 0 } }),
    defineResource('who', [{ mode: 'RETURN', value: { mail: '$PROTECTED.mail', n: '$PAYLOAD.n' } }], {
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_KEY' },
      protected: { extract_claims: ['mail'] },
      queue: {},
    }),
  ],
  calls: [
    {
      path: '/dead',
      body: { n: getCanary('deadpayload'), other: getCanary('notread') },
      headers: { ...createBearerHeaders(getCanary('jobtoken')), 'x-other': getCanary('jobheader') },
      status: 202,
    },
    { path: '/who', body: { n: 1, other: getCanary('unread') }, headers: createBearerHeaders('{jwt}'), status: 202 },
  ],
};
/** Runs when clients are connected. */
export const JOIN_LATER: CanaryCall = {
  path: '/join-later',
  body: { id: 7, mail: getCanary('joinedmail'), password: getCanary('laterpassword') },
  status: 202,
};

export const FEATURES: readonly CanaryFeature[] = [httpLayer, rules, sql, tokens, behind];
