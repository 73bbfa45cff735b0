/**
 * The interface on uploads, the upload endpoint, limits and errors, sentence by sentence: definitions written from the
 * interface alone, with queries, caching and guards. On both databases, on disk and in a bucket.
 */
import { expect } from 'chai';
import { DEFINITIONS } from '../support/interface-uploads.js';
import { DATABASES, startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, GIF_BLACK, JPEG_BLUE, PDF, PNG_RED, SVG, type Part } from '../support/pictures.js';
import { createBucket, startS3 } from '../support/s3.js';
import { skipTest } from '../support/skip.js';

const png = (name = 'file'): Part => ({ name, content: PNG_RED, file: 'red.png', type: 'image/png' });
const jpeg: Part = { name: 'anything', content: JPEG_BLUE, file: '../../../blue.JPG', type: 'image/jpeg' };
const big: Part = {
  name: 'file',
  content: Buffer.concat([PNG_RED, Buffer.alloc(65_536)]),
  file: 'b.png',
  type: 'image/png',
};

interface Rejection {
  readonly rule: string;
  readonly path: string;
  readonly parts: readonly Part[];
  readonly status: number;
  readonly code: string;
}
const REJECTIONS: readonly Rejection[] = [
  { rule: '`max_file_uploads`', path: '/upload', parts: [png(), png(), png()], status: 413, code: 'REQ_TOO_COMPLEX' },
  { rule: '`max_upload_file_size`', path: '/upload', parts: [big], status: 413, code: 'REQ_PART' },
  {
    rule: '`allowed_mimetypes`: only listed types accepted',
    path: '/upload',
    parts: [{ name: 'file', content: GIF_BLACK, file: 'a.gif', type: 'image/gif' }],
    status: 415,
    code: 'UPL_TYPE_REFUSED',
  },
  {
    rule: 'also when the client declares another type',
    path: '/upload',
    parts: [{ name: 'file', content: PDF, file: 'a.png', type: 'image/png' }],
    status: 415,
    code: 'UPL_TYPE_REFUSED',
  },
  {
    rule: 'and never a script that calls itself a picture',
    path: '/upload',
    parts: [{ name: 'file', content: SVG, file: 'a.svg', type: 'image/svg+xml' }],
    status: 415,
    code: 'UPL_TYPE_REFUSED',
  },
  { rule: 'without a file', path: '/upload', parts: [{ name: 'a', content: 'b' }], status: 422, code: 'UPL_NO_FILE' },
  {
    rule: 'a folder that a client chooses to lead elsewhere',
    path: '/folder-of-payload',
    parts: [{ name: 'folder', content: '../../x' }, png()],
    status: 422,
    code: 'UPL_FOLDER_VALUE',
  },
  {
    rule: 'files where none are accepted',
    path: '/limited',
    parts: [{ name: 'name', content: 'files' }, png()],
    status: 415,
    code: 'REQ_NO_FILES',
  },
];

const PLACES = [
  { database: DATABASES[0], bucket: false, profile: null },
  { database: DATABASES[0], bucket: false, profile: 'sub0' },
  { database: DATABASES[1], bucket: true, profile: null },
] as const;

