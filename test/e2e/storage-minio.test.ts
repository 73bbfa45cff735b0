/**
 * Failures of the storage `minio`: connections that are cut, stall or are never established, servers with invalid
 * responses, wrong keys. Remaining files, reported errors, and what is never reported. A real S3 server is behind a
 * proxy that fails on demand; other responses come from a scripted one.
 */
import { expect } from 'chai';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect, promisify } from 'node:util';
import { Fault } from '../../contract/fault.js';
import type { Storable } from '../../plugins/storages/kind.js';
import { expectStorageFault, createFileMaker } from '../contracts/storage.contract.js';
import { listBucketObjects, createS3Client, type S3Server } from '../support/s3.js';
import { openMinio, createS3Subject, type S3Subject } from '../support/s3-storage.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

const MIB = 1024 * 1024;
const KEYS = { access_key: 'AKCANARY0001', secret_key: 'canary-secret-Zk81jq' };
const newKey = (): string => `broken/${randomUUID()}`;

/** A server with the same response to every request, and its URL. */
async function fake(answer: RequestListener): Promise<{
  readonly endpoint: string;
  /** Connections. */
  open(): Promise<number>;
  stop(): Promise<void>;
}> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => promisify(server.getConnections.bind(server))(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The error of a failed start. */
const catchStartError = async (options: Readonly<Record<string, unknown>>): Promise<string> => {
  const { code, params } = await expectStorageFault(openMinio(options));
  expect(code).to.equal('STO_OPEN');
  return `${params['place']}: ${params['reason']}`;
};

describe('storage minio with failures', function () {
  let files!: Awaited<ReturnType<typeof createFileMaker>>;
  let subject!: S3Subject;
  let server!: S3Server;
  let large!: Storable;

  before(async function () {
    files = await createFileMaker();
    const found = await createS3Subject({ connect_timeout: 1, idle_timeout: 1 });
    if ('skip' in found) return skipTest(this, found.skip);
    subject = found;
    ({ server } = found);
    large = await files.make(randomBytes(20 * MIB));
  });
  after(async () => {
    await subject?.close();
    await files.dispose();
  });
  const configured = (more: object = {}): Readonly<Record<string, unknown>> => ({
    endpoint: server.endpoint,
    access_key: server.accessKey,
    secret_key: server.secretKey,
    bucket: subject.bucket,
    ...more,
  });

  it('leaves no part in the bucket when the server becomes unavailable in the middle of a file', async () => {
    for (const share of [0.05, 0.5, 0.95]) {
      const key = newKey();
      subject.proxy.cutAfter(share * large.size, 'refuse');
      expect((await expectStorageFault(subject.storage.put(key, large))).code).to.equal('STO_AWAY');
      if (share > 0.4) expect(await subject.listStoredKeys()).to.include(key);
      await subject.proxy.passTraffic();
      await waitUntil(async () => !(await subject.listStoredKeys()).includes(key));
    }
  });

  it('stores a complete file after one interruption of the connection', async () => {
    for (const bytes of [randomBytes(3 * MIB), randomBytes(20 * MIB)]) {
      const key = newKey();
      subject.proxy.cutAfter(bytes.length / 2, 'pass');
      await subject.storage.put(key, await files.make(bytes));
      const answer = await subject.read(await subject.storage.url(key, 60));
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).to.equal(true);
      await subject.storage.remove([key]);
      expect(await subject.listStoredKeys()).not.to.include(key);
    }
  });

  it('opens new connections when the server has closed the idle ones', async () => {
    const small = await files.make(Buffer.from('small'));
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 10 }, () => subject.storage.put(newKey(), small)));
      await subject.proxy.rejectConnections();
      await subject.proxy.passTraffic();
      // One after the other: each would meet one more connection that was closed.
      for (const file of [small, large, small]) await subject.storage.put(newKey(), file);
    }
  });

  it('fails when the server stops answering, in a transfer and before one', async () => {
    const endpoint = `http://127.0.0.1:${subject.proxy.port}`;
    const { storage } = await openMinio(configured({ endpoint, connect_timeout: 0.3, idle_timeout: 0.3 }));
    for (const prepare of [
      () => Promise.resolve(),
      () => subject.proxy.rejectConnections().then(() => subject.proxy.passTraffic()),
    ]) {
      await prepare();
      subject.proxy.stall();
      const [started, elapsed] = [performance.now(), startStopwatch()];
      expect((await expectStorageFault(storage.put(newKey(), large))).code).to.equal('STO_AWAY');
      expect((await expectStorageFault(storage.remove([newKey()]))).code).to.equal('STO_AWAY');
      expect((await subject.health()).ok).to.equal(false);
      expect(performance.now() - started).to.be.at.least(900);
      expect(elapsed()).to.be.lessThan(8000);
      await subject.proxy.rejectConnections();
      await subject.proxy.passTraffic();
    }
    expect((await subject.health()).ok).to.equal(true);
  });

  it('fails when a connection is not established', async () => {
    subject.proxy.stall();
    const elapsed = startStopwatch();
    // The TLS handshake is included, and gets no response here.
    const endpoint = `https://127.0.0.1:${subject.proxy.port}`;
    expect(await catchStartError(configured({ endpoint, connect_timeout: 0.3 }))).to.match(/no answer in time$/);
    expect(elapsed()).to.be.lessThan(3000);
    await subject.proxy.rejectConnections();
    await subject.proxy.passTraffic();
  });

  it('prevents the start with the reason, and without the keys', async () => {
    const free = await fake(() => {});
    await free.stop();
    const messages = await Promise.all([
      catchStartError(configured({ secret_key: KEYS.secret_key })),
      catchStartError(configured(KEYS)),
      catchStartError(configured({ bucket: 'not-there-at-all' })),
      catchStartError(configured({ endpoint: free.endpoint })),
      catchStartError(configured({ endpoint: 'http://no-such-host.invalid' })),
      catchStartError(configured({ endpoint: server.endpoint.replace('http:', 'https:') })),
    ]);
    expect(messages.map((text) => text.replace(subject.bucket, 'B'))).to.deep.equal([
      'the bucket B: the keys are rejected, or lack the permission s3:ListBucket',
      'the bucket B: the keys are rejected, or lack the permission s3:ListBucket',
      'the bucket not-there-at-all: it does not exist; make it, or write `"create_bucket": true`',
      'the bucket B: nothing listens at this address',
      messages[4]?.replace(subject.bucket, 'B'),
      'the bucket B: the server does not speak TLS there',
    ]);
    expect(messages[4]).to.match(/the host name (is unknown|cannot be looked up)$/);
  });

  it('prevents the start when a setting is missing or is not a URL, whatever $ENV contains', async () => {
    for (const [name, value, reason] of [
      ['access_key', undefined, /`access_key` is missing or empty$/],
      ['secret_key', '  ', /`secret_key` is missing or empty$/],
      ['bucket', '', /`bucket` is missing or empty$/],
      ['endpoint', 'minio:9000', /`endpoint` begins with neither http:\/\/ nor https:\/\/$/],
      ['endpoint', 'what', /`endpoint` is no address$/],
      ['endpoint', 'http://AKCANARY0001:canary-secret-Zk81jq@127.0.0.1', /keys do not stand in `endpoint`$/],
      ['endpoint', 'http://127.0.0.1/bucket', /`endpoint` has more than a host and a port$/],
    ] as const) {
      const messages = await catchStartError(configured({ ...KEYS, [name]: value }));
      expect(messages).to.match(reason);
      expect(messages).not.to.contain('anary');
    }
  });

  it('creates the bucket if configured, also if it exists', async () => {
    const bucket = `lintel-test-${randomUUID()}`;
    for (let round = 0; round < 2; round++) {
      const { storage } = await openMinio(configured({ bucket, create_bucket: true }));
      await storage.put(`round-${round}`, await files.make(Buffer.from('x')));
    }
    const client = createS3Client(server);
    const objects = await listBucketObjects(client, bucket);
    expect(objects).to.deep.equal(['.signed/round-0', '.signed/round-1']);
    await client.removeObjects(bucket, objects);
    await client.removeBucket(bucket);
  });

  it('removes more keys than one request allows', async () => {
    const real = newKey();
    await subject.storage.put(real, await files.make(Buffer.from('x')));
    const keys = Array.from({ length: 2500 }, (_, n) => (n === 1800 ? real : `broken/none-${n}`));
    await subject.storage.remove(keys);
    expect(await subject.listStoredKeys()).not.to.include(real);
  });

  it('returns public URLs if the config names them, and signed ones for a week at most', async () => {
    const url = 'https://files.example.org/base';
    const { storage } = await openMinio(configured({ url, public_endpoint: 'https://s3.example.org' }));
    expect(await storage.url('a/b.png', null)).to.equal(`${url}/a/b.png`);
    const signed = new URL(await storage.url('a/b.png', 90));
    expect([signed.origin, signed.pathname, signed.searchParams.get('X-Amz-Expires')]).to.deep.equal([
      'https://s3.example.org',
      `/${subject.bucket}/.signed/a/b.png`,
      '90',
    ]);
    for (const [seconds, expires] of [
      [null, '604800'],
      [10 ** 9, '604800'],
      [0.2, '1'],
    ] as const) {
      const long = new URL(await subject.storage.url('a/b.png', seconds));
      expect(long.searchParams.get('X-Amz-Expires')).to.equal(expires);
    }
  });

  describe('responses of other servers', () => {
    let status = 200;
    let body = '';
    const seen: string[] = [];
    let made!: Awaited<ReturnType<typeof fake>>;
    let storage!: Awaited<ReturnType<typeof openMinio>>['storage'];
    const rows: object[] = [];

    before(async () => {
      made = await fake((request, response) => {
        const { method, url, headers } = request;
        seen.push(`${method} ${headers['if-none-match'] ?? ''}`.trim());
        request.resume().once('end', () => {
          if (method === 'HEAD') return void response.writeHead(url === '/bucket' ? 200 : 404).end();
          // A server that does not support conditional writes.
          if (status === 501 && headers['if-none-match'] === undefined) return void response.end();
          if (status === 0) return void response.socket?.destroy();
          response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
        });
      });
      const opened = await openMinio({ endpoint: made.endpoint, bucket: 'bucket', ...KEYS });
      storage = opened.storage;
      rows.push(opened.rows);
    });
    after(() => made.stop());

    const errorXml = (code: string): string =>
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No, ${KEYS.access_key}</Message>` +
      `<AWSAccessKeyId>${KEYS.access_key}</AWSAccessKeyId><StringToSign>${KEYS.secret_key}</StringToSign></Error>`;

    for (const [what, given, text, code] of [
      ['too busy', 503, errorXml('SlowDown'), 'STO_AWAY'],
      ['broken', 500, errorXml('InternalError'), 'STO_AWAY'],
      ['a proxy without a server', 502, '<html>Bad Gateway</html>', 'STO_AWAY'],
      ['cut off', 0, '', 'STO_AWAY'],
      ['full', 400, errorXml('QuotaExceeded'), 'STO_AWAY'],
      ['forbidden', 403, errorXml('AccessDenied'), 'STO_REFUSED'],
      ['another key', 403, errorXml('SignatureDoesNotMatch'), 'STO_REFUSED'],
      ['no bucket', 404, errorXml('NoSuchBucket'), 'STO_REFUSED'],
      ['not XML', 400, 'what?', 'STO_REFUSED'],
    ] as const) {
      it(`${what} (${given}): return ${code}, and nothing of the keys in it`, async () => {
        [status, body] = [given, text];
        const file = await files.make(Buffer.from('x'));
        for (const failure of [
          await expectStorageFault(storage.put(newKey(), file)),
          await expectStorageFault(storage.remove([newKey()])),
          await expectStorageFault(storage.put(newKey(), large)),
        ]) {
          expect(failure).to.be.instanceOf(Fault);
          expect(failure.code).to.equal(code);
          const all = inspect([failure, failure.options, rows], { depth: 9, showHidden: true });
          expect(all).not.to.contain(KEYS.access_key);
          expect(all).not.to.contain(KEYS.secret_key);
        }
      });
    }

    it('have their connections closed if unread', async () => {
      [status, body] = [503, 'x'.repeat(100_000)];
      const file = await files.make(Buffer.from('x'));
      for (let n = 0; n < 30; n++) await expectStorageFault(storage.put(newKey(), file));
      expect(await made.open()).to.be.lessThan(10);
    });

    it('describe permanent keys', async () => {
      status = 200;
      for (const [found, code] of [
        ['AccessDenied', 'STO_REFUSED'],
        ['InternalError', 'STO_AWAY'],
      ] as const) {
        body = `<?xml version="1.0"?><DeleteResult><Error><Key>a</Key><Code>${found}</Code><Message>no</Message></Error></DeleteResult>`;
        expect((await expectStorageFault(storage.remove(['a', 'b']))).code).to.equal(code);
      }
    });

    it('are retried on a new connection, not on another that was closed meanwhile', async () => {
      const served = new WeakMap<object, number>();
      // Every connection accepts one request; the second one is cut, as after an idle timeout.
      const strict = await fake((request, response) => {
        const count = (served.get(request.socket) ?? 0) + 1;
        served.set(request.socket, count);
        if (count > 1) return void request.socket.destroy();
        request.resume().once('end', () => response.end());
      });
      const { storage: patient } = await openMinio({ endpoint: strict.endpoint, bucket: 'bucket', ...KEYS });
      const file = await files.make(Buffer.from('x'));
      // One connection is at rest since the start; ten at once leave ten.
      await Promise.all(Array.from({ length: 10 }, () => patient.put(newKey(), file)));
      await patient.put(newKey(), file);
      await strict.stop();
    });

    it('have a condition only once if the server does not support it', async () => {
      [status, body] = [501, errorXml('NotImplemented')];
      const file = await files.make(Buffer.from('x'));
      seen.length = 0;
      await storage.put(newKey(), file);
      await storage.put(newKey(), file);
      expect(seen.filter((row) => row.startsWith('PUT'))).to.deep.equal(['PUT *', 'PUT', 'PUT']);
    });
  });
});
