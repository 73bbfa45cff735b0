/**
 * Large results that are sent while they are received: the same bytes as a result that is held, no complete response for one that
 * fails, and connections of the database that are free again however a response ends. On PostgreSQL.
 */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createStalledReaders, formatPost } from '../support/stalled-readers.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { connect as connectSocket } from '../support/sockets.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

/** Rows of values whose JSON differs from the text that the server sends. */
const NAUGHTY = `
  SELECT n, n::bigint * 4503599627370496 AS long, n / 3.0::float8 AS part, '-0'::float8 AS zero, n % 2 = 0 AS even,
    E'"\\\\\\u0001\\n€\\U0001F600' || repeat('x', n % 400) AS text, CASE WHEN n % 3 = 0 THEN NULL ELSE 'a' END AS gap,
    timestamptz '2026-01-02 03:04:05.678901+00' + n * interval '1 second' AS at, date '2026-01-02' + n AS day,
    jsonb_build_object('n', n, 'k', '"') AS json, ARRAY[n, NULL] AS list, n::numeric / 7 AS exact, '\\x00ff'::bytea AS bytes
  FROM generate_series(1, 1500) AS n ORDER BY n`;
/** About a mebibyte for each thousand rows, each computed when it is sent. */
const WIDE = `SELECT n, repeat('x', 1000) AS t FROM (SELECT generate_series(1, $1) AS n) AS s`;
const BROKEN = `SELECT n, repeat('x', 20) AS t, 1 / (100000 - n) AS q FROM generate_series(1, 200000) AS n`;

/** After two mebibytes the server computes for minutes without sending anything. */
const COUNTING = `SELECT max(a.i + b.i + s.n) FROM (SELECT generate_series(1, 30000) AS i) AS a, (SELECT generate_series(1, 100000) AS i) AS b`;
const SILENT = WIDE.replace(' FROM', `, CASE WHEN n > 2000 THEN (${COUNTING}) END AS most FROM`);
/** Large, unless the first row is a division by zero. */
const DIVIDED = `SELECT n, repeat('x', 1000) AS t, 1 / (n - $1::int) AS q FROM generate_series(1, 1000) AS n`;

/** The rows of a query, passed on by a RETURN, after `first` in one transaction. */
const defineList = (id: string, first: readonly object[], returnables: readonly string[]): object => ({
  id,
  resource: id,
  actionables: [
    ...first,
    { id: 1, mode: 'QUERY', sql_query: { query: WIDE, parameters: ['$PAYLOAD.rows'] } },
    {
      id: 2,
      mode: 'RETURN',
      depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'list' }] }],
      value: '$PAYLOAD.list',
      returnables,
    },
  ],
});

const FILES = {
  'pass.cjs': 'module.exports = () => (ctx, next) => next();',
  'definitions/_pin.json': { pin: { type: 'String', secret: true }, json: { type: 'JSON_OBJECT' } },
  'definitions/_log.json': { line: { type: 'String' } },
  'definitions/a.json': [
    defineQueryResource('fill', `INSERT INTO pins (pin, json) VALUES ('1', '{"pin": 2, "a": 3}')`),
    defineQueryResource('naughty', NAUGHTY),
    { ...defineQueryResource('some', NAUGHTY), returnables: ['at', 'text', 'n'] },
    defineQueryResource('list', `SELECT repeat('x', 300000) AS t`, [], { result: 'many' }),
    defineQueryResource('single', `SELECT repeat('x', 300000) AS t`),
    defineQueryResource('wide', WIDE, ['$PAYLOAD.rows']),
    defineQueryResource('read', WIDE, ['$PAYLOAD.rows'], { returnables: ['n', 't', 'gap.x'] }),
    defineQueryResource('must', WIDE, ['$PAYLOAD.rows'], { must_return_value: true }),
    defineQueryResource(
      'hidden',
      `SELECT n, pin, repeat('x', 1000) AS t, json FROM (SELECT generate_series(1, $1) AS n) AS s, pins`,
      ['$PAYLOAD.rows'],
      { returnables: ['n', 't', 'json'] },
    ),
    defineList('passed', [], ['n', 't']),
    defineList(
      'inside',
      [{ id: 3, mode: 'QUERY', sql_query: { query: `INSERT INTO logs (line) VALUES ('a')` } }],
      ['n', 't'],
    ),
    defineQueryResource('broken', BROKEN),
    defineQueryResource('silent', SILENT, ['$PAYLOAD.rows']),
    defineQueryResource('divided', DIVIDED, ['$PAYLOAD.by']),
    defineQueryResource('fine', 'SELECT 1 AS one'),
    defineQueryResource(
      'running',
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT n,%' AND state <> 'idle'`,
    ),
  ],
};

