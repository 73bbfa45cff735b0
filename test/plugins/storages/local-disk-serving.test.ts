/** Serving stored files: headers, ranges, missing files, and disk errors. Without a server. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RouteReply } from '../../../contract/route.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Folder } from '../../../plugins/storages/local-disk/folder.js';
import runtime from '../../../plugins/storages/local-disk/runtime.js';
import { serveFrom } from '../../../plugins/storages/local-disk/serve.js';
import { getSecondsLeft, createSignedQuery } from '../../../plugins/storages/local-disk/signature.js';
import { PNG_RED } from '../../support/pictures.js';
import { listOpenTempFiles } from '../../support/temp-files.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;
const SECRET = Buffer.alloc(32, 1);
const AT = new Date('2030-01-31T12:00:00.500Z');

describe('files served by the storage local-disk', () => {
  let place = '';
  before(async () => (place = await mkdtemp(join(tmpdir(), 'lintel-test-'))));
  after(() => rm(place, { recursive: true }));
  const store = async (name: string, content: string | Buffer): Promise<void> => {
    await writeFile(join(place, name), content);
    await utimes(join(place, name), AT, AT);
  };
  const folder = (asked: string[] = []): Folder => ({
    secret: SECRET,
    put: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    listFiles: () => Promise.resolve([]),
    removeAll: () => Promise.resolve(),
    writeAll: () => Promise.resolve(),
    readAll: () => Promise.resolve([]),
    isWritable: () => Promise.resolve(true),
    find: (key, part) => {
      asked.push(`${part} ${key}`);
      return Promise.resolve(key === 'nowhere' ? null : join(place, key));
    },
  });
  const serve = (rest: string, headers: Headers = {}, method = 'GET', query = '', asked?: string[]) =>
    serveFrom(folder(asked), { method, rest, query, remote: '', header: (name) => [headers[name] ?? []].flat() });
  const readReplyText = async ({ body }: RouteReply): Promise<string> => {
    const chunks: Uint8Array[] = [];
    if (body !== null) for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const catchCode = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error as { code?: unknown }).code ?? (error as Error).message,
    );

  it('have security headers and caching headers', async () => {
    await store('a.txt', '0123456789');
    const asked: string[] = [];
    const answer = await serve('a.txt', {}, 'GET', '', asked);
    expect(answer.headers).to.deep.equal({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      etag: `"a-${AT.getTime().toString(36)}"`,
      'last-modified': 'Thu, 31 Jan 2030 12:00:00 GMT',
      'cache-control': 'public, max-age=3600',
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment',
      'content-length': '10',
    });
    expect([answer.status, await readReplyText(answer), asked]).to.deep.equal([200, '0123456789', ['open a.txt']]);
  });

  it('with an expiring URL are cacheable until it expires, an hour at most', async () => {
    await store('a.txt', 'x');
    const now = Math.floor(Date.now() / 1000);
    for (const [seconds, age] of [
      [7200, /^private, max-age=3600$/],
      [100, /^private, max-age=(100|99|98)$/],
    ] as const) {
      const asked: string[] = [];
      const { headers } = await serve('a.txt', {}, 'GET', createSignedQuery(SECRET, 'a.txt', now + seconds), asked);
      expect(headers['cache-control']).to.match(age);
      expect(asked).to.deep.equal(['signed a.txt']);
    }
    const asked: string[] = [];
    for (const query of [
      'x',
      createSignedQuery(SECRET, 'a.txt', now - 1),
      createSignedQuery(SECRET, 'b.txt', now + 100),
    ])
      expect(await catchCode(serve('a.txt', {}, 'GET', query, asked))).to.equal('STO_LINK');
    expect(asked).to.deep.equal([]);
  });

  it('have the type of their extension, then of their bytes, and pictures are inline', async () => {
    for (const [name, content, type, as] of [
      ['b.txt', PNG_RED, 'text/plain; charset=utf-8', 'attachment'],
      ['b', PNG_RED, 'image/png', 'inline'],
      ['b.png', PNG_RED, 'image/png', 'inline'],
      ['b.html', 'x', 'text/html; charset=utf-8', 'attachment'],
      ['b.tar.json', '{}', 'application/json', 'attachment'],
      ['json', 'x', 'application/octet-stream', 'attachment'],
      ['b.bin', '', 'application/octet-stream', 'attachment'],
    ] as const) {
      await store(name, content);
      const { headers } = await serve(name);
      expect([headers['content-type'], headers['content-disposition']], name).to.deep.equal([type, as]);
    }
  });

  const ALL = '0123456789';
  for (const [range, status, text, reported] of [
    ['bytes=0-3', 206, '0123', '0-3'],
    ['bytes=4-4', 206, '4', '4-4'],
    ['bytes=9-', 206, '9', '9-9'],
    ['bytes=-3', 206, '789', '7-9'],
    ['bytes=-10', 206, ALL, '0-9'],
    ['bytes=-11', 206, ALL, '0-9'],
    ['bytes=5-9', 206, '56789', '5-9'],
    ['bytes=5-10', 206, '56789', '5-9'],
    [' bytes=1-2 ', 206, '12', '1-2'],
    ['bytes=8-999999999999999', 206, '89', '8-9'],
    ['bytes=8-1000000000000000', 200, ALL, null],
    ['bytes=0000000000000008-', 200, ALL, null],
    ['bytes=5-4', 200, ALL, null],
    ['bytes=20-4', 200, ALL, null],
    ['bytes=-', 200, ALL, null],
    ['bytes=', 200, ALL, null],
    ['xbytes=1-2', 200, ALL, null],
    ['bytes=1-2x', 200, ALL, null],
    ['bytes=1-2,4-5', 200, ALL, null],
    ['bytes = 1-2', 200, ALL, null],
    ['bytes=10-', 416, null, '*'],
    ['bytes=10-12', 416, null, '*'],
    ['bytes=-0', 416, null, '*'],
  ] as const)
    it(`return ${status} for the range ${JSON.stringify(range)}`, async () => {
      await store('a.txt', ALL);
      if (text === null) {
        const rejected = (await serve('a.txt', { range }).catch((error: unknown) => error)) as {
          code: string;
          options: { headers: object };
        };
        expect([rejected.code, rejected.options.headers]).to.deep.equal([
          'STO_RANGE',
          { 'content-range': 'bytes */10' },
        ]);
        return;
      }
      const answer = await serve('a.txt', { range });
      expect([answer.status, await readReplyText(answer)]).to.deep.equal([status, text]);
      expect(answer.headers['content-length']).to.equal(String(text.length));
      expect(answer.headers['content-range']).to.equal(reported === null ? undefined : `bytes ${reported}/10`);
    });

  it('are returned whole for a range of another version, and for several range headers', async () => {
    await store('a.txt', ALL);
    const etag = (await serve('a.txt')).headers['etag'] ?? '';
    for (const [headers, status] of [
      [{ range: 'bytes=0-1', 'if-range': etag }, 206],
      [{ range: 'bytes=0-1', 'if-range': `W/${etag}` }, 200],
      [{ range: 'bytes=0-1', 'if-range': [etag, '"x"'] }, 200],
      [{ range: ['bytes=0-1', 'bytes=0-1'] }, 200],
      [{ 'if-range': etag }, 200],
    ] as const)
      expect((await serve('a.txt', headers)).status, JSON.stringify(headers)).to.equal(status);
  });

  it('return 304 without a type for a known version', async () => {
    await store('a.txt', ALL);
    const { headers } = await serve('a.txt');
    const etag = headers['etag'] ?? '';
    const { 'content-type': _, 'content-disposition': __, 'content-length': ___, ...kept } = headers;
    for (const known of [etag, `W/${etag}`, `"x",${etag}`, ` ${etag} `, '*', ['"x"', etag]])
      expect(await serve('a.txt', { 'if-none-match': known, range: 'bytes=99-' })).to.deep.equal({
        status: 304,
        headers: kept,
        body: null,
      });
    for (const other of ['"x"', 'W/"x"', etag.slice(1), `x${etag}`, `XW/${etag}`, ''])
      expect((await serve('a.txt', { 'if-none-match': other })).status, other).to.equal(200);
  });

  it('have no body for HEAD, or if they are empty', async () => {
    await store('a.txt', ALL);
    const head = await serve('a.txt', {}, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).to.deep.equal([200, null, '10']);
    const part = await serve('a.txt', { range: 'bytes=1-3' }, 'HEAD');
    expect([part.status, part.body, part.headers['content-length']]).to.deep.equal([206, null, '3']);
    await store('empty.txt', '');
    const empty = await serve('empty.txt');
    expect([empty.status, empty.body, empty.headers['content-length']]).to.deep.equal([200, null, '0']);
    for (const range of ['bytes=0-', 'bytes=-5'])
      expect(await catchCode(serve('empty.txt', { range })), range).to.equal('STO_RANGE');
  });

  it('are read in chunks of 64 KiB, and end with an error if they became shorter', async () => {
    await store('large.txt', Buffer.alloc(200_000, 'x'));
    const sizes = async (headers: Headers): Promise<number[]> => {
      const found: number[] = [];
      const { body } = await serve('large.txt', headers);
      for await (const chunk of body as AsyncIterable<Uint8Array>) found.push(chunk.length);
      return found;
    };
    expect(await sizes({})).to.deep.equal([65_536, 65_536, 65_536, 3392]);
    expect(await sizes({ range: 'bytes=1-65536' })).to.deep.equal([65_536]);
    expect(await sizes({ range: 'bytes=1-65537' })).to.deep.equal([65_536, 1]);
    const answer = await serve('large.txt');
    await truncate(join(place, 'large.txt'), 70_000);
    expect(await catchCode(readReplyText(answer))).to.equal('the file became shorter while it was read');
    expect(await listOpenTempFiles(place)).to.deep.equal([]);
  });

  it('return 404 if they are absent or not plain files; a pipe does not block', async () => {
    await store('a.txt', ALL);
    await mkdir(join(place, 'folder'));
    await symlink(join(place, 'a.txt'), join(place, 'link.txt'));
    execFileSync('mkfifo', [join(place, 'pipe.txt')]);
    const server = net.createServer().listen(join(place, 'socket.txt'));
    await new Promise((resolve) => server.once('listening', resolve));
    for (const key of ['nowhere', 'none.txt', 'a.txt/b.txt', 'folder', 'link.txt', 'pipe.txt', 'socket.txt'])
      expect(await catchCode(serve(key)), key).to.equal('REQ_NOT_FOUND');
    server.close();
    expect(await listOpenTempFiles(place)).to.deep.equal([]);
  });

  it('do not return 404 if the disk fails', async () => {
    expect(await catchCode(serve('x'.repeat(300)))).to.equal('ENAMETOOLONG');
  });
});

