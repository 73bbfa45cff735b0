/**
 * Uploads to a real S3 server that becomes unavailable, and chains that fail after them: the response, that nothing of
 * the chain ran, and that nothing remains in the bucket. A proxy between the two fails on demand.
 */
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED, type Part } from '../support/pictures.js';
import { FORM_TYPE, createRawForm } from '../support/pictures.js';
import { createS3Subject, type S3Subject } from '../support/s3-storage.js';
import { waitUntilNoTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const MIB = 1024 * 1024;
const uploads = { max_upload_file_size: 30 * MIB, allowed_mimetypes: ['image/png'], upload_folder: 'gallery' };
const insert = {
  id: 2,
  mode: 'QUERY',
  sql_query: {
    query: 'INSERT INTO pictures (title, storage_key, url) VALUES ($1, $2, $3) RETURNING title, storage_key, url',
    parameters: ['title', 'storage_key', 'url'],
    multi: true,
  },
  returnables: ['title', 'storage_key', 'url'],
};
const DEFINITIONS = [
  { _picture: { title: { type: 'String', unique: true }, storage_key: { type: 'String' }, url: { type: 'String' } } },
  {
    id: 'add',
    resource: 'add',
    actionables: [
      { id: 1, mode: 'UPLOAD', uploads, payload_validation: [{ field: { title: { type: 'STRING' } } }] },
      insert,
    ],
  },
  {
    id: 'lend',
    resource: 'lend',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { ...uploads, expiration: 2 } }],
  },
  {
    id: 'drop',
    resource: 'drop',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'gallery', delete_files: true } }],
  },
  {
    id: 'count',
    resource: 'count',
    actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: 'SELECT count(*) AS n FROM pictures', parameters: [] } }],
    returnables: ['n'],
  },
];
const small: Part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
const large: Part = { ...small, content: Buffer.concat([PNG_RED, randomBytes(20 * MIB)]) };

