/**
 * The deadline of a request applies to every store that it waits for: caches, queues, storages, documents. With plugins
 * that never respond, and with servers that accept everything and send nothing.
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { isOutcomeUnknown } from '../support/client.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { defineReturnResource, PLUGIN_FIXTURES } from '../support/project.js';
import { startOwnRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntilNoTempFiles } from '../support/temp-files.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';
import { waitUntil } from '../support/until.js';

/** Seconds. A silent Redis is detected after 0.8 s, so the deadline ends what ends here. */
const REQUEST = 0.3;
const LONGEST_MS = 700;
const http = { timeouts: { request: REQUEST } };
const JWT = { type: 'JWT', encryption_key: '$ENV.KEY' };
const CACHED = { cacheable: { read_from_cache: true, duration: 600, cache_key: 'made' } };

const FILES = {
  'definitions/a.json': [
    defineReturnResource('plain', 1),
    defineReturnResource('counted', 1, { rate_limit: { limit: 1000, expires_after: 60 } }),
    defineReturnResource('made', { made: '$GENERATOR.ULID' }, CACHED),
    defineReturnResource('drop', 1, { cacheable: { invalidate_cache_keys: ['made'] } }),
    { ...defineReturnResource('me', { id: '$PROTECTED.id' }), tokenize: JWT, protected: { extract_claims: ['id'] } },
    { id: 'out', resource: 'out', tokenize: JWT, invalidate_tokenize: { tokens: '$PAYLOAD.token' } },
  ],
};
const UPLOADS = {
  'definitions/a.json': [
    { id: 'put', resource: 'put', actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'a' } }] },
    {
      id: 'delete',
      resource: 'delete',
      actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'a', delete_files: true } }],
    },
    { id: 'later', resource: 'later', actionables: [{ id: 1, mode: 'RETURN', value: 1, queue: {} }] },
  ],
};

const token = await signJwt({ id: 'ada', exp: Math.floor(Date.now() / 1000) + 600 });

