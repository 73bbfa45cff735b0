/**
 * Sources of named values, over real HTTP: outputs of an upload in statements, documents, calls and messages, columns,
 * protected properties, items of lists. Only the definition of the resource decides.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, JPEG_BLUE, PNG_RED, type Part } from '../support/pictures.js';
import { defineQueryResource } from '../support/project.js';
import { waitUntilNoTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';

const upload = (rest: Loose = {}): Loose => ({
  id: 1,
  mode: 'UPLOAD',
  uploads: { max_file_uploads: 3, allowed_mimetypes: ['image/*'], upload_folder: 'pictures' },
  ...rest,
});
const query = (
  id: number,
  text: string,
  parameters: readonly unknown[],
  rest: Loose = {},
  more: Loose = {},
): Loose => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters, ...more },
  ...rest,
});
const resource = (id: string, actionables: readonly Loose[], rest: Loose = {}): Loose => ({
  id,
  resource: id,
  actionables,
  ...rest,
});
const rules = (...names: string[]): Loose => ({
  payload_validation: [{ field: Object.fromEntries(names.map((name) => [name, { type: 'STRING' }])) }],
});
const KEPT = 'INSERT INTO file (url, storage_key, size) VALUES ($1, $2, $3) RETURNING url, storage_key, size';
const NAMES = ['url', 'storage_key', 'file_size'];
const hashing = [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }];

const definitions = (upstream: string): readonly object[] => [
  { _file: { url: { type: 'String' }, storage_key: { type: 'String' }, size: { type: 'Number' } } },
  { _person: { name: { type: 'String' }, secret: { type: 'String', optional: true } } },
  resource('one', [upload(), query(2, KEPT, NAMES)]),
  resource('far', [upload(), { id: 2, mode: 'RETURN', value: 1 }, query(3, KEPT, NAMES)]),
  resource('each', [upload(), query(2, KEPT, NAMES, {}, { multi: true })]),
  resource('far-each', [upload(), { id: 2, mode: 'RETURN', value: 1 }, query(3, KEPT, NAMES, {}, { multi: true })]),
  resource('named', [
    upload(),
    { id: 2, mode: 'RETURN', main_returnable: true, value: { key: '$PAYLOAD.storage_key', text: 'at $PAYLOAD.url' } },
  ]),
  resource('ruled', [upload(rules('url')), query(2, 'SELECT $1::text AS url', ['url'], { main_returnable: true })]),
  resource('before', [
    query(1, 'SELECT $1::text AS url', ['url'], { ...rules('url'), main_returnable: true }),
    upload({ id: 2 }),
  ]),
  resource('written', [
    upload(),
    {
      id: 2,
      mode: 'QUERY',
      main_returnable: true,
      mongo_query: { collection: 'papers', action: 'INSERT', parameters: NAMES },
    },
  ]),
  resource('in-document', [
    upload(),
    {
      id: 2,
      mode: 'QUERY',
      main_returnable: true,
      mongo_query: {
        collection: 'papers',
        action: 'INSERT',
        document: { at: '$PAYLOAD.url', keys: ['$1'], from: { key: '$PAYLOAD.storage_key' } },
        parameters: ['storage_key'],
      },
    },
  ]),
  resource('called', [
    upload(),
    {
      id: 2,
      mode: 'HTTPREQUEST',
      main_returnable: true,
      http: {
        url: `${upstream}/files?key=$PAYLOAD.storage_key`,
        method: 'POST',
        headers: { 'x-size': '$PAYLOAD.file_size' },
        request_body: { url: '$PAYLOAD.url' },
      },
    },
  ]),
  resource('again', [
    upload({ no_op: true }),
    query(2, KEPT, NAMES, { depends_on: [{ resource_id: 'self', action_ids: [1] }] }),
  ]),
  resource('put-off', [
    upload(),
    query(2, KEPT, NAMES, { run_in_background: true }),
    { id: 3, mode: 'RETURN', value: { key: '$PAYLOAD.storage_key' }, main_returnable: true },
  ]),
  resource('removed', [
    {
      id: 1,
      mode: 'UPLOAD',
      uploads: { delete_files: true, upload_folder: 'pictures' },
    },
    query(2, 'DELETE FROM file WHERE storage_key = $1 RETURNING storage_key', ['storage_key'], {
      broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'gone', broadcast_to: '$PAYLOAD.storage_key' },
    }),
  ]),
  resource('cached', [
    upload(),
    query(2, 'SELECT $1::text AS key', ['storage_key'], {
      cacheable: { read_from_cache: true, cache_key: 'file $PAYLOAD.storage_key', duration: 60 },
    }),
  ]),
  defineQueryResource('files', 'SELECT url, storage_key, size FROM file WHERE storage_key = $1', ['key']),
  defineQueryResource('tables', "SELECT 1 AS n WHERE to_regclass('nowhere') IS NULL AND $1 = 'a'", ['letter']),
  resource('register', [
    query(1, 'INSERT INTO person (name, secret) VALUES ($1, $2) RETURNING name', ['$PAYLOAD.name', 'password'], {
      hashables: hashing,
    }),
  ]),
  resource('enter', [
    query(1, 'SELECT name, secret AS password FROM person WHERE name = $1', ['name'], {
      verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      returnables: ['name'],
    }),
  ]),
  defineQueryResource('search', "SELECT name FROM person WHERE name ILIKE '%' || $1 || '%'", ['part'], rules('part')),
  resource('columns', [
    query(1, 'INSERT INTO person (name, secret) VALUES ($1, $2) RETURNING name, secret', ['name', 'secret'], {
      ...rules('other'),
      returnables: ['name', 'secret'],
    }),
  ]),
  resource('values', [
    query(1, 'SELECT $1::text AS a, $2::text AS b, $3::jsonb AS c, $4::int AS d', [
      { literal: 'new' },
      { literal: '$PAYLOAD.id' },
      { literal: { literal: 1 } },
      { literal: 5 },
    ]),
  ]),
];

const png: Part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
const jpeg: Part = { name: 'other', content: JPEG_BLUE, file: 'blue.jpg', type: 'image/jpeg' };

describe('names and the sources of their values', () => {
  let upstream!: Upstream;
  let kernel!: TestKernel;

  before(async () => {
    upstream = await startUpstream((req, res, asked) =>
      createJsonBehaviour({ ...asked, headers: req.headers, rawHeaders: undefined })(req, res, asked),
    );
    kernel = await startKernel({
      files: { 'definitions/a.json': definitions(upstream.url) },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        outbound: { allow: ['127.0.0.1'] },
        queue: { use: 'embedded' },
      },
    });
  });
  after(async () => {
    await (kernel as TestKernel | undefined)?.close();
    await upstream.close();
  });
  afterEach(() => waitUntilNoTempFiles());

  const send = (path: string, ...parts: readonly Part[]) =>
    kernel.request('POST', path, { body: createFormData(parts) });
  const KEY = /^pictures\/[\w-]+\.png$/;

  for (const path of ['/one', '/far', '/again']) {
    it(`write the URL and the key of the one file, and not the names (${path})`, async () => {
      const { status, body, text } = await send(path, png);
      expect(status, text).to.equal(200);
      expect(body['storage_key']).to.match(KEY);
      expect(body['url']).to.be.a('string').and.not.equal('url');
      expect(body['size']).to.equal(PNG_RED.length);
    });
  }

  it('reject several files if one is expected, and store none of them', async () => {
    const { status, body } = await send('/one', png, jpeg);
    expect(status).to.equal(422);
    expect(body['code']).to.equal('UPL_SEVERAL');
    expect(body['errors']).to.have.lengthOf(1);
    expect(JSON.stringify(body['errors'])).to.contain('/other');
  });

  for (const path of ['/each', '/far-each']) {
    it(`run once for each file with multi (${path})`, async () => {
      const { status, body, text } = await send(path, png, jpeg);
      expect(status, text).to.equal(200);
      const sizes = (body as unknown as readonly Loose[]).map((row) => row['size']);
      expect(sizes).to.deep.equal([PNG_RED.length, JPEG_BLUE.length]);
    });
  }

  it('are read as accessors, alone and inside text', async () => {
    const { body, text } = await send('/named', png);
    expect(body['key'], text).to.match(KEY);
    expect(body['text']).to.match(/^at \S+$/);
  });

  it('read the uploaded file after the upload, and the sent value before it', async () => {
    const sent: Part = { name: 'url', content: 'sent' };
    expect((await send('/ruled', sent, png)).body['url'])
      .to.be.a('string')
      .and.not.equal('sent');
    expect((await send('/before', sent, png)).body['url']).to.equal('sent');
  });

  it('are written into documents', async () => {
    const { body, text } = await send('/written', png);
    expect(body['storage_key'], text).to.match(KEY);
    expect(body['file_size']).to.equal(PNG_RED.length);
    const other = await send('/in-document', png);
    expect((other.body['keys'] as readonly string[])[0], other.text).to.match(KEY);
    expect((other.body['from'] as Loose)['key']).to.match(KEY);
  });

  it('are sent to other services', async () => {
    const { body, text } = await send('/called', png);
    expect(decodeURIComponent(String(body['url'])), text).to.match(/key=pictures\/[\w-]+\.png$/);
    expect(text).to.contain(`"x-size":"${PNG_RED.length}"`);
  });

  it('are stored with deferred work', async () => {
    const { body, status, text } = await send('/put-off', png);
    expect(status, text).to.equal(200);
    const { key } = body;
    await waitUntil(async () => (await kernel.post<Loose | null>('/files', { key })).body?.['storage_key'] === key);
  });

  it('read the key of the removed file, and reject several files', async () => {
    const { body } = await send('/one', png);
    const key = body['storage_key'];
    expect((await kernel.post('/removed', [key, key])).body['code']).to.equal('UPL_SEVERAL');
    const { status, body: gone, text } = await kernel.post('/removed', [key]);
    expect(status, text).to.equal(200);
    expect(gone).to.deep.equal({ storage_key: key });
  });

  it('separate values of one file from those of another', async () => {
    const [first, second] = [await send('/cached', png), await send('/cached', png)];
    expect(first.body['key'], first.text).to.match(KEY);
    expect(second.body['key']).to.match(KEY).and.not.equal(first.body['key']);
  });

  it('read the payload for a bare name in a resource without rules, with any models', async () => {
    expect((await kernel.post('/tables', { letter: 'a' })).body).to.deep.equal({ n: 1 });
    expect((await kernel.post('/tables', { letter: 'b' })).body).to.equal(null);
  });

  it('hash the sent value, not the name, if only the step names the field', async () => {
    const ada = { name: 'ada', password: 'correct horse' };
    expect((await kernel.post('/register', ada)).status).to.equal(200);
    expect((await kernel.post('/enter', ada)).status).to.equal(200);
    expect((await kernel.post('/enter', { ...ada, password: 'password' })).status).to.equal(401);
  });

  it('read the name of its column next to rules for other fields', async () => {
    const { body } = await kernel.post('/columns', { other: 'x', name: 'eve', secret: 'p' });
    expect(body).to.deep.equal({ name: 'eve', secret: 'p' });
    expect((await kernel.post('/columns', { other: 'x', name: 'mal' })).body).to.deep.equal({
      name: 'mal',
      secret: null,
    });
  });

  it('search for the sent value inside a longer pattern', async () => {
    expect((await kernel.post('/search', { part: 'ev' })).body).to.deep.equal({ name: 'eve' });
  });

  it('pass literal values unchanged', async () => {
    const { body } = await kernel.post('/values', { new: 'sent', id: 'sent' });
    expect(body).to.deep.equal({ a: 'new', b: '$PAYLOAD.id', c: { literal: 1 }, d: 5 });
  });
});
