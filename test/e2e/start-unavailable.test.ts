/**
 * A start without the configured servers: the process listens, serves what it can and is ready soon after they are
 * available. A wrong setting, unlike an unavailable server, still ends it immediately. Real servers, started late or
 * behind a proxy.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createClient, type Client, type Loose } from '../support/client.js';
import type { Running } from '../support/cli.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { pickFreePort } from '../support/guarded-server.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { createPostgresDatabase, hasLocalPostgres, startOwnPostgres, startPostgres } from '../support/postgres.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { createBucket, startS3 } from '../support/s3.js';
import { serveInProcess, waitUntilReady, serveAsChild } from '../support/serve.js';
import { NO_POSTGRES, skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

const NOTE = { id: { type: 'Number', primary_key: true, auto_increment: true }, text: { type: 'String' } };
const FILES = {
  'definitions/_note.json': NOTE,
  'definitions/a.json': [
    defineQueryResource('note', 'INSERT INTO notes (text) VALUES ($1)', ['$PAYLOAD.text']),
    defineReturnResource('echo', '$PAYLOAD'),
  ],
};
const PASSWORD = 'right-canary-1';

async function listening(child: Running): Promise<Client> {
  const [, url = ''] = await child.waitForOutput(/listening at (http:\S+)/);
  return createClient(url);
}

/** A proxy for a server of this run that rejects every connection. */
async function refusing(url: string): Promise<{ proxy: FaultProxy; url: string }> {
  const target = new URL(url);
  const proxy = await startFaultProxy({ host: target.hostname, port: Number(target.port) });
  await proxy.rejectConnections();
  target.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: target.href.replace(/\/$/, '') };
}

const readiness = async (client: Client): Promise<number> => (await client.request('GET', '/status/ready')).status;

describe('lintel serve without its database', function () {
  const { start } = serveInProcess();
  const { start: startProcess } = serveAsChild();
  const port = pickFreePort();
  const urlWith = async (password: string, database = 'postgres'): Promise<string> =>
    `postgres://postgres:${password}@127.0.0.1:${await port}/${database}`;
  let stop: () => Promise<void> = () => Promise.resolve();
  before(function () {
    if (!hasLocalPostgres()) skipTest(this, NO_POSTGRES);
  });
  after(() => stop());

  it('listens, serves available resources, logs what it waits for, and is ready within five seconds', async () => {
    const child = await start(FILES, { env: { DATABASE_URL: await urlWith(PASSWORD) } });
    const client = await listening(child);
    expect((await client.request('GET', '/status/live')).status).to.equal(200);
    const status = await client.request<{ ready: boolean; plugins: Loose }>('GET', '/status/ready');
    expect(status.status).to.equal(503);
    expect([status.body.ready, status.body.plugins['dialect:postgres/main']]).to.deep.equal([
      false,
      { ok: false, detail: 'waiting: Connection main cannot be opened: nothing listens at this address.' },
    ]);
    expect((await client.post('/echo', { a: 1 })).body).to.deep.equal({ a: 1 });
    const rejected = await client.post('/note', { text: 'x' });
    expect([rejected.status, rejected.headers.get('retry-after'), rejected.body['code']]).to.deep.equal([
      503,
      '1',
      'REQ_WAITING',
    ]);
    const server = await startOwnPostgres(await port, PASSWORD);
    if ('skip' in server) throw new Error(server.skip);
    stop = () => server.stop();
    await waitUntil(async () => (await readiness(client)) === 200);
    const first = await client.post('/note', { text: 'x' });
    expect([first.status, first.body['id']]).to.deep.equal([200, 1]);
    await waitUntilReady(child);
    const { code, stdout, stderr } = await child.stop();
    expect(code).to.equal(0);
    expect(stderr)
      .to.contain('unavailable servers:\n  dialect:postgres/main: ')
      .and.match(/POST +\/note /);
    expect(stdout + stderr).not.to.contain(PASSWORD);
  });

  for (const [what, url, words] of [
    ['a wrong password', () => urlWith('wrong-canary'), 'user name or password refused'],
    ['an unknown database', () => urlWith(PASSWORD, 'nowhere'), 'the database does not exist'],
    [
      'a setting that the server rejects',
      () => urlWith(PASSWORD, 'postgres?options=-c%20nonsense%3D1'),
      'the connection failed',
    ],
    ['an invalid URL', () => Promise.resolve('mysql://nowhere'), 'the address is not valid'],
  ] as const) {
    it(`exits immediately with one clear line for ${what}`, async () => {
      const child = await start(FILES, { env: { DATABASE_URL: await url() } });
      const { code, stdout, stderr } = await child.finished;
      expect(code).to.equal(1);
      expect(stderr.trim().split('\n')[0]).to.contain('PLG_OPEN').and.contain(words);
      expect(stdout + stderr).not.to.contain('canary');
      expect(stderr).not.to.contain('listening at').and.not.contain('    at ');
    });
  }

  it('exits when the server that it waited for rejects its password', async () => {
    const { proxy, url } = await refusing(await urlWith('wrong-canary'));
    const child = await start(FILES, { env: { DATABASE_URL: url } });
    await listening(child);
    await proxy.passTraffic();
    const { code, stderr } = await child.finished;
    expect(code).to.equal(1);
    expect(stderr).to.contain('user name or password refused').and.not.contain('ready at');
    await proxy.close();
  });

  it('exits immediately with 0 on SIGTERM while it waits for a server', async () => {
    const { proxy, url } = await refusing(await urlWith(PASSWORD));
    await proxy.passTraffic();
    proxy.stall();
    const main = { use: 'postgres', url: '$ENV.DATABASE_URL', pool_wait: 2 };
    const child = await startProcess(
      { ...FILES, 'lintel.config.json': { connections: { main } } },
      { env: { DATABASE_URL: url } },
    );
    const client = await listening(child);
    const { body } = await client.request<{ plugins: Record<string, Loose> }>('GET', '/status');
    expect(body.plugins['dialect:postgres/main']?.['detail']).to.contain('no answer in time');
    const elapsed = startStopwatch();
    const { code, stderr } = await child.stop('SIGTERM');
    expect([code, stderr.includes('ready at')]).to.deep.equal([0, false]);
    expect(elapsed()).to.be.below(1500);
    await proxy.close();
  });
});

