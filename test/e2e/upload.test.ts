/** Mode UPLOAD over real HTTP: stored files, the response, and the input of a following statement. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeOnDatabase, type TestKernel } from '../support/kernel.js';
import { createFormData, GIF_BLACK, JPEG_BLUE, PNG_RED, WEBP_GREEN, type Part } from '../support/pictures.js';
import { listFilesBelow, waitUntilNoTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';

type Stored = Readonly<Record<string, string | number | null>>;

const uploads = { max_file_uploads: 4, allowed_mimetypes: ['image/*'], upload_folder: 'gallery' };
const titled = [{ field: { title: { type: 'STRING', max_length: 20 } } }];
const insert = {
  query: 'INSERT INTO picture (storage_key, url, title, size) VALUES ($1, $2, $3, $4) RETURNING *',
  parameters: ['storage_key', 'url', 'title', 'file_size'],
  multi: true,
};
const upload = { id: 1, mode: 'UPLOAD', uploads, payload_validation: titled };

const DEFINITIONS = [
  {
    _picture: {
      storage_key: { type: 'String' },
      url: { type: 'String' },
      title: { type: 'String' },
      size: { type: 'Number' },
    },
  },
  { _album: { title: { type: 'String', unique: true } } },
  { id: 'plain', resource: 'plain', actionables: [{ id: 1, mode: 'UPLOAD', uploads }] },
  {
    id: 'listed',
    resource: 'listed',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads, returnables: ['url', 'file_size'] }],
  },
  {
    id: 'gallery',
    resource: 'gallery',
    actionables: [upload, { id: 2, mode: 'QUERY', sql_query: insert }],
  },
  {
    id: 'first',
    resource: 'first',
    actionables: [
      upload,
      {
        id: 2,
        mode: 'RETURN',
        value: { address: '$PAYLOAD.title', url: '$PAYLOAD.title' },
        depends_on: [
          { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: '0.storage_key', for: 'key' }] },
        ],
      },
      {
        id: 3,
        mode: 'QUERY',
        main_returnable: true,
        sql_query: { query: 'SELECT $1::text AS key', parameters: ['key'] },
      },
    ],
  },
  {
    id: 'once',
    resource: 'once',
    actionables: [
      upload,
      {
        id: 2,
        mode: 'QUERY',
        sql_query: { query: 'INSERT INTO album (title) VALUES ($1) RETURNING *', parameters: ['$PAYLOAD.title'] },
      },
    ],
  },
  {
    id: 'late',
    resource: 'late',
    transaction: false,
    actionables: [
      upload,
      { id: 2, mode: 'QUERY', sql_query: insert },
      {
        id: 3,
        mode: 'QUERY',
        sql_query: { query: "SELECT id FROM (SELECT 1 AS id) t WHERE id = 2 AND 'a' = 'a'", parameters: [] },
        must_return_value: true,
      },
    ],
  },
  {
    id: 'pictures',
    resource: 'pictures',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        result: 'many',
        sql_query: { query: 'SELECT storage_key, title FROM picture WHERE title = $1', parameters: ['$PAYLOAD.title'] },
      },
    ],
  },
];

const png: Part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
const jpeg: Part = { name: 'file', content: JPEG_BLUE, file: 'blue.JPG', type: 'image/jpeg' };
const createTitlePart = (content: string): Part => ({ name: 'title', content });

describeOnDatabase('uploads', { files: { 'definitions/a.json': DEFINITIONS }, validated: true }, (kernel) => {
  const post = <T = readonly Stored[]>(path: string, parts: readonly Part[]) =>
    kernel().request<T>('POST', path, { body: createFormData(parts) });
  const folder = (running: TestKernel = kernel()): string => join(running.project.folder, '.lintel/files');
  const listStoredFiles = (): Promise<string[]> => listFilesBelow(join(folder(), 'open'));

  afterEach(() => waitUntilNoTempFiles());

  it('store a file under a generated name and return all its properties', async () => {
    const { status, body, text } = await post('/plain', [png]);
    expect(status, text).to.equal(200);
    const [{ storage_key: key, url, new_file_name: name, ...rest } = {}] = body;
    expect(rest).to.deep.equal({
      dominant_color: '#ff0000',
      file_size: PNG_RED.length,
      original_file_name: 'red.png',
      file_type: 'image/png',
      extension: 'png',
    });
    expect(name).to.match(/^[0-9a-f]{8}-[0-9a-f-]{27}\.png$/);
    expect(key).to.equal(`gallery/${String(name)}`);
    expect(url).to.equal(`/files/${String(key)}`);
    expect(await readFile(join(folder(), 'open', String(key)))).to.deep.equal(PNG_RED);
    const served = await fetch(kernel().url + String(url));
    expect(Buffer.from(await served.arrayBuffer())).to.deep.equal(PNG_RED);
  });

  it('return a list, one entry for each file in the order of the request', async () => {
    const webp: Part = { name: 'c', content: WEBP_GREEN, file: 'green.webp', type: 'image/webp' };
    const gif: Part = { name: 'd', content: GIF_BLACK, file: 'black.gif', type: 'image/gif' };
    const { body } = await post('/plain', [jpeg, png, webp, gif]);
    expect(body.map(({ original_file_name: name }) => name)).to.deep.equal([
      'blue.JPG',
      'red.png',
      'green.webp',
      'black.gif',
    ]);
    expect(body.map(({ extension }) => extension)).to.deep.equal(['jpg', 'png', 'webp', 'gif']);
    expect(body.map(({ dominant_color: color }) => color).slice(1)).to.deep.equal(['#ff0000', '#00ff00', '#000000']);
    expect(body[0]?.['dominant_color']).to.match(/^#0[0-3]0[0-3]f[c-f]$/);
  });

  it('return only listed fields', async () => {
    const { body } = await post('/listed', [png]);
    expect(body.map((entry) => Object.keys(entry))).to.deep.equal([['url', 'file_size']]);
  });

  for (const [order, parts] of Object.entries({
    'before the files': [createTitlePart('before'), png, jpeg],
    'after the files': [png, jpeg, createTitlePart('after')],
    'between the files': [png, createTitlePart('between'), jpeg],
  })) {
    it(`insert a row for each file with multi, with texts ${order}`, async () => {
      const title = order.split(' ')[0] ?? '';
      const { status, body, text } = await post('/gallery', parts);
      expect(status, text).to.equal(200);
      expect(body.map(({ title: found, size }) => [found, size])).to.deep.equal([
        [title, PNG_RED.length],
        [title, JPEG_BLUE.length],
      ]);
      const { body: rows } = await kernel().post<readonly Stored[]>('/pictures', { title });
      expect(rows.map(({ storage_key: key }) => key)).to.have.members(body.map(({ storage_key: key }) => key));
    });
  }

  it('provide single values to dependent actionables', async () => {
    const { body, status, text } = await post<Stored>('/first', [png, createTitlePart('t')]);
    expect(status, text).to.equal(200);
    expect(String(body['key'])).to.match(/^gallery\/.*\.png$/);
  });

  it('never use the name of a file as a path', async () => {
    const names = ['../../../etc/passwd', '..\\..\\boot.ini', '/etc/cron.d/x', 'a/b/c.png', '....//x'];
    for (const name of names) {
      const { status, body } = await post('/plain', [{ ...png, file: name }]);
      expect(status, name).to.equal(200);
      expect(body[0]?.['storage_key'], name).to.match(/^gallery\/[0-9a-f-]{36}\.png$/);
      expect(body[0]?.['original_file_name'], name).not.to.match(/[/\\]/);
    }
    expect(await listFilesBelow(kernel().project.folder)).to.satisfy((paths: string[]) =>
      paths.every(
        (path) => path.startsWith('.lintel/') || path.startsWith('definitions/') || path === 'lintel.config.json',
      ),
    );
  });

  it('store nothing when a rule rejects the texts', async () => {
    const before = await listStoredFiles();
    const { status } = await post('/gallery', [png, createTitlePart('x'.repeat(21))]);
    expect(status).to.equal(422);
    expect(await listStoredFiles()).to.deep.equal(before);
  });

  it('store nothing when one of the files is rejected', async () => {
    const before = await listStoredFiles();
    const svg: Part = { name: 'two', content: '<svg/>', file: 'a.svg', type: 'image/svg+xml' };
    const { status, text } = await post('/plain', [png, svg, jpeg]);
    expect(status).to.equal(415);
    expect(JSON.parse(text)).to.deep.include({ code: 'UPL_TYPE_REFUSED' });
    expect((JSON.parse(text) as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)).to.deep.equal([
      '/two',
    ]);
    expect(await listStoredFiles()).to.deep.equal(before);
  });

  it('are removed when the statement after them fails', async () => {
    expect((await post('/once', [png, createTitlePart('taken')])).status).to.equal(200);
    const before = await listStoredFiles();
    const { status } = await post('/once', [png, jpeg, createTitlePart('taken')]);
    expect(status).to.equal(409);
    await waitUntil(async () => (await listStoredFiles()).join() === before.join(), 'the files are taken back');
  });

  it('remain when a later write is already committed, and the log names them', async () => {
    const before = await listStoredFiles();
    const { status } = await post('/late', [png, createTitlePart('late')]);
    expect(status).to.equal(404);
    const { body: rows } = await kernel().post<readonly Stored[]>('/pictures', { title: 'late' });
    expect(rows).to.have.length(1);
    const key = String(rows[0]?.['storage_key']);
    await waitUntil(
      () =>
        Promise.resolve(
          kernel().log.some(({ level, fields }) => level === 'warn' && JSON.stringify(fields).includes(key)),
        ),
      'the log says so',
    );
    expect((await listStoredFiles()).length).to.equal(before.length + 1);
  });

  it('separate the files of fifty clients', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post('/gallery', [png, createTitlePart(`sender ${index}`)])),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(new Array(50).fill(200));
    expect(answers.map(({ body }) => body[0]?.['title'])).to.deep.equal(answers.map((_, index) => `sender ${index}`));
    expect(new Set(answers.map(({ body }) => body[0]?.['storage_key'])).size).to.equal(50);
  }).timeout(30_000);
});
