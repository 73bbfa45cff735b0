/**
 * Every limit that is on by default, over real HTTP: its default, a config that sets another one, a request that just
 * fits and one that does not. Untested limits are listed by name.
 */
import { connect } from 'node:net';
import { expect } from 'chai';
import { DEFAULTS } from '../../language/analysis/config-schema.js';
import { parseJson } from '../../kernel/http/body.js';
import { readPostgresOptions } from '../../plugins/dialects/postgres/options.js';
import { MAX_TOKEN } from '../../plugins/tokens/kind.js';
import { computeConcurrency } from '../../plugins/hashers/shared/hash-limiter.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const { limits, timeouts } = DEFAULTS.http;
const FILES = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
const nestJson = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const keys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])));
const items = (count: number): string => JSON.stringify({ a: Array(count).fill(1) });
const bytes = (count: number): string => `{"a":"${'x'.repeat(count - 8)}"}`;
const echo = (body: string): string =>
  formatRequestHead('POST', '/echo', {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }) + body;
const url = (length: number): string =>
  formatRequestHead('POST', `/echo?${'a'.repeat(length - 6)}`, { connection: 'close' });
const headers = (count: number): string =>
  // `host` and `connection` count too.
  formatRequestHead('POST', '/echo', {
    connection: 'close',
    ...Object.fromEntries(Array.from({ length: count - 2 }, (_, i) => [`x-${i}`, 'v'])),
  });
const headerBytes = (count: number): string =>
  formatRequestHead('POST', '/echo', { connection: 'close', x: 'v'.repeat(count) });

interface Row {
  readonly name: string;
  readonly default: readonly [actual: number, expected: number];
  /** Of the config, with the lower limit of this test. */
  readonly http: object;
  readonly fits: string;
  readonly beyond: string;
  readonly status: number;
  readonly code?: string;
}

const ROWS: readonly Row[] = [
  {
    name: 'bytes of a body',
    default: [limits.body, 1_048_576],
    http: { limits: { body: 100 } },
    fits: echo(bytes(100)),
    beyond: echo(bytes(101)),
    status: 413,
    code: 'REQ_TOO_LARGE',
  },
  {
    name: 'levels of a body',
    default: [limits.depth, 32],
    http: { limits: { depth: 3 } },
    fits: echo(nestJson(3)),
    beyond: echo(nestJson(4)),
    status: 413,
    code: 'REQ_TOO_COMPLEX',
  },
  {
    name: 'keys of a body',
    default: [limits.keys, 1000],
    http: { limits: { keys: 5 } },
    fits: echo(keys(5)),
    beyond: echo(keys(6)),
    status: 413,
    code: 'REQ_TOO_COMPLEX',
  },
  {
    name: 'items of an array',
    default: [limits.array, 10_000],
    http: { limits: { array: 5 } },
    fits: echo(items(5)),
    beyond: echo(items(6)),
    status: 413,
    code: 'REQ_TOO_COMPLEX',
  },
  {
    name: 'bytes of a URL',
    default: [limits.url, 8192],
    http: { limits: { url: 40 } },
    fits: url(40),
    beyond: url(41),
    status: 414,
    code: 'REQ_URL_TOO_LONG',
  },
  {
    name: 'bytes of headers',
    default: [limits.header_bytes, 16_384],
    http: { limits: { header_bytes: 1024 } },
    fits: headerBytes(800),
    beyond: headerBytes(1100),
    status: 431,
  },
  {
    name: 'number of headers',
    default: [limits.header_count, 100],
    http: { limits: { header_count: 10 } },
    fits: headers(10),
    beyond: headers(11),
    status: 431,
  },
];

