/** Removing stored files: only keys inside the folder that the definition resolves for this caller, all or none. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { defineReturnResource, vectorFile } from '../support/project.js';
import { listFilesBelow } from '../support/temp-files.js';
import { sampleCases } from '../support/sample.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

const guard = {
  tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', custom_claim_fields: ['id'] },
  protected: { extract_claims: ['id'] },
};
const own = 'users/$PROTECTED.id';

const DEFINITIONS = [
  {
    ...defineReturnResource('token', { id: '$PAYLOAD.id' }),
    tokenize: guard.tokenize,
  },
  {
    id: 'put',
    resource: 'put',
    tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
    protected: guard.protected,
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/png'], upload_folder: own } }],
  },
  {
    id: 'remove',
    resource: 'remove',
    tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
    protected: guard.protected,
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { delete_files: true, upload_folder: own } }],
  },
  {
    id: 'chosen',
    resource: 'chosen',
    actionables: [
      { id: 1, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/png'], upload_folder: 'x/$PAYLOAD.folder' } },
    ],
  },
];

describe('removed files', () => {
  let kernel!: TestKernel;
  let files = '';
  before(async () => {
    kernel = await startKernel({
      validated: true,
      files: { 'definitions/a.json': DEFINITIONS, 'canary.txt': 'canary', '.lintel/canary.txt': 'canary' },
      env: { KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ' },
    });
    files = join(kernel.project.folder, '.lintel/files');
  });
  after(() => kernel.close());

  const fetchAuthHeaders = async (id: string): Promise<Record<string, string>> => {
    const { body } = await kernel.post('/token', { id });
    return { authorization: `Bearer ${String(body['token'])}` };
  };
  const store = async (id: string): Promise<string> => {
    const body = createFormData([{ name: 'f', content: PNG_RED, file: 'a.png', type: 'image/png' }]);
    const answer = await kernel.request<readonly { storage_key: string }[]>('POST', '/put', {
      body,
      headers: await fetchAuthHeaders(id),
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body[0]?.storage_key ?? '';
  };
  const remove = async (id: string, body: unknown) =>
    kernel.post<unknown>('/remove', body, { headers: await fetchAuthHeaders(id) });
  const isStored = async (key: string): Promise<boolean> => (await listFilesBelow(join(files, 'open'))).includes(key);

  it('are those of the caller, whose keys are returned', async () => {
    const [first, second] = [await store('1'), await store('1')];
    expect(first).to.match(/^users\/1\//);
    const { status, body } = await remove('1', [first, second, first]);
    expect(status).to.equal(200);
    expect(body).to.deep.equal([
      { storage_key: first, deleted: true },
      { storage_key: second, deleted: true },
    ]);
    expect(await isStored(first)).to.equal(false);
  });

  it('may be removed twice, and with an empty list', async () => {
    const key = await store('1');
    expect((await remove('1', [key])).status).to.equal(200);
    expect((await remove('1', [key])).body).to.deep.equal([{ storage_key: key, deleted: true }]);
    expect((await remove('1', [])).body).to.deep.equal([]);
  });

  it('are not those of another caller, and nothing is removed then', async () => {
    const [mine, other, longer] = [await store('1'), await store('2'), await store('12')];
    for (const foreign of [other, longer]) {
      const { status, body } = await remove('1', [mine, foreign]);
      expect(status).to.equal(422);
      expect(body).to.deep.include({ code: 'UPL_KEY' });
      expect(JSON.stringify(body)).to.contain('"pointer":"/1"').and.not.to.contain(foreign);
    }
    for (const key of [mine, other, longer]) expect(await isStored(key), key).to.equal(true);
  });

  const wrong: readonly unknown[] = [
    'users/1',
    'users/1/',
    '/users/1/a.png',
    'users//1/a.png',
    'users/1/../2/a.png',
    'users/1/../../../canary.txt',
    'users/1/..',
    'users/1/.',
    'users/1/a.png/..',
    'users/1/a\0.png',
    'users/1/%2e%2e/2/a.png',
    'users\\1\\a.png',
    'users/1/.hidden',
    'users/1/a..png',
    'USERS/1/a.png',
    '',
    5,
    null,
    ['users/1/a.png'],
    { key: 'users/1/a.png' },
  ];
  for (const key of wrong) {
    it(`reject ${JSON.stringify(key)}`, async () => {
      const mine = await store('1');
      const { status, body } = await remove('1', [mine, key]);
      expect(status).to.equal(422);
      expect(body).to.deep.include({ code: 'UPL_KEY' });
      expect(await isStored(mine)).to.equal(true);
    });
  }

  it('reject a value that is not a list, and lists that are too long', async () => {
    expect((await remove('1', { storage_key: 'users/1/a.png' })).status).to.equal(422);
    const many = Array.from({ length: 1001 }, (_, index) => `users/1/${index}.png`);
    expect((await remove('1', many)).status).to.equal(422);
    expect((await remove('1', many.slice(1))).status).to.equal(200);
  });

  it('require a token', async () => {
    const key = await store('1');
    expect((await kernel.post('/remove', [key])).status).to.equal(401);
    expect(await isStored(key)).to.equal(true);
  });

  it('follow no link in the folder', async () => {
    const outside = join(kernel.project.folder, 'outside');
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'a.png'), 'canary');
    await mkdir(join(files, 'open/users/7'), { recursive: true });
    await symlink(outside, join(files, 'open/users/7/linked'));
    await symlink(join(outside, 'a.png'), join(files, 'open/users/7/b.png'));
    expect((await remove('7', ['users/7/linked/a.png', 'users/7/b.png'])).status).to.equal(200);
    expect(await readFile(join(outside, 'a.png'), 'utf8')).to.equal('canary');
  });

  for (const value of [
    '..',
    '../..',
    'a/b',
    '',
    ' ',
    'a.b',
    'ä',
    'x'.repeat(65),
    '\0',
    5.5,
    true,
    null,
    { a: 1 },
    ['a'],
  ]) {
    it(`reject a value in a folder that is not a plain name: ${JSON.stringify(value)}`, async () => {
      const parts = createFormData([
        { name: 'f', content: PNG_RED, file: 'a.png', type: 'image/png' },
        { name: 'folder', content: typeof value === 'string' ? value : JSON.stringify(value) },
      ]);
      const before = await listFilesBelow(kernel.project.folder);
      const { status, body } = await kernel.request('POST', '/chosen', { body: parts });
      const plain = value === true || value === null;
      expect(status, JSON.stringify(body)).to.equal(plain ? 200 : 422);
      if (!plain) expect(await listFilesBelow(kernel.project.folder)).to.deep.equal(before);
    });
  }

  it('stay inside their folder, like stored ones, with all published traversal strings', async function () {
    const vectors = vectorFile('traversal-strings.jsonl');
    if (vectors === null) return skipTest(this, NO_SHARED);
    const published = readFileSync(vectors, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; values: { folder?: string } })
      .flatMap(({ values }) => values.folder ?? []);
    expect(published).to.have.length.above(500);
    const strings = sampleCases('strings', 'traversal', published, 100);
    const before = await listFilesBelow(kernel.project.folder);
    const headers = await fetchAuthHeaders('1');
    const wrongly: string[] = [];
    for (const folder of strings) {
      const parts = createFormData([
        { name: 'f', content: PNG_RED, file: 'a.png', type: 'image/png' },
        { name: 'folder', content: folder },
      ]);
      const stored = await kernel.request('POST', '/chosen', { body: parts });
      if (stored.status !== 422 && stored.status !== 400) wrongly.push(`store ${stored.status} ${folder}`);
      const keys = [`users/1/${folder}`, folder];
      const removed = await kernel.post('/remove', keys, { headers });
      if (removed.status !== 422 && removed.status !== 400) wrongly.push(`remove ${removed.status} ${folder}`);
      const served = await fetch(`${kernel.url}/files/${encodeURIComponent(folder)}`);
      await served.arrayBuffer();
      if (![404, 414].includes(served.status)) wrongly.push(`serve ${served.status} ${folder}`);
    }
    expect(wrongly).to.deep.equal([]);
    expect(await listFilesBelow(kernel.project.folder)).to.deep.equal(before);
    expect(await readFile(join(kernel.project.folder, '.lintel/canary.txt'), 'utf8')).to.equal('canary');
  });
});