describe('uploads to an S3 server', function () {
  let kernel!: TestKernel;
  let s3!: S3Subject;
  before(async function () {
    const found = await createS3Subject();
    if ('skip' in found) return skipTest(this, found.skip);
    s3 = found;
    const storage = {
      use: 'minio',
      endpoint: '$ENV.S3_ENDPOINT',
      access_key: '$ENV.S3_ACCESS_KEY',
      secret_key: '$ENV.S3_SECRET_KEY',
      bucket: s3.bucket,
      connect_timeout: 1,
      idle_timeout: 2,
    };
    kernel = await startKernel({
      files: { 'definitions/a.json': DEFINITIONS },
      config: { connections: { main: { use: 'pglite', path: 'memory://' } }, storage },
      env: {
        S3_ENDPOINT: `http://127.0.0.1:${s3.proxy.port}`,
        S3_ACCESS_KEY: s3.server.accessKey,
        S3_SECRET_KEY: s3.server.secretKey,
      },
    });
  });
  after(async () => {
    await kernel?.close();
    await s3?.close();
  });
  beforeEach(() => s3.proxy.passTraffic());
  afterEach(async () => {
    await waitUntilNoTempFiles();
    const shown = inspect(kernel.log, { depth: 9 });
    expect(shown).not.to.contain(s3.server.secretKey);
    expect(shown).not.to.contain(s3.server.accessKey);
  });

  interface Stored {
    readonly storage_key: string;
    readonly url: string;
  }
  const post = <T = readonly Stored[]>(path: string, parts: readonly Part[]) =>
    kernel.request<T>('POST', path, { body: createFormData(parts) });
  const rows = async (): Promise<number> => (await kernel.post<{ n: number }>('/count', {})).body.n;
  const titled = (title: string): Part => ({ name: 'title', content: title });
  /** The bucket and the table must contain the same again, soon. */
  async function expectNothingLeft(objects: readonly string[], count: number): Promise<void> {
    await waitUntil(async () => (await s3.listStoredKeys()).join() === objects.join());
    expect(await rows()).to.equal(count);
  }

  it('store the file, and return a URL that plain HTTP reads', async () => {
    const { status, body, text } = await post('/add', [titled('first'), small]);
    expect(status, text).to.equal(200);
    const [row] = body;
    const read = await fetch(row!.url);
    expect([read.status, read.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(Buffer.from(await read.arrayBuffer()).equals(PNG_RED)).to.equal(true);
    expect(await s3.listStoredKeys()).to.include(row!.storage_key);
  });

  it('with an expiration are read at their signed URL only, and not for longer', async () => {
    const { body } = await post('/lend', [small]);
    const { url, storage_key } = body[0]!;
    expect((await fetch(url)).status).to.equal(200);
    expect((await fetch(url.slice(0, url.indexOf('?')))).status).to.equal(403);
    await waitUntil(async () => (await fetch(url)).status === 403);
    const { status, text } = await kernel.post('/drop', [storage_key]);
    expect(status, text).to.equal(200);
    expect(await s3.listStoredKeys()).not.to.include(storage_key);
  });

  it('return 503 when the server becomes unavailable in the middle of a file: nothing is inserted, no part remains', async () => {
    const [objects, count] = [await s3.listStoredKeys(), await rows()];
    s3.proxy.cutAfter(10 * MIB, 'refuse');
    const { status, headers, body } = await post<Record<string, unknown>>('/add', [titled('cut'), large]);
    expect([status, body['code'], headers.get('retry-after')]).to.deep.equal([503, 'STO_AWAY', '1']);
    expect(await s3.listStoredKeys()).to.have.length(objects.length + 1);
    expect((await kernel.kernel.health())['storage:minio']?.ok).to.equal(false);
    await s3.proxy.passTraffic();
    await expectNothingLeft(objects, count);
    expect((await post('/add', [titled('cut'), large])).status).to.equal(200);
    expect((await kernel.kernel.health())['storage:minio']?.ok).to.equal(true);
  });

  it('remove the earlier files of the request when the server is available again', async () => {
    const [objects, count] = [await s3.listStoredKeys(), await rows()];
    s3.proxy.cutAfter(15 * MIB, 'refuse');
    const { status } = await post('/add', [titled('two'), small, small, large]);
    expect(status).to.equal(503);
    expect(await s3.listStoredKeys()).to.have.length(objects.length + 3);
    await s3.proxy.passTraffic();
    await expectNothingLeft(objects, count);
  });

  it('are removed when the statement after them is rejected', async () => {
    await post('/add', [titled('taken'), small]);
    const [objects, count] = [await s3.listStoredKeys(), await rows()];
    const { status, body } = await post<Record<string, unknown>>('/add', [titled('taken'), small]);
    expect([status, body['code']]).to.deep.equal([409, 'QRY_UNIQUE']);
    await expectNothingLeft(objects, count);
  });

  it('of clients that disconnect in the middle leave no file', async () => {
    const [objects, count] = [await s3.listStoredKeys(), await rows()];
    const head = 'content-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png';
    const body = createRawForm([{ headers: head, content: Buffer.concat([PNG_RED, randomBytes(MIB)]) }]);
    const { hostname, port } = new URL(kernel.url);
    for (const share of [0.01, 0.5, 0.99]) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /add HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${FORM_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      socket.write(body.subarray(0, Math.floor(body.length * share)), () => socket.destroy());
      await once(socket, 'close');
      await waitUntilNoTempFiles();
    }
    await expectNothingLeft(objects, count);
  });

  it('return 503 soon when the server does not respond, and other endpoints keep serving', async () => {
    const count = await rows();
    s3.proxy.stall();
    const elapsed = startStopwatch();
    const waiting = post<Record<string, unknown>>('/add', [titled('silent'), small]);
    expect(await rows()).to.equal(count);
    const { status, body } = await waiting;
    expect([status, body['code']]).to.deep.equal([503, 'STO_AWAY']);
    expect(elapsed()).to.be.lessThan(8000);
    await s3.proxy.rejectConnections();
  });

  it('do not start without a key', async () => {
    const failure = await startKernel({
      files: { 'definitions/a.json': DEFINITIONS },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        storage: {
          use: 'minio',
          endpoint: s3.server.endpoint,
          bucket: s3.bucket,
          access_key: '$ENV.S3_ACCESS_KEY',
          secret_key: '$ENV.S3_SECRET_KEY',
        },
      },
      env: { S3_ACCESS_KEY: s3.server.accessKey },
    }).then(
      (started) => started.close(),
      (error: unknown) => error,
    );
    expect(inspect(failure)).to.match(/S3_SECRET_KEY/);
  });
});