describe('limits', function () {
  const kernels: TestKernel[] = [];
  const start = async (options: Parameters<typeof startKernel>[0]): Promise<TestKernel> => {
    const kernel = await startKernel(options);
    kernels.push(kernel);
    return kernel;
  };
  afterEach(() => Promise.all(kernels.splice(0).map((kernel) => kernel.close())));

  for (const {
    name,
    default: [actual, expected],
    http,
    fits,
    beyond,
    status,
    code,
  } of ROWS) {
    it(`${name}: ${expected} by default or in the config, ${status} beyond`, async () => {
      expect(actual).to.equal(expected);
      const kernel = await start({ files: FILES, config: { http } });
      expect(parseRaw(await kernel.raw(fits)).status).to.equal(200);
      const rejected = parseRaw(await kernel.raw(beyond));
      expect(rejected.status).to.equal(status);
      if (code !== undefined) expect(JSON.parse(rejected.body)).to.include({ code });
      expect((await kernel.post('/echo', {})).status).to.equal(200);
    });
  }

  /**
   * Sends bytes, then one more each time the server could have aborted; returns its response, and the time with and
   * without that of other load.
   */
  const trickle = (port: number, bytesOf: string): Promise<{ received: string; ms: number; ownMs: number }> =>
    new Promise((resolve) => {
      const [started, elapsed] = [performance.now(), startStopwatch()];
      let received = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(bytesOf);
        timer = setInterval(() => socket.writable && socket.write('x'), 50);
      });
      let timer: NodeJS.Timeout | undefined;
      socket.setEncoding('latin1').on('data', (text: string) => (received += text));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        resolve({ received, ms: performance.now() - started, ownMs: elapsed() });
      });
    });

  it('headers that never end: 10 s by default or as configured, 408 beyond', async () => {
    expect(timeouts.headers).to.equal(10);
    const kernel = await start({ files: FILES, config: { http: { timeouts: { headers: 0.3 } } } });
    const { received, ms, ownMs } = await trickle(
      kernel.server.port,
      'POST /echo HTTP/1.1\r\nhost: localhost\r\nx-slow: ',
    );
    expect(parseRaw(received).status).to.equal(408);
    expect(ms).to.be.at.least(250);
    expect(ownMs).to.be.lessThan(3000);
  });

  it('a body that never ends: 30 s by default or as configured, 408 beyond', async () => {
    expect(timeouts.request).to.equal(30);
    // The deadline of headers by default is longer: both must be possible.
    const kernel = await start({ files: FILES, config: { http: { timeouts: { request: 0.3 } } } });
    const lines = formatRequestHead('POST', '/echo', { 'content-type': 'application/json', 'content-length': 100_000 });
    const { received, ms, ownMs } = await trickle(kernel.server.port, `${lines}{"a":"`);
    expect(parseRaw(received).status).to.equal(408);
    expect(ms).to.be.at.least(250);
    expect(ownMs).to.be.lessThan(3000);
    expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('a hundred connections with incomplete messages delay no other', async () => {
    const kernel = await start({ files: FILES, config: { http: { timeouts: { headers: 0.5 } } } });
    const idle = Array.from({ length: 100 }, () => trickle(kernel.server.port, 'POST /echo HTTP/1.1\r\nx: '));
    for (let i = 0; i < 20; i++) expect((await kernel.post('/echo', { i })).status).to.equal(200);
    for (const { received } of await Promise.all(idle)) expect(parseRaw(received).status).to.equal(408);
  });

  it('a connection without a request: 75 s by default or as configured, closed beyond', async () => {
    // Longer than balancers keep theirs (60 s mostly): otherwise they would use one that is being closed.
    expect(timeouts.keep_alive).to.equal(75);
    const kernel = await start({ files: FILES, config: { http: { timeouts: { keep_alive: 1, headers: 0.3 } } } });
    const [started, elapsed] = [performance.now(), startStopwatch()];
    const received = await kernel.raw(formatRequestHead('GET', '/status/live'));
    expect(parseRaw(received).head).to.contain('keep-alive: timeout=1');
    expect(performance.now() - started).to.be.at.least(900);
    expect(elapsed()).to.be.lessThan(4000);
  });

  it('characters of a token: 8192 by default or as in the resource, 401 beyond', async () => {
    expect(MAX_TOKEN).to.equal(8192);
    const tokenize = { type: 'JWT', encryption_key: '$ENV.KEY' };
    const defineTokenResource = (id: string, rest: object = {}): object =>
      defineReturnResource(id, 1, { tokenize: { ...tokenize, ...rest }, protected: {} });
    const issuing = defineReturnResource(
      'issue',
      { id: 'x'.repeat(300) },
      {
        tokenize: { ...tokenize, custom_claim_fields: ['id'], max_length: 300 },
      },
    );
    const files = {
      'definitions/a.json': [defineTokenResource('wide'), defineTokenResource('narrow', { max_length: 300 }), issuing],
    };
    const kernel = await start({ files, env: { KEY } });
    const [short, long, huge] = [
      await signJwt({ id: 'x' }),
      await signJwt({ id: 'x'.repeat(300) }),
      await signJwt({ id: 'x'.repeat(7000) }),
    ];
    expect([short.length <= 300, long.length > 300, huge.length > 8192]).to.deep.equal([true, true, true]);
    const postForStatus = async (path: string, text: string): Promise<number> =>
      (await kernel.post(path, {}, createBearerInit(text))).status;
    expect(await postForStatus('/narrow', short)).to.equal(200);
    expect(await postForStatus('/wide', long)).to.equal(200);
    // A token that one resource accepted is cached; the other still checks its length.
    expect(await postForStatus('/narrow', long)).to.equal(401);
    expect(await postForStatus('/wide', huge)).to.equal(401);
    const { status, body } = await kernel.post('/issue', {});
    expect([status, body['code']]).to.deep.equal([422, 'TOK_UNFIT']);
  });

  it('a statement: 10 s; a wait for a connection: 2 s; or as configured, 503 beyond', async function () {
    expect(readPostgresOptions({}).client).to.include({ statement_timeout: 10_000, connectionTimeoutMillis: 2000 });
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = await createPostgresDatabase();
    const at = (rest: object): object => ({ main: { use: 'postgres', url: '$ENV.DATABASE_URL', ...rest } });
    const sleep = defineQueryResource('sleep', 'SELECT pg_sleep($1::float)::text AS s FOR UPDATE', ['$PAYLOAD.s']);
    const files = { 'definitions/a.json': sleep };
    const env = { DATABASE_URL: url };
    const brief = await start({ files, env, config: { connections: at({ statement_timeout: 0.3 }) } });
    expect((await brief.post('/sleep', { s: 0 })).status).to.equal(200);
    const stopped = await brief.post('/sleep', { s: 5 });
    expect([stopped.status, stopped.body['code']]).to.deep.equal([503, 'QRY_TIMEOUT']);
    const full = await start({ files, env, config: { connections: at({ pool_size: 1, pool_wait: 0.2 }) } });
    const both = await Promise.all([full.post('/sleep', { s: 1 }), full.post('/sleep', { s: 1 })]);
    expect(both.map(({ status, body }) => [status, body['code']])).to.have.deep.members([
      [200, undefined],
      [503, 'QRY_UNAVAILABLE'],
    ]);
  });

  it('concurrent hashes: 4 if there are enough threads, else one less than the threads, or the value of the environment', () => {
    expect(computeConcurrency('16')).to.equal(4);
    expect(computeConcurrency(undefined)).to.equal(3);
    expect(computeConcurrency('16', '8')).to.equal(8);
    expect(computeConcurrency('16', '2')).to.equal(2);
    expect(computeConcurrency('4', '8')).to.equal(3);
    for (const none of ['', '0', '-1', 'many']) expect(computeConcurrency('16', none), none).to.equal(4);
  });

  it('actionables of a chain: 50, depth of dependencies: 10; or as configured, no start beyond', async () => {
    expect(DEFAULTS.chains).to.deep.equal({ actionables: 50, depth: 10 });
    const chain = (count: number, linked: boolean): object => ({
      id: 'chain',
      resource: 'chain',
      actionables: Array.from({ length: count }, (_, i) => ({
        id: i + 1,
        mode: 'RETURN',
        value: i,
        ...(linked && i > 0 && { depends_on: [{ resource_id: 'self', action_ids: [i] }] }),
      })),
    });
    const outcome = async (definition: object, chains?: object): Promise<unknown> => {
      const files = { 'definitions/a.json': definition };
      try {
        const kernel = await start({ files, config: chains === undefined ? {} : { chains } });
        return (await kernel.post('/chain', {})).status;
      } catch (error) {
        return (error as { problems?: readonly { code: string }[] }).problems?.map(({ code }) => code);
      }
    };
    expect(await outcome(chain(50, false))).to.equal(200);
    expect(await outcome(chain(51, false))).to.deep.equal(['LNK_CHAIN']);
    expect(await outcome(chain(51, false), { actionables: 51 })).to.equal(200);
    expect(await outcome(chain(10, true))).to.equal(200);
    expect(await outcome(chain(11, true))).to.deep.equal(['LNK_DEEP']);
    expect(await outcome(chain(11, true), { depth: 11 })).to.equal(200);
    expect(await outcome(chain(3, true), { depth: 2 })).to.deep.equal(['LNK_DEEP']);
  });

  describe('bombs are rejected within 50 ms', () => {
    const MOST_MS = 50;
    /** Keys that a table of properties would keep in one place. */
    const colliding = Array.from({ length: 60_000 }, (_, i) => `"${i * 65_536}":1`).join(',');
    for (const [what, body, statuses] of [
      [
        'a hundred thousand keys',
        `{${Array.from({ length: 100_000 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`,
        [413],
      ],
      ['a million levels', '['.repeat(1_000_000), [400]],
      ['half a million levels, closed', '['.repeat(500_000) + ']'.repeat(500_000), [413]],
      ['a string of ten megabytes', bytes(10_000_000), [413]],
      ['keys that collide', `{${colliding}}`, [413]],
      ['half a million items', `[${'0,'.repeat(500_000)}0]`, [413]],
      ['endless escapes', `{"a":"${'\\u0061'.repeat(170_000)}`, [400]],
    ] as const) {
      it(what, async () => {
        const kernel = await start({ files: FILES });
        const { status } = await kernel.post('/echo', body).catch(() => ({ status: 413 }));
        expect(statuses).to.include(status);
        // A body whose announced length is too large is not read at all.
        if (body.length > limits.body) return;
        const sent = Buffer.from(body);
        const times = Array.from({ length: 5 }, () => {
          const before = process.cpuUsage();
          expect(() => parseJson(sent, limits)).to.throw();
          return process.cpuUsage(before).user / 1000;
        });
        // Of the processor, and the best of several: others use the machine too.
        expect(Math.min(...times)).to.be.at.most(MOST_MS);
      });
    }
  });
});