describe('streamed results', () => {
  let database = '';
  let kernel: TestKernel;
  const readers = createStalledReaders();

  const start = (config: object = {}): Promise<TestKernel> =>
    startKernel({
      files: FILES,
      config: {
        connections: { main: { use: 'postgres', url: '$ENV.DATABASE', pool_size: 4 } },
        http: { methods: ['POST', 'GET'], limits: { unread: 40_000_000 } },
        websocket: { enabled: true },
        ...config,
      },
      env: { DATABASE: database },
    });

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    database = await createPostgresDatabase();
    kernel = await start();
  });
  afterEach(() => readers.close());
  after(() => kernel?.close());

  const isChunked = ({ headers }: { headers: Headers }): boolean => headers.get('transfer-encoding') === 'chunked';

  const readLittle = (path: string, body: object, of = kernel): Promise<Socket> =>
    readers.read(of.server.port, path, body);

  const readRest = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      let text = '';
      socket.setEncoding('latin1').on('data', (more: string) => (text += more));
      socket.on('close', () => resolve(text)).resume();
    });

  const waitUntilFree = (of = kernel): Promise<unknown> =>
    waitUntil(async () => (await of.post('/running', {})).body['n'] === 0, 'the statements to end');

  for (const path of ['naughty', 'some', 'list'])
    it(`${path}: have the same bytes as a buffered result`, async () => {
      const streamed = await kernel.post(`/${path}`, {});
      const held = await kernel.raw(formatPost(`/${path}`).replace('HTTP/1.1', 'HTTP/1.0'));
      const at = held.indexOf('\r\n\r\n');
      expect([streamed.status, isChunked(streamed)]).to.deep.equal([200, true]);
      expect(held.slice(0, at)).to.match(/content-length: \d{6}/i);
      expect(Buffer.from(held.slice(at + 4), 'latin1').toString() === streamed.text).to.equal(true);
    });

  it('are those of a list that must not be empty, that a RETURN passes on, or in which a secret may be nested', async () => {
    await kernel.post('/fill', {});
    for (const path of ['must', 'passed', 'hidden']) {
      const response = await kernel.post<unknown[]>(`/${path}`, { rows: 1000 });
      expect([isChunked(response), response.body.length], path).to.deep.equal([true, 1000]);
      expect(response.body[999]).to.deep.equal({
        ...{ n: 1000, t: 'x'.repeat(1000) },
        ...(path === 'hidden' && { json: { a: 3 } }),
      });
    }
    expect((await kernel.post('/must', { rows: 0 })).status).to.equal(404);
    expect((await kernel.post('/passed', { rows: 0 })).text).to.equal('null');
  });

  it('are held in a transaction, as text', async () => {
    const { headers, text } = await kernel.post('/inside', { rows: 1000 });
    const list = Array.from({ length: 1000 }, (_, at) => ({ n: at + 1, t: 'x'.repeat(1000) }));
    expect([headers.get('content-length'), text === JSON.stringify(list)]).to.deep.equal([String(text.length), true]);
  });

  it('are wrapped by the envelope', async () => {
    const other = await start({ envelope: 'success-message-data' });
    const response = await other.post('/wide', { rows: 1000 });
    const { data, ...rest } = response.body;
    expect([isChunked(response), rest]).to.deep.equal([true, { success: true, message: 'Operation successful' }]);
    expect(data).to.have.length(1000);
    await other.close();
  });

  it('require several rows, HTTP/1.1, and no step that reads them', async () => {
    for (const [path, rows] of [
      ['single', 0],
      ['wide', 200],
      ['read', 1000],
    ] as const)
      expect(isChunked(await kernel.post(`/${path}`, { rows })), path).to.equal(false);
    const { headers, text } = await kernel.request('HEAD', '/wide?rows=1000');
    expect([Number(headers.get('content-length')) > 1_000_000, text]).to.deep.equal([true, '']);
    const client = await connectSocket(kernel.url);
    expect((await client.sendRequest('wide', { rows: 1000 })).data).to.have.length(1000);
    await client.close();
  });

  it('require a server without middlewares of plugins, and a connection without result limits', async () => {
    const middlewares = { pass: { use: 'koa', package: './pass.cjs' } };
    const main = { use: 'postgres', url: '$ENV.DATABASE', result_rows: 1000 };
    for (const config of [{ middlewares }, { connections: { main } }]) {
      const other = await start(config);
      const response = await other.post<unknown[]>('/wide', { rows: 1000 });
      expect([isChunked(response), response.body.length]).to.deep.equal([false, 1000]);
      await other.close();
    }
  });

  it('leave the connection of the client in order', async () => {
    const text = await kernel.raw(
      formatPost('/wide', { rows: 400 }) +
        formatPost('/fine') +
        formatPost('/wide', { rows: 300 }, { connection: 'close' }),
    );
    expect(text.match(/HTTP\/1\.1 200/g)).to.have.length(3);
    expect(text).to.match(
      /\]\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n[^{]+\{"one":1\}HTTP\/1\.1 200[^]+"n":300,"t":"x+"\}\]\r\n0\r\n\r\n$/,
    );
  });

  it('are complete, many at once', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => kernel.post<unknown[]>('/wide', { rows: 500 + n })),
    );
    expect(all.map(({ body }) => body.length)).to.deep.equal([501, 502, 503, 504, 505, 506, 507, 508]);
  });

  it('are never complete if the statement fails in a late row; the location is logged', async () => {
    const text = await kernel.raw(formatPost('/broken'));
    expect(text).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    // What the client has not read when the connection ends is lost.
    expect(text)
      .to.include('"n":9000,')
      .and.not.match(/0\r\n\r\n$/);
    const failures = kernel.log.filter(({ message }) => message === 'request failed');
    expect(failures.map(({ fields: { resource, action, code } }) => [resource, action, code])).to.deep.equal([
      ['broken', 'broken#1', 'QRY_FAILED'],
    ]);
    await waitUntilFree();
  });

  it('are an error response if the statement fails before its first row', async () => {
    expect(isChunked(await kernel.post('/divided', { by: 0 }))).to.equal(true);
    const { status, body } = await kernel.post('/divided', { by: 1 });
    expect([status, body['code']]).to.deep.equal([422, 'QRY_BAD_VALUE']);
  });

  it('end with their client: the statement is cancelled', async () => {
    for (let n = 0; n < 4; n++) (await readLittle('/wide', { rows: 10_000_000 })).destroy();
    await waitUntilFree();
    // One that sends nothing would not notice that its connection is closed.
    (await readLittle('/silent', { rows: 3000 })).destroy();
    await waitUntilFree();
    expect((await kernel.post<unknown[]>('/wide', { rows: 400 })).body).to.have.length(400);
  });

  it('leave their connections to others if their clients do not read', async () => {
    const stalled = await Promise.all(
      [1, 2, 3, 4].map(() => readLittle('/wide', { rows: 10_000_000 }).catch(() => null)),
    );
    expect(stalled).to.not.include(null);
    expect((await kernel.post<unknown[]>('/wide', { rows: 400 })).body).to.have.length(400);
  });

  it('end at the deadline of the request if their clients do not read', async () => {
    const other = await start({ http: { timeouts: { request: 1 } } });
    const elapsed = startStopwatch();
    await readLittle('/wide', { rows: 10_000_000 }, other);
    await waitUntilFree(other);
    expect(elapsed()).to.be.lessThan(3000);
    expect(other.log.find(({ message }) => message === 'request failed')?.fields).to.include({
      ...{ resource: 'wide', action: 'wide#1', code: 'QRY_TIMEOUT' },
    });
    await other.close();
  });

  it('are completed by a server that stops', async () => {
    // The second is held: it is complete for the server, and its client still reads.
    const last = await Promise.all(['/wide', '/read'].map((path) => readLittle(path, { rows: 12_000 })));
    const stopped = kernel.server.stop(5);
    const texts = await Promise.all(last.map((one) => readRest(one)));
    await stopped;
    expect(texts[0]).to.match(/"n":12000,"t":"x+"\}\]\r\n0\r\n\r\n$/);
    expect(texts[1]).to.match(/"n":12000,"t":"x+"\}\]$/);
  });
});
