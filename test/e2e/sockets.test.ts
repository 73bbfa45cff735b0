/** Messages over an open connection: requests, responses, and errors. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { InvocationRecord } from '../../contract/telemetry.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';

const WRITTEN = [{ field: { text: { type: 'STRING' } } }];
const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    { ...defineReturnResource('by-id', { sent: '$PAYLOAD' }), resource: 'its/path' },
    {
      ...defineReturnResource('note', { note: '$PAYLOAD.note', id: '$PAYLOAD.id' }),
      resource: 'notes/:note',
    },
    { ...defineReturnResource('item', { id: '$PAYLOAD.id' }), resource: 'items/:id' },
    defineReturnResource('head', { agent: '$HEADER.user-agent', own: '$HEADER.x-own' }),
    {
      id: 'ruled',
      resource: 'ruled',
      actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD.text', payload_validation: WRITTEN }],
    },
    { id: 'inner', resource: 'inner', actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }] },
    defineQueryResource('rows', 'SELECT n, n::text AS t FROM generate_series(1, 3) AS n'),
    defineQueryResource('cast', 'SELECT $1::int AS n', ['$PAYLOAD.n']),
    {
      id: 'upload',
      resource: 'upload',
      actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'x' }, returnables: ['url'] }],
    },
    {
      ...defineReturnResource('hook', 1),
      webhook: { verifications: { IpAllowListVerifier: { allowed_ips: '$ENV.HERE' } } },
    },
    {
      ...defineReturnResource('limited', 1),
      rate_limit: { limit: 1, expires_after: 60 },
    },
    { ...defineReturnResource('later', 1), behind: { after: 1 } },
    { ...defineReturnResource('closed', 1), maintenance: true },
    defineReturnResource('kept', '$GENERATOR.ULID', {
      cacheable: { read_from_cache: true, cache_key: 'k', duration: 60 },
    }),
  ],
};
const PLUGINS = ['builtin:*', join(PLUGIN_FIXTURES, 'behind')];
const CONFIG = {
  websocket: { enabled: true },
  plugins: PLUGINS,
  connections: { main: { use: 'pglite', path: 'memory://' } },
};
const ENV = { HERE: '127.0.0.1' };

const getErrorCode = ({ error }: Frame): unknown => error?.['code'];

describe('messages over a connection', () => {
  let kernel: TestKernel;
  let client: SocketClient;
  before(async function () {
    kernel = await startKernel({ files: FILES, config: CONFIG, env: ENV });
  });
  after(() => kernel.close());
  beforeEach(async () => (client = await connect(kernel.url)));
  afterEach(() => client.close());

  it('return the result itself, with the action of the message', async () => {
    client.send({ resource: 'echo', action: 'say', payload: { a: [1, { b: null }] } });
    expect(await client.next()).to.deep.equal({ uid: null, action: 'say', data: { a: [1, { b: null }] } });
  });

  it('get their `request_id` back if they have one, in a response and in an error', async () => {
    client.send({ resource: 'echo', action: 'say', payload: {}, request_id: 'r-1' });
    expect(await client.next()).to.deep.equal({ uid: null, action: 'say', request_id: 'r-1', data: {} });
    client.send({ resource: 'nothing', action: 'say', request_id: 'r-2' });
    expect(await client.next()).to.include({ uid: null, action: 'say', request_id: 'r-2' });
  });

  it('find a resource by its id, by its path, and by a path with parameters', async () => {
    for (const resource of ['by-id', '/by-id', 'its/path', '/its/path', 'its/path/'])
      expect((await client.sendRequest(resource, { a: 1 })).data, resource).to.deep.equal({ sent: { a: 1 } });
    expect((await client.sendRequest('notes/a%20b', { id: 5 })).data).to.deep.equal({ note: 'a b', id: 5 });
    // The path parameter takes precedence, as over HTTP.
    expect((await client.sendRequest('notes/n', { note: 'other', id: 6 })).data).to.deep.equal({ note: 'n', id: 6 });
  });

  it('receive unread rows unchanged', async () => {
    const rows = [1, 2, 3].map((n) => ({ n, t: String(n) }));
    expect((await client.sendRequest('rows')).data).to.deep.equal(rows);
  });

  it('get problems like those of HTTP, and the connection stays open', async () => {
    const rejected: readonly (readonly [string, unknown, string, number])[] = [
      ['nothing', {}, 'REQ_NOT_FOUND', 404],
      ['inner', {}, 'REQ_NOT_FOUND', 404],
      ['status', {}, 'REQ_NOT_FOUND', 404],
      ['echo?a=1', {}, 'REQ_NOT_FOUND', 404],
      [`notes/${'x'.repeat(9000)}`, {}, 'REQ_NOT_FOUND', 404],
      ['ruled', { text: 5 }, 'VAL_PAYLOAD', 422],
      ['echo', [1], 'VAL_NOT_OBJECT', 422],
      ['echo', 'text', 'VAL_NOT_OBJECT', 422],
      ['echo', null, 'VAL_NOT_OBJECT', 422],
      ['head', {}, 'ACC_UNRESOLVED', 422],
      ['cast', { n: 'no number' }, 'QRY_BAD_VALUE', 422],
      ['closed', {}, 'RES_MAINTENANCE', 503],
      ['hook', {}, 'WS_REQUEST_ONLY', 403],
    ];
    for (const [resource, payload, code, status] of rejected) {
      const { error, data } = await client.sendRequest(resource, payload);
      expect(data, resource).to.equal(undefined);
      expect(error, resource.slice(0, 20)).to.include({
        code,
        status,
        success: false,
        type: `urn:lintel:error:${code}`,
      });
      expect(error?.['instance']).to.match(/^urn:request:[0-9a-f-]{36}$/);
    }
    const over = await kernel.post('/ruled', { text: 5 });
    const { error } = await client.sendRequest('ruled', { text: 5 });
    expect({ ...error, instance: '' }).to.deep.equal({ ...over.body, instance: '' });
    expect((await client.sendRequest('echo', { still: 'here' })).data).to.deep.equal({ still: 'here' });
  });

  it('cannot contain files, and are rejected like a request without any', async () => {
    const { body } = await kernel.post('/upload', {});
    const { error } = await client.sendRequest('upload', {});
    expect(error).to.include({ code: body['code'], status: body['status'] });
  });

  it('that cannot be read get an error, and the connection stays open', async () => {
    const broken: readonly (readonly [unknown, string])[] = [
      ['{ "resource": ', 'REQ_MALFORMED'],
      ['', 'REQ_MALFORMED'],
      ['[]', 'WS_MESSAGE'],
      ['"echo"', 'WS_MESSAGE'],
      [{ action: 'a', payload: {} }, 'WS_MESSAGE'],
      [{ resource: 5, action: 'a' }, 'WS_MESSAGE'],
      [{ resource: '', action: 'a' }, 'WS_MESSAGE'],
      [{ resource: 'echo', action: 5 }, 'WS_MESSAGE'],
      [{ resource: 'echo', action: 'a'.repeat(257) }, 'WS_MESSAGE'],
      [{ resource: 'echo', action: 'a', request_id: 5 }, 'WS_MESSAGE'],
      ['{"resource":"echo","payload":{"__proto__":{"a":1}}}', 'REQ_NAME_REFUSED'],
      ['{"resource":"echo","payload":{"\\u0063onstructor":1}}', 'REQ_NAME_REFUSED'],
      [`{"resource":"echo","payload":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`, 'REQ_TOO_COMPLEX'],
    ];
    for (const [message, code] of broken) {
      client.send(message);
      expect(getErrorCode(await client.next()), String(message).slice(0, 40)).to.equal(code);
    }
    expect((await client.sendRequest('echo', { a: 1 })).data).to.deep.equal({ a: 1 });
  });

  it('may be as deep as a body, and no deeper', async () => {
    const deep = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const send = (levels: number): Promise<Frame> => {
      client.send(`{"resource":"echo","payload":${deep(levels)}}`);
      return client.next();
    };
    expect((await send(32)).data).to.deep.equal(JSON.parse(deep(32)));
    expect(getErrorCode(await send(33))).to.equal('REQ_TOO_COMPLEX');
    expect((await kernel.post('/echo', deep(32))).status).to.equal(200);
    expect((await kernel.post('/echo', deep(33))).status).to.equal(413);
  });

  it('are processed concurrently', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((a) => client.sendRequest('echo', { a })));
    expect(answers.map(({ data }) => data)).to.deep.equal(['a', 'b', 'c', 'd'].map((a) => ({ a })));
  });

  it('are limited by the limits of the resource like requests', async () => {
    expect((await client.sendRequest('limited')).data).to.equal(1);
    expect(getErrorCode(await client.sendRequest('limited'))).to.equal('LIM_EXCEEDED');
    expect((await kernel.post('/limited', {})).status).to.equal(429);
  });

  it('share the cache with requests', async () => {
    const { data } = await client.sendRequest('kept');
    expect(data).to.match(/^[0-9A-Z]{26}$/);
    expect((await kernel.post<unknown>('/kept', {})).body).to.equal(data);
  });

  it('with deferred work are accepted in the response', async () => {
    const { puts } = (await import(pathToFileURL(join(PLUGIN_FIXTURES, 'behind', 'runtime.js')).href)) as {
      puts: { work: { id: string; resource: string } }[];
    };
    puts.length = 0;
    const { data } = await client.sendRequest('later');
    expect(data).to.deep.equal({ accepted: true, id: puts[0]?.work.id });
    expect(puts[0]?.work.resource).to.equal('later');
  });

  it('have the headers of the upgrade, except those of the upgrade itself', async () => {
    const own = await connect(kernel.url, { headers: { 'x-own': 'value', 'user-agent': 'a test' } });
    expect((await own.sendRequest('head')).data).to.deep.equal({ agent: 'a test', own: 'value' });
    await own.close();
  });

  it('use the newest definitions', async () => {
    await kernel.project.write('definitions/b.json', defineReturnResource('new', 'first'));
    await kernel.kernel.reload();
    expect((await client.sendRequest('new')).data).to.equal('first');
    await kernel.project.write('definitions/b.json', defineReturnResource('new', 'second'));
    await kernel.kernel.reload();
    expect((await client.sendRequest('new')).data).to.equal('second');
    await kernel.project.remove('definitions/b.json');
    await kernel.kernel.reload();
    expect(getErrorCode(await client.sendRequest('new'))).to.equal('REQ_NOT_FOUND');
  });
});

describe('connection with a uid', () => {
  let kernel: TestKernel;
  let client: SocketClient;
  before(async () => {
    const files = {
      'definitions/a.json': [
        defineReturnResource('echo', '$PAYLOAD'),
        { ...defineReturnResource('item', { id: '$PAYLOAD.id' }), resource: 'items/:id' },
      ],
    };
    kernel = await startKernel({ files, config: { websocket: { enabled: true } } });
    client = await connect(kernel.url, { query: '?uid=ada%20l' });
  });
  after(async () => {
    await client.close();
    await kernel.close();
  });

  it('has it in every frame', async () => {
    expect((await client.sendRequest('echo', {})).uid).to.equal('ada l');
    expect((await client.sendRequest('nothing', {})).uid).to.equal('ada l');
    client.send('no json');
    expect((await client.next()).uid).to.equal('ada l');
  });

  it('adds it to payloads as `id`, and does not change a payload with its own', async () => {
    expect((await client.sendRequest('echo', { a: 1 })).data).to.deep.equal({ a: 1, id: 'ada l' });
    expect((await client.sendRequest('echo')).data).to.deep.equal({ id: 'ada l' });
    for (const id of ['own', 5, null, ''])
      expect((await client.sendRequest('echo', { id })).data, String(id)).to.deep.equal({ id });
    expect((await client.sendRequest('items/7', {})).data).to.deep.equal({ id: '7' });
  });

  it('adds none without a uid', async () => {
    const nobody = await connect(kernel.url);
    expect((await nobody.sendRequest('echo', { a: 1 })).data).to.deep.equal({ a: 1 });
    await nobody.close();
  });
});

describe('messages and the frames of responses', () => {
  const kernels: TestKernel[] = [];
  afterEach(() => Promise.all(kernels.splice(0).map((kernel) => kernel.close())));
  const start = async (config: object): Promise<TestKernel> => {
    const files = { 'definitions/a.json': [defineReturnResource('echo', '$PAYLOAD')] };
    const kernel = await startKernel({ files, config: { websocket: { enabled: true }, ...config } });
    kernels.push(kernel);
    return kernel;
  };

  it('contain no envelope, which is for HTTP bodies', async () => {
    const kernel = await start({ envelope: 'success-message-data' });
    const client = await connect(kernel.url);
    expect((await kernel.post('/echo', { a: 1 })).body).to.include({ success: true });
    expect((await client.sendRequest('echo', { a: 1 })).data).to.deep.equal({ a: 1 });
    await client.close();
  });

  it('are reported to observers, without their values', async () => {
    const kernel = await start({ observers: { log: { use: 'access_log' }, figures: { use: 'prometheus' } } });
    const client = await connect(kernel.url);
    const { error } = await client.sendRequest('nothing', { secret: 'canary' });
    await client.sendRequest('echo', { secret: 'canary' });
    client.send('no json');
    await client.next();
    const rows = kernel.log.filter(({ message }) => message === 'message').map(({ fields }) => fields);
    const reported = rows.map(({ trigger, resource, status, code }) => [trigger, resource, status, code]);
    expect(reported).to.deep.equal([
      ['websocket', undefined, 404, 'REQ_NOT_FOUND'],
      ['websocket', 'echo', 200, undefined],
      ['websocket', undefined, 400, 'REQ_MALFORMED'],
    ]);
    expect(error?.['instance']).to.equal(`urn:request:${(rows[0] as unknown as InvocationRecord).id}`);
    expect(JSON.stringify(kernel.log)).not.to.contain('canary');
    const { text } = await kernel.request('GET', '/metrics');
    expect(text).to.contain('lintel_runs_total{resource="echo",trigger="websocket",status="200"} 1');
    await client.close();
  });

  it('are counted by connection on the status page', async () => {
    const kernel = await start({});
    const clients = await Promise.all([connect(kernel.url), connect(kernel.url, { query: '?uid=a' })]);
    expect((await kernel.request('GET', '/status')).body).to.include({ connections: 2 });
    await Promise.all(clients.map((client) => client.close()));
    const off = await start({ websocket: { enabled: false } });
    expect((await off.request('GET', '/status')).body).not.to.have.property('connections');
  });
});