describe('storage local-disk', () => {
  let place = '';
  before(async () => (place = await mkdtemp(join(tmpdir(), 'lintel-test-'))));
  after(() => rm(place, { recursive: true }));
  const createContext = (options: object): RuntimeContext => ({ options, folder: place }) as unknown as RuntimeContext;
  const catchCodeAndHeaders = async (work: () => unknown): Promise<unknown> => {
    try {
      await work();
      return null;
    } catch (error) {
      const { code, options } = error as { code: string; options: { retryable?: boolean; headers?: object } };
      return [code, options.retryable, options.headers];
    }
  };
  const UNAVAILABLE = ['STO_AWAY', true, { 'retry-after': '5' }];

  for (const [options, address] of [
    [{}, '/files/a/b.png'],
    [{ url: 5 }, '/files/a/b.png'],
    [{ url: 'https://cdn.example/x' }, 'https://cdn.example/x/a/b.png'],
    [{ url: 'https://cdn.example/x//' }, 'https://cdn.example/x/a/b.png'],
  ] as const)
    it(`serves URLs below ${JSON.stringify(options)}`, async () => {
      const context = createContext({ ...options, path: 'here' });
      const handle = runtime.create!(context);
      expect(handle.url('a/b.png', null)).to.equal(address);
      await runtime.open!(handle, context);
      const before = Math.floor(Date.now() / 1000);
      const [path, query = ''] = (await handle.url('a/b.png', 60)).split('?');
      expect(path).to.equal(address);
      const expires = Number(/^expires=(\d+)/.exec(query)?.[1]);
      expect(expires - before).to.be.within(60, 62);
      const secret = await readFile(join(place, 'here', 'signing.key'));
      expect(getSecondsLeft(secret, 'a/b.png', query, before * 1000)).to.equal(expires - before);
    });

  it('is unavailable until its folder is open, and whenever the disk fails', async () => {
    const context = createContext({ path: 'other' });
    const handle = runtime.create!(context);
    await writeFile(join(place, 'sent'), 'x');
    const file = { path: join(place, 'sent'), size: 1, type: 'text/plain' };
    expect(await runtime.health!(handle)).to.deep.equal({ ok: false, detail: 'not open' });
    for (const work of [() => handle.put('a', file), () => handle.remove(['a']), () => handle.url('a', 5)])
      expect(await catchCodeAndHeaders(work)).to.deep.equal(UNAVAILABLE);
    await runtime.open!(handle, context);
    expect(await runtime.health!(handle)).to.deep.equal({ ok: true });
    await handle.put('a', file);
    expect(await catchCodeAndHeaders(() => handle.put('a', file))).to.deep.equal(UNAVAILABLE);
    await handle.remove(['a']);
    await rm(join(place, 'other'), { recursive: true });
    expect(await catchCodeAndHeaders(() => handle.remove(['a']))).to.deep.equal(UNAVAILABLE);
    expect(await runtime.health!(handle)).to.deep.equal({
      ok: false,
      detail: 'the upload folder is not writable',
    });
  });

  it('stores files below the folder of the config, by default in .lintel/files', async () => {
    const context = createContext({});
    await runtime.open!(runtime.create!(context), context);
    expect(await readdir(join(place, '.lintel/files'))).to.include.members(['open', 'signed', 'signing.key']);
  });
});
