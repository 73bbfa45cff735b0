/**
 * The table of errors, one row for each condition, over real HTTP on both databases: status, code, content type, one
 * format for every source, and no internal information.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { formatRequestHead, parseRaw, type Loose } from '../support/client.js';
import { describeOnBothDatabases, describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';

const CANARY = 'canary-value-of-the-environment';
const rules = { payload_validation: [{ field: { name: { type: 'STRING' } }, min_length: 2 }] };
const empty = (id: string, rest: object): object =>
  defineQueryResource(id, 'SELECT code FROM parts WHERE id = -1', [], { must_return_value: true, ...rest });

const FILES = {
  'definitions/models.json': [
    { _owner: { id: { type: 'Number', primary_key: true }, name: { type: 'String', max_length: 5 } } },
    {
      _part: {
        id: { type: 'Number', primary_key: true },
        code: { type: 'String', unique: true },
        owner_id: { type: 'Number', optional: true, foreign_key: { of: '_owner', key: 'id' } },
      },
    },
  ],
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    { id: 'unreachable', resource: 'unreachable', actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }] },
    defineReturnResource('guarded', 1, { gate: 'sesame' }),
    defineReturnResource('resting', 1, { maintenance: true }),
    { id: 'ruled', resource: 'ruled', actionables: [{ id: 1, mode: 'RETURN', value: 1, ...rules }] },
    defineReturnResource('needs-field', '$PAYLOAD.deep.field'),
    defineReturnResource('needs-header', '$HEADER.x-absent'),
    {
      id: 'needs-value',
      resource: 'needs-value',
      actionables: [
        { id: 1, mode: 'RETURN', no_op: true, value: [1] },
        {
          id: 2,
          mode: 'RETURN',
          value: '$PAYLOAD.got',
          depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: '7', for: 'got' }] }],
        },
      ],
    },
    empty('empty', {}),
    empty('empty-words', { on_empty: { status: 410, message: 'No such part.' } }),
    defineQueryResource('own', 'INSERT INTO owners (id, name) VALUES ($1, $2)', ['id', 'name']),
    defineQueryResource('add', 'INSERT INTO parts (id, code, owner_id) VALUES ($1, $2, $3)', [
      'id',
      'code',
      'owner_id',
    ]),
    defineQueryResource('divide', 'SELECT 1 / $1::int AS n, $2::text AS word', ['n', '$ENV.SECRET_WORD']),
    defineQueryResource('nowhere-table', 'SELECT hidden_column FROM hidden_table', []),
  ],
};

interface Row {
  readonly condition: string;
  readonly path: string;
  readonly body?: unknown;
  readonly init?: RequestInit;
  readonly status: number;
  readonly code: string;
  readonly pointer?: string;
  readonly headers?: Readonly<Record<string, RegExp>>;
  readonly detail?: string;
}

const createTypeInit = (type: string, more: object = {}): RequestInit => ({
  headers: { 'content-type': type, ...more },
});
const LIMITS = { body: 2000, depth: 5, keys: 20, array: 50 };

const ROWS: readonly Row[] = [
  { condition: 'malformed JSON', path: 'echo', body: '{"a":', status: 400, code: 'REQ_MALFORMED' },
  {
    condition: 'invalid UTF-8',
    path: 'echo',
    body: Buffer.from([0x22, 0xff, 0x22]),
    status: 400,
    code: 'REQ_MALFORMED',
  },
  { condition: 'reserved name', path: 'echo', body: '{"__proto__":1}', status: 400, code: 'REQ_NAME_REFUSED' },
  { condition: 'guard', path: 'guarded', body: {}, status: 401, code: 'GAT_CLOSED' },
  { condition: 'unknown resource', path: 'nowhere', body: {}, status: 404, code: 'REQ_NOT_FOUND' },
  { condition: 'nothing reachable', path: 'unreachable', body: {}, status: 404, code: 'REQ_NOT_FOUND' },
  {
    condition: 'must_return_value without a row',
    path: 'empty',
    body: {},
    status: 404,
    code: 'ACT_NO_VALUE',
    detail: 'Operation Failed: this action must return a value!',
  },
  {
    condition: 'must_return_value with words of its own',
    path: 'empty-words',
    body: {},
    status: 410,
    code: 'ACT_NO_VALUE',
    detail: 'No such part.',
  },
  {
    condition: 'verb not enabled',
    path: 'echo',
    init: { method: 'PUT' },
    status: 405,
    code: 'REQ_METHOD',
    headers: { allow: /^POST$/ },
  },
  {
    condition: 'unique',
    path: 'add',
    body: { id: 2, code: 'taken' },
    status: 409,
    code: 'QRY_UNIQUE',
    pointer: '/code',
  },
  {
    condition: 'foreign key',
    path: 'add',
    body: { id: 3, code: 'free', owner_id: 99 },
    status: 409,
    code: 'QRY_FOREIGN_KEY',
    pointer: '/owner_id',
  },
  { condition: 'body too large', path: 'echo', body: 'x'.repeat(3000), status: 413, code: 'REQ_TOO_LARGE' },
  { condition: 'too deep', path: 'echo', body: '[[[[[[1]]]]]]', status: 413, code: 'REQ_TOO_COMPLEX' },
  {
    condition: 'other content type',
    path: 'echo',
    body: 'a=1',
    init: createTypeInit('text/plain'),
    status: 415,
    code: 'REQ_MEDIA_TYPE',
  },
  {
    condition: 'compressed body',
    path: 'echo',
    body: '{}',
    init: createTypeInit('application/json', { 'content-encoding': 'gzip' }),
    status: 415,
    code: 'REQ_ENCODING',
  },
  { condition: 'no object', path: 'echo', body: '[1]', status: 422, code: 'VAL_NOT_OBJECT' },
  { condition: 'rule broken', path: 'ruled', body: { name: 'a' }, status: 422, code: 'VAL_PAYLOAD', pointer: '/name' },
  {
    condition: 'payload accessor unresolved',
    path: 'needs-field',
    body: { deep: {} },
    status: 422,
    code: 'ACC_UNRESOLVED',
    pointer: '/deep/field',
  },
  { condition: 'header accessor unresolved', path: 'needs-header', body: {}, status: 422, code: 'ACC_UNRESOLVED' },
  { condition: 'chain without a value', path: 'needs-value', body: {}, status: 422, code: 'DEP_UNRESOLVED' },
  { condition: 'not null', path: 'add', body: { id: 4 }, status: 422, code: 'QRY_NOT_NULL', pointer: '/code' },
  {
    condition: 'longer than the column',
    path: 'own',
    body: { id: 1, name: 'too long' },
    status: 422,
    code: 'QRY_CHECK',
    pointer: '/name',
  },
  { condition: 'value of another type', path: 'divide', body: { n: CANARY }, status: 422, code: 'QRY_BAD_VALUE' },
  {
    condition: 'maintenance',
    path: 'resting',
    status: 503,
    code: 'RES_MAINTENANCE',
    headers: { 'retry-after': /^\d+$/ },
  },
  { condition: 'a table that is not there', path: 'nowhere-table', body: {}, status: 500, code: 'QRY_FAILED' },
  {
    condition: 'anything unforeseen',
    path: 'echo',
    body: {},
    init: { headers: { 'x-break': '1' } },
    status: 500,
    code: 'INT_UNEXPECTED',
  },
];

/** Words of internal information: statements, tables, constraints, the driver, stacks, folders, the environment. */
const INTERNAL =
  /canary|select|insert|parts_|owners|hidden|constraint|duplicate key|pg|postgres|\bat \/|\.js|node:|[a-z]Error\b|error: /i;