describe('deadline of a request, at every store', () => {
  const open: { close(): Promise<unknown> }[] = [];
  after(async () => {
    for (const one of open.reverse()) await one.close();
  });
  async function start(options: Parameters<typeof startKernel>[0]): Promise<TestKernel> {
    const kernel = await startKernel(options);
    open.push(kernel);
    return kernel;
  }

  /** Status and code of the response, which arrives in time. */
  async function send(
    kernel: TestKernel,
    path: string,
    { body = {}, init = {} }: { body?: unknown; init?: RequestInit } = {},
  ): Promise<string> {
    const elapsed = startStopwatch();
    const form = body instanceof FormData;
    const answer = await (form ? kernel.request('POST', path, { body }) : kernel.post(path, body, init));
    expect(elapsed(), path).to.be.lessThan(LONGEST_MS);
    if (answer.status === 503) expect(answer.headers.has('retry-after'), path).to.equal(!isOutcomeUnknown(answer.body));
    return `${answer.status} ${answer.status === 200 ? '' : (answer.body['code'] as string)}`.trim();
  }
  const sendPicture = (kernel: TestKernel): Promise<string> =>
    send(kernel, '/put', {
      body: createFormData([{ name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' }]),
    });

  it('returns 503 for requests that need plugins without a response; others are computed or pending', async () => {
    const plugins = ['builtin:*', join(PLUGIN_FIXTURES, 'silent')];
    const stores = { cache: { use: 'silent' }, storage: { use: 'silent' }, queue: { use: 'silent' } };
    const definitions = [...FILES['definitions/a.json'], ...UPLOADS['definitions/a.json']];
    const kernel = await start({
      files: { 'definitions/a.json': definitions },
      config: { plugins, ...stores, http },
      env: { KEY },
    });
    const outcomes = await Promise.all([
      send(kernel, '/plain'),
      send(kernel, '/counted'),
      send(kernel, '/me', { init: createBearerInit(token) }),
      send(kernel, '/out', { body: { token } }),
      send(kernel, '/made'),
      send(kernel, '/drop'),
      sendPicture(kernel),
      send(kernel, '/delete', { body: ['a/0123456789.png'] }),
      send(kernel, '/later'),
    ]);
    const late = '503 REQ_LATE';
    expect(outcomes).to.deep.equal(['200', late, late, late, '200', '200', late, late, late]);
    await waitUntilNoTempFiles();
  });

  describe('with a Redis that stops responding', () => {
    let proxy: FaultProxy;
    let kernel: TestKernel;
    before(async function () {
      const server = await startOwnRedis();
      if ('skip' in server) return skipTest(this, server.skip);
      open.push({ close: () => server.stop() });
      proxy = await startFaultProxy({ host: '127.0.0.1', port: server.port });
      open.push(proxy);
      const config = { cache: { use: 'redis', url: '$ENV.REDIS' }, http };
      kernel = await start({ files: FILES, config, env: { KEY, REDIS: `redis://127.0.0.1:${proxy.port}` } });
    });

    it('ends counters, revocations and look-ups in time, and all of them work when it is available again', async () => {
      proxy.muteResponses();
      const outcomes = await Promise.all([
        send(kernel, '/counted'),
        send(kernel, '/me', { init: createBearerInit(token) }),
        send(kernel, '/out', { body: { token } }),
        send(kernel, '/made'),
        send(kernel, '/drop'),
      ]);
      expect(outcomes).to.deep.equal(['503 REQ_LATE', '503 REQ_LATE', '503 REQ_LATE', '200', '200']);
      await proxy.passTraffic();
      await waitUntil(async () => (await send(kernel, '/counted')) === '200');
      await waitUntil(async () => {
        const [one, two] = [await kernel.post('/made'), await kernel.post('/made')];
        return one.body['made'] === two.body['made'];
      });
    });
  });

  it('returns 503 for an S3 server that accepts files and never responds, and no connection stays open', async () => {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(request.method ?? '');
      request.resume();
      if (request.method === 'HEAD') response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push({ close: async () => void server.close().closeAllConnections() });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const storage = { use: 'minio', endpoint, bucket: 'files', access_key: '$ENV.ID', secret_key: '$ENV.SECRET' };
    const env = { ID: 'an id of the tests', SECRET: 'a secret of the tests' };
    const kernel = await start({ files: UPLOADS, config: { storage, http }, env });
    const outcomes = await Promise.all([sendPicture(kernel), send(kernel, '/delete', { body: ['a/0123456789.png'] })]);
    expect(outcomes.map((text) => text.slice(0, 3))).to.deep.equal(['503', '503']);
    expect(asked).to.include.members(['PUT', 'POST']);
    await waitUntilNoTempFiles();
    // The sweep of uploads with an unknown outcome sends one request at a time.
    const countConnections = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await waitUntil(async () => (await countConnections()) <= 2);
  });

  describe('with a MongoDB that stops responding', () => {
    let proxy: FaultProxy;
    let kernel: TestKernel;
    before(async function () {
      const server = await startMongo();
      if ('skip' in server) return skipTest(this, server.skip);
      const url = new URL(await createMongoDatabase());
      proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
      open.push(proxy);
      url.port = String(proxy.port);
      const query = (id: string, mongo_query: object): object => ({
        id,
        resource: id,
        actionables: [{ id: 1, mode: 'QUERY', mongo_query: { collection: '_note', ...mongo_query } }],
      });
      const files = {
        'definitions/_note.json': { text: { type: 'String' } },
        'definitions/a.json': [
          query('add', { action: 'INSERT', parameters: ['$PAYLOAD.text'] }),
          query('all', { action: 'FETCH' }),
        ],
      };
      const documents = { main: { use: 'mongodb', url: '$ENV.MONGO' } };
      kernel = await start({ files, config: { documents, http }, env: { MONGO: url.href } });
    });

    it('ends reads and writes in time, and serves again when it is available', async () => {
      await kernel.post('/all');
      proxy.muteResponses();
      const outcomes = await Promise.all([send(kernel, '/all'), send(kernel, '/add', { body: { text: 'a' } })]);
      expect(outcomes).to.deep.equal(['503 QRY_TIMEOUT', '503 QRY_TIMEOUT']);
      await proxy.passTraffic();
      await waitUntil(async () => (await kernel.post('/all')).status === 200);
    });
  });
});
