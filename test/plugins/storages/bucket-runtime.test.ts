/** The storage `minio` with an HTTP server of the test in place of S3: opening a bucket, addresses of objects, removing, and health. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import type { Storage } from '../../../plugins/storages/kind.js';
import runtime from '../../../plugins/storages/minio/runtime.js';
import { openMinio } from '../../support/s3-storage.js';

type Answer = readonly [status: number, body?: string];
const formatErrorXml = (code: string): string => `<Error><Code>${code}</Code><Message>secret</Message></Error>`;

describe('bucket of an S3 server', () => {
  let server!: http.Server;
  let endpoint = '';
  let asked: string[] = [];
  /** Responses by request; 200 for all others. */
  let answers: Record<string, Answer> = {};
  const opened: Storage[] = [];
  before(async () => {
    server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const name = `${request.method ?? ''} ${request.url ?? ''}`;
        const keys = [
          ...Buffer.concat(chunks)
            .toString()
            .matchAll(/<Key>([^<]*)<\/Key>/g),
        ].map(([, key = '']) => key);
        asked.push([name, ...keys].join(' '));
        const [status, body = ''] = answers[name] ?? [200];
        response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? '' : body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    asked = [];
    answers = {};
  });
  afterEach(async () => {
    for (const storage of opened.splice(0)) await runtime.close!(storage);
  });

  async function open(more: object = {}): Promise<Storage> {
    const { storage } = await openMinio({
      endpoint,
      access_key: 'key',
      secret_key: 'secret',
      bucket: 'files',
      ...more,
    });
    opened.push(storage);
    return storage;
  }
  const catchFaultParts = async (work: Promise<unknown>): Promise<readonly unknown[] | null> =>
    work.then(
      () => null,
      (error: unknown) => {
        const { code, params, options } = error as Fault;
        return [code, params['reason'] ?? null, options.retryable === true];
      },
    );

  it('is opened if it exists, and created only if requested', async () => {
    await open();
    expect(asked).to.deep.equal(['HEAD /files']);
    answers = { 'HEAD /files': [404] };
    expect(await catchFaultParts(open())).to.deep.equal([
      'STO_OPEN',
      'it does not exist; make it, or write `"create_bucket": true`',
      false,
    ]);
    await open({ create_bucket: true });
    expect(asked).to.deep.equal(['HEAD /files', 'HEAD /files', 'HEAD /files', 'PUT /files']);
    answers['PUT /files'] = [409, formatErrorXml('BucketAlreadyOwnedByYou')];
    await open({ create_bucket: true });
    answers['PUT /files'] = [409, formatErrorXml('BucketAlreadyExists')];
    expect(await catchFaultParts(open({ create_bucket: true }))).to.deep.equal([
      'STO_OPEN',
      'a bucket of this name belongs to another account',
      false,
    ]);
  });

  it('is rejected if its keys are invalid, or the server is unavailable', async () => {
    answers = { 'HEAD /files': [403] };
    expect(await catchFaultParts(open())).to.deep.equal([
      'STO_OPEN',
      'the keys are rejected, or lack the permission s3:ListBucket',
      false,
    ]);
    const found = await catchFaultParts(open({ endpoint: 'http://127.0.0.1:1' }));
    expect([found?.[0], found?.[2]]).to.deep.equal(['STO_OPEN', true]);
  });

  it('has URLs that expire after their seconds, a week at most, with the public host', async () => {
    const storage = await open({ public_endpoint: 'https://public.example' });
    for (const [seconds, expires, object] of [
      [60, '60', '.signed/a/b.png'],
      [0.5, '1', '.signed/a/b.png'],
      [-5, '1', '.signed/a/b.png'],
      [604_800, '604800', '.signed/a/b.png'],
      [604_801, '604800', '.signed/a/b.png'],
      [null, '604800', 'a/b.png'],
    ] as const) {
      const { origin, pathname, searchParams } = new URL(await storage.url('a/b.png', seconds));
      expect([origin, pathname, searchParams.get('X-Amz-Expires')], String(seconds)).to.deep.equal([
        'https://public.example',
        `/files/${object}`,
        expires,
      ]);
    }
    const plain = await open({ url: 'https://cdn.example/x' });
    expect(await plain.url('a/b.png', null)).to.equal('https://cdn.example/x/a/b.png');
    expect(new URL(await plain.url('a/b.png', 5)).origin).to.equal(endpoint);
    expect(await catchFaultParts(Promise.resolve().then(() => storage.url('../a', 5)))).to.deep.equal([
      'STO_REFUSED',
      null,
      false,
    ]);
  });

  it('removes a key from both places, and nothing that is not a key', async () => {
    const storage = await open();
    await storage.remove(['../x', '']);
    await storage.remove([]);
    expect(asked).to.deep.equal(['HEAD /files']);
    answers = { 'POST /files?delete': [200, '<DeleteResult></DeleteResult>'] };
    await storage.remove(['a', '../x', 'b/c']);
    expect(asked.slice(1)).to.deep.equal(['POST /files?delete a .signed/a b/c .signed/b/c']);
    for (const [code, expected] of [
      ['AccessDenied', ['STO_REFUSED', null, false]],
      ['SlowDown', ['STO_AWAY', null, true]],
    ] as const) {
      const body = `<DeleteResult><Error><Key>a</Key><Code>${code}</Code><Message>m</Message></Error></DeleteResult>`;
      answers = { 'POST /files?delete': [200, body] };
      expect(await catchFaultParts(storage.remove(['a']))).to.deep.equal(expected);
    }
  });

  it('is healthy while it exists, and unavailable when closed', async () => {
    const storage = await open();
    expect(await runtime.health!(storage)).to.deep.equal({ ok: true });
    answers = { 'HEAD /files': [404] };
    expect(await runtime.health!(storage)).to.deep.equal({ ok: false, detail: 'the bucket does not exist' });
    answers = { 'HEAD /files': [503] };
    expect(await runtime.health!(storage)).to.deep.equal({ ok: false, detail: 'the storage does not respond' });
    storage.removeInBackground?.(['a', '../x']);
    await runtime.close!(storage);
    expect(asked.slice(-2)).to.have.members(['DELETE /files/a', 'DELETE /files/.signed/a']);
    expect(await runtime.health!(storage)).to.deep.equal({ ok: false, detail: 'the storage does not respond' });
    expect(await catchFaultParts(storage.remove(['a']))).to.deep.equal(['STO_AWAY', null, true]);
    await runtime.close!(storage);
  });
});