function expectProblem(answer: { status: number; headers: Headers; body: Loose; text: string }, row: Row): void {
  const { body, headers, text } = answer;
  expect([answer.status, body['code']], text).to.deep.equal([row.status, row.code]);
  expect(headers.get('content-type')).to.equal('application/problem+json; charset=utf-8');
  const id = headers.get('x-request-id');
  expect(id).to.match(/^[0-9a-f-]{36}$/);
  expect(body).to.include({
    type: `urn:lintel:error:${row.code}`,
    status: row.status,
    instance: `urn:request:${id}`,
    success: false,
    message: body['detail'],
  });
  expect(body).not.to.have.property('data');
  if (row.detail !== undefined) expect(body['detail']).to.equal(row.detail);
  const errors = (body['errors'] ?? []) as Loose[];
  for (const issue of errors) expect(issue).to.have.all.keys('pointer', 'code', 'detail');
  if (row.pointer !== undefined) expect(errors.map(({ pointer }) => pointer)).to.include(row.pointer);
  for (const [name, pattern] of Object.entries(row.headers ?? {})) expect(headers.get(name)).to.match(pattern);
  expect(text).not.to.match(INTERNAL);
}

for (const [envelope, describeOn] of [
  ['bare', describeOnBothDatabases],
  ['success-message-data', describeOnDatabase],
] as const) {
  describeOn(
    `error responses, envelope ${envelope}`,
    {
      files: FILES,
      config: {
        envelope,
        http: { limits: LIMITS },
        plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'gate'), join(PLUGIN_FIXTURES, 'witness')],
      },
      env: { SECRET_WORD: CANARY },
    },
    (kernel) => {
      before(async () => {
        expect((await kernel().post('/add', { id: 1, code: 'taken' })).status).to.equal(200);
      });

      for (const row of ROWS) {
        it(`${row.status} ${row.code}: ${row.condition}`, async () => {
          const { path, body, init = {} } = row;
          const method = init.method ?? 'POST';
          const answer =
            body === undefined
              ? await kernel().request(method, `/${path}`, init)
              : await kernel().post(`/${path}`, body, init);
          expectProblem(answer, row);
        });
      }

      it('are logged with the id of the request and without a secret', async () => {
        const { headers } = await kernel().post('/nowhere-table', {});
        const rows = kernel().log.filter(({ fields }) => fields['id'] === headers.get('x-request-id'));
        expect(rows.map(({ level }) => level)).to.include('error');
        expect(JSON.stringify(rows)).not.to.contain(CANARY);
      });
    },
  );
}