for (const { database, bucket, profile } of PLACES) {
  const title = `${database?.name ?? ''}, ${bucket ? 'bucket' : 'disk'}, profile ${profile ?? 'none'}`;
  describe(`the interface on uploads (${title})`, function () {
    let kernel: TestKernel;
    let tokens: Record<'ada' | 'bob', string>;

    before(async function () {
      const made = await database?.make();
      const server = bucket ? await startS3() : null;
      if (made === undefined) return;
      if ('skip' in made) return skipTest(this, made.skip);
      if (server !== null && 'skip' in server) return skipTest(this, server.skip);
      const storage = server && {
        use: 'minio',
        endpoint: server.endpoint,
        access_key: '$ENV.S3_KEY',
        secret_key: '$ENV.S3_SECRET',
        bucket: await createBucket(),
      };
      kernel = await startKernel({
        files: { 'definitions/a.json': DEFINITIONS },
        config: { connections: made.connections, ...(storage && { storage }), ...(profile && { profile }) },
        env: {
          JWT_SECRET_KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6',
          STAGE: 'dev',
          ...(server && { S3_KEY: server.accessKey, S3_SECRET: server.secretKey }),
          ...made.env,
        },
      });
      tokens = { ada: await signIn('ada'), bob: await signIn('bob') };
    });
    after(() => kernel?.close());

    const result = <T>(body: unknown): T => (profile === null ? body : (body as { data: T }).data) as T;
    const as = (who?: 'ada' | 'bob') => ({
      headers: who === undefined ? {} : { authorization: `Bearer ${tokens[who]}` },
    });
    async function signIn(id: string): Promise<string> {
      const { body } = await kernel.post('/sign-in', { id });
      return result<{ access: string }>(body).access;
    }
    async function send<T>(path: string, parts: readonly Part[], who?: 'ada' | 'bob'): Promise<T> {
      const { status, body, text } = await kernel.request('POST', path, { body: createFormData(parts), ...as(who) });
      expect(status, text).to.equal(200);
      return result<T>(body);
    }
    async function postExpecting<T>(path: string, sent: unknown, who?: 'ada' | 'bob', wanted = 200): Promise<T> {
      const { status, body, text } = await kernel.post(path, sent, as(who));
      expect(status, text).to.equal(wanted);
      return result<T>(body);
    }
    const fetched = async (url: string): Promise<Buffer> => {
      const response = await fetch(new URL(url, kernel.url));
      expect(response.status).to.equal(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const stays = async (url: string): Promise<boolean> => (await fetch(new URL(url, kernel.url))).ok;

    type Stored = Readonly<Record<string, string | number>>;

    it('returns an array with one object per stored file: `url`, `file_size`, `dominant_color`', async () => {
      const [red, blue, ...more] = await send<Stored[]>('/upload', [png(), jpeg]);
      expect(more).to.deep.equal([]);
      expect(red).to.have.all.keys('url', 'file_size', 'dominant_color');
      expect(red).to.include({ file_size: PNG_RED.length, dominant_color: '#ff0000' });
      expect(blue?.['dominant_color']).to.match(/^#0[0-3]0[0-3]f[c-f]$/);
      expect(await fetched(String(red?.['url']))).to.deep.equal(PNG_RED);
      expect(await fetched(String(blue?.['url']))).to.deep.equal(JPEG_BLUE);
    });

    it('returns `storage_key` when listed in `returnables`, also for one file', async () => {
      const [one, ...more] = await send<Stored[]>('/upload-with-key', [png('whatever')]);
      expect(more).to.deep.equal([]);
      expect(one).to.have.all.keys('storage_key');
      expect(one?.['storage_key']).to.match(/^public\/[0-9a-f-]{36}\.png$/);
    });

    it('accepts accessors in `upload_folder`, and `returnables` at resource level', async () => {
      const part = { name: 'file', content: PDF, file: 'contract.pdf', type: 'application/pdf' };
      const [one] = await send<Stored[]>('/upload-document', [part]);
      expect(one?.['storage_key']).to.match(/^dev\/documents\/[0-9a-f-]{36}\.pdf$/);
      expect(await fetched(String(one?.['url']))).to.deep.equal(PDF);
    });

    it('uploads, then inserts with `multi: true`; the cached list of this caller is updated, and that of no other caller', async () => {
      expect(await postExpecting('/photos', {}, 'ada')).to.deep.equal([]);
      expect(await postExpecting('/photos', {}, 'bob')).to.deep.equal([]);
      const rows = await send<Stored[]>('/photos-add', [png(), { name: 'caption', content: 'Sea' }, jpeg], 'ada');
      expect(rows.map((row) => [row['file_size'], row['caption']])).to.deep.equal([
        [PNG_RED.length, 'Sea'],
        [JPEG_BLUE.length, 'Sea'],
      ]);
      for (const row of rows) expect(row['storage_key']).to.match(/^users\/ada\/[0-9a-f-]{36}\.(png|jpg)$/);
      const listed = await postExpecting<Stored[]>('/photos', {}, 'ada');
      expect(listed.map((row) => row['storage_key'])).to.have.members(rows.map((row) => row['storage_key']));
      expect(await postExpecting('/photos', {}, 'bob')).to.deep.equal([]);
    });

    it('can be read by `extract_response_for`', async () => {
      const got = await send<Stored>('/photo-first', [png()], 'ada');
      expect(got['size']).to.equal(PNG_RED.length);
      expect(await fetched(String(got['address']))).to.deep.equal(PNG_RED);
    });

    it('accepts a JSON array of storage keys in `delete_files`, only inside the folder of this caller', async () => {
      await send('/photos-add', [png()], 'bob');
      const [{ storage_key: key = '' } = {}] = await postExpecting<Stored[]>('/photos', {}, 'bob');
      const [{ url = '' } = {}] = await postExpecting<Stored[]>('/photos', {}, 'bob').then(() =>
        send<Stored[]>('/upload', [png()]),
      );
      await postExpecting('/photos-remove', [key], 'ada', 422);
      expect(await stays(String(url))).to.equal(true);
      expect(await postExpecting('/photos-remove', [key], 'bob')).to.deep.equal([{ storage_key: key, deleted: true }]);
      await postExpecting('/photos-remove', [key], undefined, 401);
      await postExpecting('/photos-remove', ['users/bob/../../public/x.png'], 'bob', 422);
    });

    for (const { rule, path, parts, status, code } of REJECTIONS) {
      it(`${rule}: ${status} ${code}`, async () => {
        const answer = await kernel.request('POST', path, { body: createFormData(parts) });
        expect([answer.status, answer.body['code']], answer.text).to.deep.equal([status, code]);
        expect(answer.headers.get('content-type')).to.equal(
          `application/${profile === null ? 'problem+' : ''}json; charset=utf-8`,
        );
      });
    }

    it('accepts only the content types `application/json` and `multipart/form-data`', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const { status } = await kernel.request('POST', '/limited', { body: 'a=b', headers: { 'content-type': type } });
        expect(status, type).to.equal(415);
      }
    });

    it('counts values of the request in a limit', async () => {
      await postExpecting('/limited', { name: 'x' });
      await postExpecting('/limited', { name: 'x' });
      const { status, headers } = await kernel.post('/limited', { name: 'x' });
      expect(status).to.equal(429);
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
      await postExpecting('/limited', { name: 'y' });
    });

    it('rejects a revoked token everywhere', async () => {
      const token = await signIn('cleo');
      const bearer = { headers: { authorization: `Bearer ${token}` } };
      expect((await kernel.post('/photos', {}, bearer)).status).to.equal(200);
      expect((await kernel.post('/sign-out', {}, bearer)).status).to.equal(200);
      expect((await kernel.post('/photos', {}, bearer)).status).to.equal(401);
      await postExpecting('/photos', {}, 'ada');
    });
  });
}
