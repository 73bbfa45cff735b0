/**
 * Attacks on the features around a request: caches, limits, calls, files, the HTTP layer. One test for each former
 * vulnerability.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { expect } from 'chai';
import { createLifecycle } from '../../kernel/runtime/lifecycle.js';
import { openFolder } from '../../plugins/storages/local-disk/folder.js';
import type { Loose } from '../support/client.js';
import { formatRequestHead } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { defineReturnResource } from '../support/project.js';
import { listOpenTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';

const kept = { cacheable: { read_from_cache: true, duration: 600 } };
/** More than the connection holds by itself. */
const SIZE = 25_000_000;
/** With a fixed salt: a text of a definition with a capital after a `$` is an accessor. */
const HASH = bcrypt.hashSync('right', '$2b$04$abcdefghijklmnopqrstuu');

/** The verified name is also set by a result. */
const VERIFYING: readonly object[] = [
  {
    id: 'verify',
    resource: 'verify',
    actionables: [
      { id: 1, mode: 'RETURN', value: { name: 'Ada' } },
      {
        id: 2,
        mode: 'RETURN',
        value: { id: 1, password: HASH },
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
        depends_on: [
          { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'name', for: 'password' }] },
        ],
      },
    ],
  },
  {
    id: 'enter',
    resource: 'enter',
    ...kept,
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        value: { id: '$PAYLOAD.known' },
        depends_on: [
          { resource_id: 'verify', action_ids: [2], extract_response_for: [{ extract: 'id', for: 'known' }] },
        ],
      },
    ],
  },
];

const sending = (id: string, url: string, type: string, request_body: string, more?: object): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'HTTPREQUEST',
      http: {
        url: `${url}/token`,
        method: 'POST',
        headers: { 'content-type': type, ...(more ?? { cookie: 'session=$PAYLOAD.code; role=guest' }) },
        request_body,
      },
    },
  ],
});

