/** The storage `local-disk`: served files and headers, expiring URLs, and a failing disk. */
import { mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { createFormData, PDF, PNG_RED, SVG } from '../support/pictures.js';
import { listFilesBelow, listOpenTempFiles, waitUntilNoTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';

const taking = (id: string, uploads: object) => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: id, ...uploads } }],
});
const DEFINITIONS = [
  taking('all', { allowed_mimetypes: ['*/*', 'image/svg+xml', 'text/html'] }),
  taking('brief', { allowed_mimetypes: ['image/png'], expiration: 60 }),
];

describe('storage local-disk', () => {
  let kernel!: TestKernel;
  let files = '';
  before(async () => {
    kernel = await startKernel({ files: { 'definitions/a.json': DEFINITIONS, 'secret.txt': 'secret' } });
    files = join(kernel.project.folder, '.lintel/files');
  });
  after(() => kernel.close());
  afterEach(() => waitUntilNoTempFiles());

  const store = async (content: Buffer, type: string, path = '/all'): Promise<string> => {
    const body = createFormData([{ name: 'f', content, file: 'name.bin', type }]);
    const { body: stored, text } = await kernel.request<readonly { url: string }[]>('POST', path, { body });
    return stored[0]?.url ?? expect.fail(text);
  };
  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(kernel.url + url, { headers, method });

  describe('serves', () => {
    it('pictures for pages, with all security headers', async () => {
      const answer = await get(await store(PNG_RED, 'image/png'));
      expect(answer.status).to.equal(200);
      expect(Object.fromEntries(answer.headers)).to.include({
        'content-type': 'image/png',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'content-length': String(PNG_RED.length),
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=3600',
      });
      expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      expect(Buffer.from(await answer.arrayBuffer())).to.deep.equal(PNG_RED);
    });

    for (const [title, content, type, served] of [
      ['SVG', SVG, 'image/svg+xml', 'image/svg+xml'],
      ['HTML', Buffer.from('<!doctype html><p>x'), 'text/html', 'text/html; charset=utf-8'],
      ['PDF', PDF, 'application/pdf', 'application/pdf'],
      ['text', Buffer.from('hello'), 'text/plain', 'text/plain; charset=utf-8'],
      ['bytes', Buffer.from([1, 0, 255]), 'application/octet-stream', 'application/octet-stream'],
    ] as const) {
      it(`${title} as a download`, async () => {
        const answer = await get(await store(content, type));
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('content-type')).to.equal(served);
        expect(answer.headers.get('content-disposition')).to.equal('attachment');
        expect(answer.headers.get('content-security-policy')).to.contain('sandbox');
        expect(Buffer.from(await answer.arrayBuffer())).to.deep.equal(content);
      });
    }

    it('an empty file as an empty body', async () => {
      const answer = await get(await store(Buffer.alloc(0), 'text/plain'));
      expect([answer.status, answer.headers.get('content-length')]).to.deep.equal([200, '0']);
    });

    it('headers only for HEAD', async () => {
      const answer = await get(await store(PNG_RED, 'image/png'), {}, 'HEAD');
      expect([answer.status, answer.headers.get('content-length')]).to.deep.equal([200, String(PNG_RED.length)]);
      expect((await answer.arrayBuffer()).byteLength).to.equal(0);
    });

    it('a known file as 304', async () => {
      const url = await store(PNG_RED, 'image/png');
      const etag = (await get(url)).headers.get('etag') ?? '';
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await get(url, { 'if-none-match': known });
        expect([answer.status, await answer.text()], known).to.deep.equal([304, '']);
      }
      expect((await get(url, { 'if-none-match': '"x"' })).status).to.equal(200);
    });

    it('one range of bytes', async () => {
      const url = await store(Buffer.from('0123456789'), 'text/plain');
      const etag = (await get(url)).headers.get('etag') ?? '';
      const wanted: readonly (readonly [string, number, string, string | null])[] = [
        ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
        ['bytes=8-', 206, '89', 'bytes 8-9/10'],
        ['bytes=-3', 206, '789', 'bytes 7-9/10'],
        ['bytes=5-5', 206, '5', 'bytes 5-5/10'],
        ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
        ['bytes=9-', 206, '9', 'bytes 9-9/10'],
        ['bytes=0-9', 206, '0123456789', 'bytes 0-9/10'],
        ['bytes=-1', 206, '9', 'bytes 9-9/10'],
        ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
        ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
        ['bytes=0-1,3-4', 200, '0123456789', null],
        ['bytes=5-2', 200, '0123456789', null],
        ['lines=1-2', 200, '0123456789', null],
        ['bytes=-', 200, '0123456789', null],
      ];
      for (const [range, status, text, reported] of wanted) {
        const answer = await get(url, { range });
        expect([answer.status, await answer.text(), answer.headers.get('content-range')], range).to.deep.equal([
          status,
          text,
          reported,
        ]);
      }
      for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
        const answer = await get(url, { range });
        expect([answer.status, answer.headers.get('content-range')], range).to.deep.equal([416, 'bytes */10']);
        expect(await answer.json()).to.deep.include({ code: 'STO_RANGE' });
      }
      expect((await get(url, { range: 'bytes=0-1', 'if-range': etag })).status).to.equal(206);
      expect((await get(url, { range: 'bytes=0-1', 'if-range': '"x"' })).status).to.equal(200);
    });

    it('nothing for another verb, and 404 for a missing file', async () => {
      const url = await store(PNG_RED, 'image/png');
      const posted = await get(url, {}, 'POST');
      expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
      for (const path of ['/files/', '/files/all', '/files/all/', '/files/nothing.png', `${url}/`, `${url}%00`]) {
        expect((await get(path)).status, path).to.equal(404);
      }
    });

    it('no file outside the folder, and none of its internal files', async () => {
      await store(PNG_RED, 'image/png', '/brief');
      await symlink(join(kernel.project.folder, 'secret.txt'), join(files, 'open/all/link.txt'));
      await symlink(kernel.project.folder, join(files, 'open/all/folder'));
      const own = ['signing.key', '../signing.key', 'incoming', '../signed', '../../../secret.txt', '/etc/passwd'];
      for (const key of [
        ...own,
        'all/link.txt',
        'all/folder/secret.txt',
        '..%2f..%2fsigning.key',
        '%2e%2e/signing.key',
      ]) {
        const raw = parseRaw(await kernel.raw(formatRequestHead('GET', `/files/${key}`, { connection: 'close' })));
        expect(raw.status, key).to.equal(404);
        expect(raw.body, key).to.not.match(/^secret/);
      }
    });

    it('a client that disconnects, without leaving a file open', async () => {
      const url = await store(Buffer.alloc(3_000_000, 0x61), 'text/plain');
      const leave = new AbortController();
      const answer = await fetch(kernel.url + url, { signal: leave.signal });
      await answer.body?.getReader().read();
      leave.abort();
      const openFiles = async (): Promise<boolean> => (await listOpenTempFiles(files)).length === 0;
      await waitUntil(openFiles, 'the file is closed');
    });
  });

  describe('expiring URLs', () => {
    it('open the file until then, and nothing else does', async () => {
      const url = await store(PNG_RED, 'image/png', '/brief');
      expect(url).to.match(/^\/files\/brief\/[0-9a-f-]{36}\.png\?expires=\d+&signature=[A-Za-z0-9_-]{43}$/);
      const answer = await get(url);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('cache-control')).to.match(/^private, max-age=(60|5\d)$/);
      const [path = '', query = ''] = url.split('?');
      const other = (await store(PNG_RED, 'image/png', '/brief')).split('?')[0] ?? '';
      const open = await store(PNG_RED, 'image/png');
      expect((await get(path)).status, 'unsigned').to.equal(404);
      const last = query.slice(-1);
      const twisted = String.fromCharCode(last.charCodeAt(0) + (/[9Zz_-]/.test(last) ? -1 : 1));
      for (const [title, wrong] of Object.entries({
        'of another file': `${other}?${query}`,
        'of an open file': `${open}?${query}`,
        'a missing file': `/files/brief/none.png?${query}`,
        later: `${path}?${query.replace(/expires=\d+/, (found) => `expires=${Number(found.slice(8)) + 60}`)}`,
        'another signature': `${url.slice(0, -1)}${twisted}`,
        'a longer signature': `${url}A`,
        none: `${path}?expires=9999999999`,
        twice: `${url}&${query}`,
        more: `${url}&a=1`,
        'empty signature': `${path}?expires=9999999999&signature=`,
        'an invalid number': `${path}?expires=1e10&signature=${'A'.repeat(43)}`,
      })) {
        const rejected = await get(wrong);
        expect([rejected.status, ((await rejected.json()) as { code: string }).code], title).to.deep.equal([
          403,
          'STO_LINK',
        ]);
      }
    });

    it('are rejected after their time', async () => {
      const { createSignedQuery, getSecondsLeft } = await import('../../plugins/storages/local-disk/signature.js');
      const secret = Buffer.alloc(32, 1);
      const query = createSignedQuery(secret, 'a/b.png', 1000);
      expect(getSecondsLeft(secret, 'a/b.png', query, 999_000)).to.equal(1);
      expect(getSecondsLeft(secret, 'a/b.png', query, 1_000_000)).to.equal(null);
      expect(getSecondsLeft(Buffer.alloc(32, 2), 'a/b.png', query, 999_000)).to.equal(null);
    });

    it('are signed with a key that only this user can read', async () => {
      expect((await stat(join(files, 'signing.key'))).mode & 0o777).to.equal(0o600);
      expect((await stat(files)).mode & 0o777).to.equal(0o700);
      const [name = ''] = await listFilesBelow(join(files, 'open'));
      expect((await stat(join(files, 'open', name))).mode & 0o777).to.equal(0o600);
    });
  });

  describe('failing disk', () => {
    const send = () =>
      kernel.request('POST', '/all', {
        body: createFormData([{ name: 'f', content: PNG_RED, file: 'a', type: 'image/png' }]),
      });

    it('returns 503, leaves no file, and does not stop the process', async () => {
      const before = await listFilesBelow(join(files, 'open'));
      await rm(join(files, 'incoming'), { recursive: true });
      await writeFile(join(files, 'incoming'), 'in the way');
      const { status, body, headers } = await send();
      expect([status, body['code']]).to.deep.equal([503, 'STO_AWAY']);
      expect(headers.get('retry-after')).to.equal('5');
      expect(JSON.stringify(body)).not.to.contain('incoming');
      expect(await listFilesBelow(join(files, 'open'))).to.deep.equal(before);
      await rm(join(files, 'incoming'));
      await mkdir(join(files, 'incoming'));
      expect((await send()).status).to.equal(200);
      expect(await listFilesBelow(join(files, 'incoming'))).to.deep.equal([]);
    });

    it('is reported in the health of the server', async () => {
      await rename(join(files, 'incoming'), join(files, 'away'));
      const { status } = await kernel.request('GET', '/status/ready');
      await rename(join(files, 'away'), join(files, 'incoming'));
      expect(status).to.equal(503);
      expect((await kernel.request('GET', '/status/ready')).status).to.equal(200);
    });

    it('prevents the start if it is not a folder', async () => {
      const options = {
        files: { 'definitions/a.json': DEFINITIONS, taken: 'a file' },
        config: { storage: { use: 'local-disk', path: 'taken' } },
      };
      const started = await startKernel(options).then(
        (running) => running.close().then(() => 'started'),
        (error: unknown) => String(error),
      );
      expect(started).to.match(/PLG_OPEN.*storage:local-disk/);
    });
  });

  it('returns URLs as the config sets them', async () => {
    const storage = { use: 'local-disk', path: 'elsewhere', url: 'https://files.example.com/f/' };
    const other = await startKernel({ files: { 'definitions/a.json': DEFINITIONS }, config: { storage } });
    const body = createFormData([{ name: 'f', content: PNG_RED, file: 'a', type: 'image/png' }]);
    const answer = await other.request<readonly { url: string; storage_key: string }[]>('POST', '/all', {
      body,
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    });
    const [{ url, storage_key: key } = { url: '', storage_key: '' }] = answer.body;
    expect(url).to.equal(`https://files.example.com/f/${key}`);
    expect(await listFilesBelow(join(other.project.folder, 'elsewhere/open'))).to.deep.equal([key]);
    await other.close();
  });
});
