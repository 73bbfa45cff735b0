/**
 * One deadline for each request (`http.timeouts.request`): whatever it waits for (a connection, a statement, a lock, a
 * silent server, a limiter, a call), it gets a response by then, and unfinished work is not acknowledged. With a real
 * server.
 */
import { expect } from 'chai';
import pg from 'pg';
import { isOutcomeUnknown } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { startUpstream, type Upstream } from '../support/upstream.js';
import { waitUntil } from '../support/until.js';

const FILES = {
  'definitions/_note.json': { id: { type: 'Number', primary_key: true }, n: { type: 'Number' } },
  'definitions/a.json': [
    defineQueryResource('slow', 'SELECT 1 AS a FROM pg_sleep($1)', ['$PAYLOAD.seconds']),
    defineQueryResource('read', 'SELECT n FROM notes WHERE id = 1'),
    defineQueryResource('change', 'UPDATE notes SET n = n + 1 WHERE id = 1 RETURNING n'),
    {
      id: 'call',
      resource: 'call',
      actionables: [{ id: 1, mode: 'HTTPREQUEST', http: { url: '$ENV.SERVICE/', timeout: 30 } }],
    },
  ],
};

describe('deadline of a request', () => {
  let kernel: TestKernel;
  let proxy: FaultProxy;
  let admin: pg.Client;
  let service: Upstream;

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = new URL(await createPostgresDatabase());
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
    [url.hostname, url.port] = ['127.0.0.1', String(proxy.port)];
    const main = { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 4, pool_wait: 0.4 };
    service = await startUpstream(() => undefined);
    const outbound = { allow: [`127.0.0.1:${service.port}`], timeouts: { most: 30 } };
    const config = { connections: { main }, http: { timeouts: { request: 1 } }, outbound };
    kernel = await startKernel({ files: FILES, config, env: { DATABASE_URL: url.href, SERVICE: service.url } });
    await admin.query('INSERT INTO notes (id, n) VALUES (1, 1)');
  });
  after(async () => {
    await kernel?.close();
    await service?.close();
    await proxy?.close();
    await admin?.end();
  });

  const running = async (): Promise<number> => {
    // Inside a transaction the first read would be repeated.
    await admin.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await admin.query<{ n: string }>(
      `SELECT count(*) AS n FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    );
    return Number(rows[0]?.n);
  };

  it('cancels a statement', async () => {
    const { status, body, headers } = await kernel.post('/slow', { seconds: 3 });
    // A function may write.
    expect([status, body['code'], headers.get('retry-after')]).to.deep.equal([503, 'QRY_TIMEOUT', null]);
    expect(isOutcomeUnknown(body)).to.equal(true);
    await kernel.post('/slow', { seconds: 0 });
  });

  it('aborts a call to a service that does not respond', async () => {
    const elapsed = startStopwatch();
    const { status, body } = await kernel.post('/call');
    expect([status, body['code']]).to.deep.equal([504, 'OUT_TIMEOUT']);
    expect(elapsed()).to.be.lessThan(4000);
  });

  it('aborts the wait for a lock: the response states that the outcome is unknown, and the server drops the statement', async () => {
    await admin.query('BEGIN');
    await admin.query('UPDATE notes SET n = n WHERE id = 1');
    const { status, body } = await kernel.post('/change');
    await waitUntil(async () => (await running()) === 0);
    await admin.query('COMMIT');
    expect([status, body['code']]).to.deep.equal([503, 'QRY_TIMEOUT']);
    expect(body['detail']).to.match(/not known/);
    expect((await kernel.post('/read')).body).to.deep.equal({ n: 1 });
  });

  it('limits waits for connections: of many slow statements some succeed, and no other request waits for them', async () => {
    // On a slow machine the time of all may be over before a statement is sent.
    await waitUntil(async () => {
      const elapsed = startStopwatch();
      const answers = await Promise.all(
        Array.from({ length: 150 }, async () => {
          const { status, body, headers } = await kernel.post('/slow', { seconds: 0.3 });
          return { status, code: body['code'], again: headers.get('retry-after') };
        }),
      );
      const rejected = answers.filter(({ status }) => status === 503);
      for (const { code, again } of rejected) {
        expect(['QRY_UNAVAILABLE', 'QRY_TIMEOUT']).to.include(code);
        // A statement that was cancelled may have written.
        if (code === 'QRY_UNAVAILABLE') expect(Number(again)).to.be.at.least(1);
      }
      expect(answers.length - rejected.length).to.be.at.most(40);
      expect(elapsed()).to.be.lessThan(4000);
      return answers.length - rejected.length >= 3;
    }, 'some succeed');
    await waitUntil(async () => (await kernel.post('/read')).status === 200, 'others are served');
  });

  it('ends the wait for a server that stops responding, and serves again when it is available', async () => {
    proxy.stall();
    const elapsed = startStopwatch();
    const [read, change] = await Promise.all([kernel.post('/read'), kernel.post('/change')]);
    expect([read.status, change.status]).to.deep.equal([503, 503]);
    expect(elapsed()).to.be.lessThan(4000);
    await proxy.passTraffic();
    await waitUntil(async () => (await kernel.post('/read')).status === 200);
    expect((await kernel.post('/read')).body).to.deep.equal({ n: 1 });
  });
});