describe('attacks on features', () => {
  let upstream!: Upstream;
  let kernel!: TestKernel;
  before(async function () {
    upstream = await startUpstream((req, res, asked) =>
      createJsonBehaviour({ body: asked.body, cookie: asked.headers.cookie })(req, res, asked),
    );
    const { url, port } = upstream;
    kernel = await startKernel({
      files: {
        'definitions/a.json': [
          ...VERIFYING,
          {
            id: 'put',
            resource: 'put',
            actionables: [
              { id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'mine', allowed_mimetypes: ['image/png'] } },
            ],
          },
          {
            id: 'drop',
            resource: 'drop',
            actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'mine', delete_files: true }, ...kept }],
          },
          {
            id: 'drop-whole',
            resource: 'drop-whole',
            ...kept,
            actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'mine', delete_files: true } }],
          },
          defineReturnResource(
            'limited',
            { made: '$GENERATOR.ULID' },
            { ...kept, rate_limit: { limit: 9, expires_after: 600 } },
          ),
          defineReturnResource(
            'limited-whose',
            { ip: '$HEADER.ip' },
            { ...kept, rate_limit: { limit: 9, expires_after: 600 } },
          ),
          defineReturnResource('by-address', 1, { rate_limit: { limit: 2, expires_after: 600 } }),
          {
            id: 'by-number',
            resource: 'by-number',
            rate_limit: { limit: 1, identifier: '$PAYLOAD.id', expires_after: 600 },
            actionables: [
              {
                id: 1,
                mode: 'RETURN',
                value: { id: '$PAYLOAD.id' },
                payload_validation: [{ field: { id: { type: 'NUMBER' } } }],
              },
            ],
          },
          sending('form', url, 'application/x-www-form-urlencoded', 'code=$PAYLOAD.code&scope=read', {}),
          sending('cookie', url, 'text/plain', 'nothing'),
          sending('xml', url, 'application/soap+xml; charset=utf-8', '<c>$PAYLOAD.code</c>', {}),
          defineReturnResource('large', { text: '$PAYLOAD.text' }),
        ],
      },
      config: {
        observers: { log: 'access_log' },
        http: {
          methods: ['GET', 'POST'],
          trusted_proxies: 1,
          timeouts: { idle: 0.5 },
          limits: { body: 30_000_000 },
        },
        outbound: { allow: [`127.0.0.1:${port}`] },
      },
    });
  });
  after(async () => {
    await kernel.close();
    await upstream.close();
  });

  describe('cached results', () => {
    it('distinguishes a password from a result of the same name', async () => {
      expect((await kernel.post('/enter', { password: 'right' })).body).to.deep.equal({ id: 1 });
      expect((await kernel.post('/enter', { password: 'wrong' })).status).to.equal(401);
    });

    it('are separate for the identifier of a limit only if the response depends on it', async () => {
      const postFrom = async (path: string, address: string): Promise<string> =>
        (await kernel.post(path, {}, { headers: { 'x-forwarded-for': address } })).text;
      expect(await postFrom('/limited', '192.0.2.1')).to.equal(await postFrom('/limited', '192.0.2.2'));
      expect(await postFrom('/limited-whose', '192.0.2.1')).not.to.equal(await postFrom('/limited-whose', '192.0.2.2'));
    });

    for (const path of ['/drop', '/drop-whole'])
      it(`${path.slice(1)}: distinguishes lists of files to remove`, async () => {
        const put = async (): Promise<string> => {
          const body = createFormData([{ name: 'f', content: PNG_RED, file: 'a.png', type: 'image/png' }]);
          const answer = await kernel.request<readonly { storage_key: string }[]>('POST', '/put', { body });
          return answer.body[0]?.storage_key ?? expect.fail(answer.text);
        };
        const [one, two] = [await put(), await put()];
        for (const key of [one, two]) {
          const answer = await kernel.post<readonly Loose[]>(path, [key]);
          expect(answer.body).to.deep.equal([{ storage_key: key, deleted: true }]);
          expect((await kernel.request('GET', `/files/${key}`)).status).to.equal(404);
        }
      });
  });

  describe('rate limits', () => {
    const postFrom = (address: string) =>
      kernel.post('/by-address', {}, { headers: { 'x-forwarded-for': address } }).then(({ status }) => status);

    it('counts one IPv6 network as one caller', async () => {
      expect(await postFrom('2001:db8:1:2::1')).to.equal(200);
      expect(await postFrom('2001:db8:1:2:ffff::2')).to.equal(200);
      expect(await postFrom('2001:DB8:1:2:a:b:c:d')).to.equal(429);
      expect(await postFrom('2001:db8:1:3::1')).to.equal(200);
      expect(await postFrom('192.0.2.1')).to.equal(200);
      expect(await postFrom('192.0.2.2')).to.equal(200);
    });

    it('counts a number in another notation as the same number', async () => {
      expect((await kernel.request('GET', '/by-number?id=5')).status).to.equal(200);
      for (const id of ['5', '5.0', '5e0', '50e-1', '500E-2'])
        expect((await kernel.request('GET', `/by-number?id=${id}`)).status, id).to.equal(429);
      expect((await kernel.post('/by-number', { id: 5 })).status).to.equal(429);
      expect((await kernel.request('GET', '/by-number?id=50')).status).to.equal(200);
    });
  });

  describe('value inside a text that is sent to another service', () => {
    it('stays one value of a form', async () => {
      const { body, text } = await kernel.post<{ body: string }>('/form', { code: 'a&scope=admin' });
      expect(body.body, text).to.equal('code=a%26scope%3Dadmin&scope=read');
    });

    it('stays text in XML', async () => {
      const { body, text } = await kernel.post<{ body: string }>('/xml', { code: `a</c><admin b="'1'"/>&x;` });
      expect(body.body, text).to.equal('<c>a&lt;/c&gt;&lt;admin b=&quot;&#39;1&#39;&quot;/&gt;&amp;x;</c>');
    });

    it('stays one cookie, or is rejected', async () => {
      const { body, text } = await kernel.post<{ cookie: string }>('/cookie', { code: 'a' });
      expect(body.cookie, text).to.equal('session=a; role=guest');
      for (const code of ['a; role=admin', 'a,b', 'a b', 'a"']) {
        const rejected = await kernel.post('/cookie', { code });
        expect([rejected.status, rejected.body['code']], code).to.deep.equal([422, 'OUT_VALUE']);
      }
    });
  });

  it('removes incomplete files of a killed process, and keeps files that are being stored', async () => {
    const folder = join(kernel.project.folder, 'left');
    await openFolder(folder);
    await writeFile(join(folder, 'incoming/left'), 'x');
    await openFolder(folder);
    expect(await readdir(join(folder, 'incoming'))).to.deep.equal(['left']);
    await openFolder(folder, Date.now() + 3_700_000);
    expect(await readdir(join(folder, 'incoming'))).to.deep.equal([]);
  });

  describe('response that is not read', () => {
    const countRequestLogs = (): number => kernel.log.filter(({ message }) => message === 'request').length;

    /**
     * Sends a request and reads nothing until the server reports that the request is over; returns the received bytes.
     */
    async function ignored(bytes: string): Promise<number> {
      const before = countRequestLogs();
      const socket = connect(kernel.server.port, '127.0.0.1');
      socket.pause().on('error', () => undefined);
      socket.write(bytes);
      await waitUntil(() => Promise.resolve(countRequestLogs() > before), 'the request is over');
      let received = 0;
      socket.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
      await once(socket, 'close');
      return received;
    }

    it('is aborted', async () => {
      const content = JSON.stringify({ text: 'x'.repeat(SIZE) });
      const top = formatRequestHead('POST', '/large', {
        'content-type': 'application/json',
        'content-length': content.length,
      });
      expect(await ignored(top + content)).to.be.lessThan(SIZE);
    });

    it('is aborted if it is a file, and the file is closed', async () => {
      const folder = join(kernel.project.folder, '.lintel/files');
      await writeFile(join(folder, 'open/large.bin'), Buffer.alloc(SIZE));
      expect(await ignored(formatRequestHead('GET', '/files/large.bin'))).to.be.lessThan(SIZE);
      await waitUntil(async () => (await listOpenTempFiles(folder)).length === 0, 'the file is closed');
    });
  });

  it('checks each plugin once for concurrent requests for the status page', async () => {
    let asked = 0;
    const health = (): Promise<{ ok: true }> => {
      asked++;
      return new Promise((resolve) => setImmediate(() => resolve({ ok: true })));
    };
    const lifecycle = createLifecycle({
      deadlines: { open: 1, close: 1 },
      codes: {},
      scripts: () => Promise.resolve([]),
      log: kernel.kernel.log,
    });
    const instance = { key: 'a', runtime: { health }, handle: () => ({}), context: {} };
    await lifecycle.open([instance as never]);
    await Promise.all(Array.from({ length: 100 }, () => lifecycle.health()));
    expect(asked).to.equal(1);
    await lifecycle.health();
    expect(asked).to.equal(2);
  });
});
