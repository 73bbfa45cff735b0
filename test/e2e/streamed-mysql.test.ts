/**
 * Large results of MySQL and MariaDB that are sent while they are received, by the contract of `streamed-results`: the same bytes
 * as a result that is held, no complete response for one that fails, and connections that are free again however it ends.
 */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { SQL } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createStalledReaders, formatPost } from '../support/stalled-readers.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

/** A megabyte for each hundred. */
const NUMBERS = 'FROM numbers AS a CROSS JOIN numbers AS b WHERE a.n <= $1';
const WIDE = `SELECT a.n * 100 + b.n AS n, repeat('x', 10000) AS t ${NUMBERS}`;
const NAUGHTY = `SELECT b.n, a.n * 4503599627370496 AS long_number, b.n / 8 AS part, b.n % 2 = 0 AS even,
  concat('"\\', char(10 USING utf8mb4), '€😀', repeat('x', b.n)) AS text, CASE WHEN b.n % 3 = 0 THEN NULL ELSE 'a' END AS gap,
  timestamp '2026-01-02 03:04:05.678901' AS at, date '2026-01-02' AS day, json_object('n', b.n) AS json ${NUMBERS}
  ORDER BY a.n, b.n`;
/** Two rows in place of a value. */
const BROKEN = `SELECT a.n * 100 + b.n AS n, repeat('x', 100) AS t,
  (SELECT c.n FROM numbers AS c WHERE c.n <= CASE WHEN a.n * 100 + b.n = 9000 THEN 2 ELSE 1 END) AS one ${NUMBERS}`;

const FILES = {
  'definitions/_number.json': { n: { type: 'Number', primary_key: true } },
  'definitions/a.json': [
    defineQueryResource('fill', 'INSERT INTO numbers (n) VALUES ($1)', ['$PAYLOAD.n']),
    defineQueryResource('naughty', NAUGHTY, ['$PAYLOAD.n']),
    { ...defineQueryResource('some', NAUGHTY, ['$PAYLOAD.n']), returnables: ['at', 'text', 'n'] },
    defineQueryResource('wide', WIDE, ['$PAYLOAD.n']),
    defineQueryResource('broken', BROKEN, ['$PAYLOAD.n']),
  ],
};

for (const { name, make, config } of SQL.filter((one) => /mysql|mariadb/i.test(one.name)))
  describe(`streamed results (${name})`, () => {
    let kernel: TestKernel;
    let database = '';
    const readers = createStalledReaders();
    const start = (http: object = {}): Promise<TestKernel> =>
      startKernel({
        files: FILES,
        config: {
          ...config('$ENV.DATABASE', { pool_size: 2, pool_wait: 10 }),
          http: { limits: { unread: 40_000_000 }, ...http },
        },
        env: { DATABASE: database },
      });
    before(async function () {
      const url = (await make?.()) ?? { skip: 'no server' };
      if (typeof url !== 'string') return skipTest(this, url.skip);
      database = url;
      kernel = await start();
      for (let n = 1; n <= 100; n++) await kernel.post('/fill', { n });
    });
    afterEach(() => readers.close());
    after(() => kernel?.close());

    const readLittle = (path: string, body: object, of = kernel): Promise<Socket> =>
      readers.read(of.server.port, path, body);

    for (const path of ['naughty', 'some'])
      it(`${path}: have the same bytes as a buffered result`, async () => {
        const streamed = await kernel.post(`/${path}`, { n: 40 });
        const held = await kernel.raw(formatPost(`/${path}`, { n: 40 }).replace('HTTP/1.1', 'HTTP/1.0'));
        const at = held.indexOf('\r\n\r\n');
        expect([streamed.status, streamed.headers.get('transfer-encoding')]).to.deep.equal([200, 'chunked']);
        expect(held.slice(0, at)).to.match(/content-length: \d{6}/i);
        expect(Buffer.from(held.slice(at + 4), 'latin1').toString() === streamed.text).to.equal(true);
        const small = await kernel.post<unknown[]>(`/${path}`, { n: 1 });
        expect([small.body.length, small.headers.get('transfer-encoding')]).to.deep.equal([100, null]);
      });

    it('are complete, many at once', async () => {
      const all = await Promise.all([1, 2, 3, 4].map((n) => kernel.post<unknown[]>('/wide', { n })));
      expect(all.map(({ body }) => body.length)).to.deep.equal([100, 200, 300, 400]);
    });

    it('are never complete if the statement fails in a late row; the location is logged', async () => {
      const text = await kernel.raw(formatPost('/broken', { n: 100 }));
      expect(text).to.match(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text.length).to.be.greaterThan(262_144);
      expect(text).to.not.match(/0\r\n\r\n$/);
      const failures = kernel.log.filter(({ message }) => message === 'request failed');
      expect(failures.map(({ fields: { resource, action, code } }) => [resource, action, code])).to.deep.equal([
        ['broken', 'broken#1', 'QRY_FAILED'],
      ]);
    });

    it('leave their connections to others if their clients disconnect or do not read', async () => {
      for (let n = 0; n < 2; n++) (await readLittle('/wide', { n: 100 })).destroy();
      expect((await kernel.post<unknown[]>('/wide', { n: 4 })).body).to.have.length(400);
      await Promise.all([1, 2].map(() => readLittle('/wide', { n: 100 })));
      expect((await kernel.post<unknown[]>('/wide', { n: 4 })).body).to.have.length(400);
    });

    it('end at the deadline of the request if their clients do not read', async () => {
      const other = await start({ timeouts: { request: 1 } });
      const elapsed = startStopwatch();
      await readLittle('/wide', { n: 100 }, other);
      const findFailure = () => other.log.find(({ message }) => message === 'request failed');
      await waitUntil(() => findFailure() !== undefined, 'the end of the statement');
      expect(elapsed()).to.be.lessThan(3000);
      expect(findFailure()?.fields).to.include({ resource: 'wide', action: 'wide#1', code: 'QRY_TIMEOUT' });
      await other.close();
    });
  });