describe('kernel that waits for several servers', function () {
  let kernel: TestKernel | undefined;
  const proxies: FaultProxy[] = [];
  afterEach(async () => {
    await kernel?.close();
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  const createUnavailable = async (url: string): Promise<{ proxy: FaultProxy; url: string }> => {
    const made = await refusing(url);
    proxies.push(made.proxy);
    return made;
  };
  const waiting = (): string[] => [...(kernel?.kernel.waiting.keys() ?? [])];

  it('uses each of three as soon as it is available, in any order', async function () {
    const [database, s3] = [await startPostgres(), await startS3()];
    if ('skip' in database) return skipTest(this, database.skip);
    if ('skip' in s3) return skipTest(this, s3.skip);
    const [main, other] = [
      await createUnavailable(await createPostgresDatabase()),
      await createUnavailable(await createPostgresDatabase()),
    ];
    const files = await createUnavailable(s3.endpoint);
    const upload = {
      id: 'upload',
      resource: 'upload',
      actionables: [{ id: 1, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/png'], upload_folder: 'in' } }],
    };
    kernel = await startKernel({
      files: { ...FILES, 'definitions/b.json': upload },
      config: {
        connections: {
          main: { use: 'postgres', url: '$ENV.MAIN' },
          other: { use: 'postgres', url: '$ENV.OTHER' },
        },
        storage: {
          use: 'minio',
          endpoint: '$ENV.S3',
          access_key: '$ENV.S3_KEY',
          secret_key: '$ENV.S3_SECRET',
          bucket: await createBucket(),
        },
      },
      env: { MAIN: main.url, OTHER: other.url, S3: files.url, S3_KEY: s3.accessKey, S3_SECRET: s3.secretKey },
      wait: true,
    });
    const running = kernel;
    expect(waiting()).to.have.members(['dialect:postgres/main', 'dialect:postgres/other', 'storage:minio']);
    const send = async (): Promise<number> => {
      const body = createFormData([{ name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' }]);
      return (await running.request('POST', '/upload', { body })).status;
    };
    const note = async (): Promise<number> => (await running.post('/note', { text: 'x' })).status;
    expect([await send(), await note()]).to.deep.equal([503, 503]);
    await files.proxy.passTraffic();
    await waitUntil(async () => (await send()) === 200);
    expect([await note(), await readiness(running)]).to.deep.equal([503, 503]);
    await main.proxy.passTraffic();
    await waitUntil(async () => (await note()) === 200);
    expect([waiting(), await readiness(running)]).to.deep.equal([['dialect:postgres/other'], 503]);
    await other.proxy.passTraffic();
    await running.kernel.complete();
    expect([waiting(), await readiness(running)]).to.deep.equal([[], 200]);
  });

  it('calls taps of `ready` once when all servers are available, and applies a reload meanwhile', async function () {
    const database = await startPostgres();
    if ('skip' in database) return skipTest(this, database.skip);
    const { proxy, url } = await createUnavailable(await createPostgresDatabase());
    const module = pathToFileURL(join(PLUGIN_FIXTURES, 'witness', 'recorder', 'runtime.js')).href;
    const { events } = (await import(module)) as { events: unknown[][] };
    events.length = 0;
    kernel = await startKernel({
      files: FILES,
      config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'witness')] },
      env: { DATABASE_URL: url },
      wait: true,
    });
    const listReadyEvents = (): unknown[] => events.filter(([event]) => event === 'ready');
    await kernel.project.write('definitions/_note.json', { ...NOTE, more: { type: 'String', optional: true } });
    await kernel.project.write('definitions/a.json', [
      defineQueryResource('note', 'INSERT INTO notes (text, more) VALUES ($1, $2)', ['$PAYLOAD.text', '$PAYLOAD.more']),
      defineReturnResource('echo', 'new'),
    ]);
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect((await kernel.post('/echo', {})).body).to.equal('new');
    expect((await kernel.post('/note', { text: 'x', more: 'y' })).status).to.equal(503);
    expect(listReadyEvents()).to.deep.equal([]);
    await proxy.passTraffic();
    await kernel.kernel.complete();
    expect((await kernel.post('/note', { text: 'x', more: 'y' })).body).to.include({ text: 'x', more: 'y' });
    await kernel.kernel.ready();
    expect(listReadyEvents()).to.deep.equal([['ready', ['note', 'echo']]]);
  });

  it('ends the start without `wait` for an unavailable server, as in `lintel dev` and `lintel migrate`', async () => {
    const env = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/postgres' };
    const failure = await startKernel({ files: FILES, env }).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'PLG_OPEN');
  });
});