describe('errors of a busy or unavailable database', () => {
  it('return 503 QRY_UNAVAILABLE with Retry-After when no connection becomes free in time', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const kernel: TestKernel = await startKernel({
      files: { 'definitions/a.json': defineQueryResource('slow', 'SELECT pg_sleep(1.5)::text AS s FOR UPDATE') },
      config: { connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 1, pool_wait: 0.5 } } },
      env: { DATABASE_URL: await createPostgresDatabase() },
    });
    const answers = await Promise.all([kernel.post('/slow'), kernel.post('/slow')]);
    const [served, rejected] = answers.sort((a, b) => a.status - b.status);
    expect(served?.status).to.equal(200);
    if (rejected === undefined) throw new Error('two answers');
    const row = {
      condition: '',
      path: 'slow',
      status: 503,
      code: 'QRY_UNAVAILABLE',
      headers: { 'retry-after': /^\d+$/ },
    };
    expectProblem(rejected, row);
    await kernel.close();
  });
});

describe('verbs of the environment', () => {
  it('are read from ALLOWED_HTTP_METHODS before the config', async () => {
    const files = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD', { resource: 'echo/:id' }) };
    const env = { ALLOWED_HTTP_METHODS: 'get|Delete' };
    const kernel = await startKernel({ files, config: { http: { methods: ['POST'] } }, env });
    expect((await kernel.request('GET', '/echo/1?a=2')).body).to.deep.equal({ id: '1', a: '2' });
    expect((await kernel.request('DELETE', '/echo/1?a=2')).body).to.deep.equal({ id: '1', a: '2' });
    const { status, headers } = await kernel.post('/echo/1', {});
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, DELETE']);
    const answer = parseRaw(await kernel.raw(formatRequestHead('HEAD', '/echo/1', { connection: 'close' })));
    expect([answer.status, answer.body]).to.deep.equal([200, '']);
    await kernel.close();
  });

  it('prevent the start if one is unknown', async () => {
    const env = { ALLOWED_HTTP_METHODS: 'POST|FETCH' };
    const error: unknown = await startKernel({ env }).catch((failure: unknown) => failure);
    expect(error).to.include({ code: 'CFG_VARIABLE' });
  });
});
