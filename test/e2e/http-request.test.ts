/**
 * Mode HTTPREQUEST against a real server: what is sent, the result of the response, and how results are used further.
 */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createJsonBehaviour, startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.js';

const NAMED = { 'content-type': 'application/json' };

describe('HTTPREQUEST', () => {
  let upstream!: Upstream;
  let kernel!: TestKernel;

  const answers: Record<
    string,
    (asked: ReceivedRequest) => { status?: number; type?: string | null; body?: string | Buffer }
  > = {
    '/text': () => ({ type: 'text/plain; charset=utf-8', body: 'plain words' }),
    '/latin': () => ({ type: 'text/html; charset=iso-8859-1', body: Buffer.from([0x66, 0xfc, 0x72]) }),
    '/form': () => ({ type: 'application/x-www-form-urlencoded', body: 'access_token=t&scope=a' }),
    '/nothing': () => ({ status: 204 }),
    '/untyped': () => ({ type: null, body: '{"n":1}' }),
    '/hal': () => ({ type: 'application/hal+json', body: '\ufeff{"n":2}' }),
    '/missing': () => ({ status: 404, body: '{"error":"canary-of-the-upstream"}' }),
    '/failing': () => ({ status: 500, body: '{"error":"canary-of-the-upstream"}' }),
    '/list': () => ({ body: JSON.stringify([{ id: 1, secret: 'x' }, { id: 2 }]) }),
  };

  const call = (id: string, http: Loose, rest: Loose = {}, action: Loose = {}): Loose => ({
    id,
    resource: id,
    actionables: [{ id: 1, mode: 'HTTPREQUEST', http, ...action }],
    ...rest,
  });

  before(async function () {
    upstream = await startUpstream((_req, res, asked) => {
      const make = answers[asked.url.split('?')[0] ?? ''];
      if (make === undefined) return createJsonBehaviour({ ...asked, rawHeaders: undefined })(_req, res, asked);
      const { status = 200, type = 'application/json', body = '' } = make(asked);
      res.writeHead(status, type === null ? {} : { 'content-type': type }).end(body);
    });
    const { url } = upstream;
    const definitions = [
      ...Object.keys(answers).map((path) => call(path.slice(1), { url: `${url}${path}` })),
      call(
        'post',
        {
          url: '$ENV.REMOTE/echo',
          method: 'POST',
          headers: {
            authorization: 'Bearer $ENV.REMOTE_KEY',
            'X-Note': 'a $PAYLOAD.note',
            'x-maybe': '$PAYLOAD.maybe',
          },
          request_body: {
            n: '$PAYLOAD.n',
            list: ['$PAYLOAD.list', 'x $PAYLOAD.n'],
            fixed: { a: null },
            key: '$ENV.REMOTE_KEY',
          },
        },
        {},
        { payload_validation: [{ field: { maybe: { type: 'STRING', optional: true } } }] },
      ),
      call('path', { url: `${url}/users/$PAYLOAD.id/x-$PAYLOAD.b?q=$PAYLOAD.q&fixed=1` }),
      call('query', { url: `${url}/q?a=1`, query: { term: '$PAYLOAD.term', none: null, many: '$PAYLOAD.many', n: 5 } }),
      call('form-post', {
        url: `${url}/token`,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        request_body: { grant_type: 'authorization_code', code: '$PAYLOAD.code', n: 1 },
      }),
      call('text-post', {
        url: `${url}/t`,
        method: 'PUT',
        headers: { 'content-type': 'text/csv' },
        request_body: 'a,b\n$PAYLOAD.v',
      }),
      call('delete', { url: `${url}/d`, method: 'DELETE' }),
      call('head', { url: `${url}/h`, method: 'HEAD' }),
      call('accepted', { url: `${url}/missing`, accept_status: [404] }),
      call('kept', { url: `${url}/list` }, {}, { returnables: ['id'] }),
      {
        id: 'chained',
        resource: 'chained',
        returnables: ['body'],
        actionables: [
          { id: 1, mode: 'HTTPREQUEST', http: { url: `${url}/first/$PAYLOAD.id` }, no_op: true },
          {
            id: 2,
            mode: 'HTTPREQUEST',
            depends_on: [
              {
                resource_id: 'self',
                action_ids: [1],
                extract_response_for: [
                  { extract: 'url', for: 'first_url' },
                  { extract: 'method', for: 'first_method' },
                ],
              },
            ],
            http: {
              url: `${url}/second`,
              method: 'POST',
              request_body: { from: '$PAYLOAD.first_url', by: '$PAYLOAD.first_method' },
            },
          },
        ],
      },
      {
        id: 'aside',
        resource: 'aside',
        actionables: [
          { id: 1, mode: 'HTTPREQUEST', parallel: true, http: { url: `${url}/one` } },
          { id: 2, mode: 'HTTPREQUEST', parallel: true, http: { url: `${url}/two` }, main_returnable: true },
        ],
      },
    ];
    kernel = await startKernel({
      validated: true,
      files: { 'definitions/a.json': definitions },
      config: { outbound: { allow: [`127.0.0.1:${upstream.port}`] } },
      env: { REMOTE: url, REMOTE_KEY: 'canary-of-a-key' },
    });
  });
  after(async () => {
    await kernel.close();
    for (let i = 0; i < 1000 && upstream.countOpen() > 0; i++) await new Promise((done) => setImmediate(done));
    expect(upstream.countOpen(), 'connections end with the kernel').to.equal(0);
    await upstream.close();
  });
  beforeEach(() => void upstream.requests.splice(0));

  const answer = async (path: string, body: Loose = {}): Promise<unknown> => {
    const { status, text, body: given } = await kernel.post<unknown>(path, body);
    expect(status, text).to.equal(200);
    return given;
  };
  const getOnlyRequest = (): ReceivedRequest => {
    expect(upstream.requests).to.have.length(1);
    return upstream.requests[0]!;
  };

  it('sends JSON with the types of its values, and headers with values in them', async () => {
    await answer('/post', { n: 5, list: [1, { a: true }], note: 'b' });
    const { method, url, headers, body } = getOnlyRequest();
    expect(`${method} ${url}`).to.equal('POST /echo');
    expect(JSON.parse(body)).to.deep.equal({
      n: 5,
      list: [[1, { a: true }], 'x 5'],
      fixed: { a: null },
      key: 'canary-of-a-key',
    });
    expect(headers).to.include({
      ...NAMED,
      authorization: 'Bearer canary-of-a-key',
      'x-note': 'a b',
      'user-agent': 'lintel',
    });
    expect(headers).not.to.have.property('x-maybe');
    expect(Number(headers['content-length'])).to.equal(Buffer.byteLength(body));
  });

  it('sends values of a path as one segment and values of a query as one value', async () => {
    await answer('/path', { id: 'a/b?c#d é&=', b: 7, q: 'x&y=z#/../é +' });
    expect(getOnlyRequest().url).to.equal(
      '/users/a%2Fb%3Fc%23d%20%C3%A9%26%3D/x-7?q=x%26y%3Dz%23%2F..%2F%C3%A9%20%2B&fixed=1',
    );
  });

  for (const id of ['', '.', '..', '../admin', 'a/../b', '..\\x', 'a\nb', '\u0000', '\ud800']) {
    it(`rejects ${JSON.stringify(id)} as a segment, naming the field`, async () => {
      const { status, body } = await kernel.post('/path', { id, b: 1, q: 'q' });
      expect(status).to.be.oneOf(id === '\ud800' ? [400, 422] : [422]);
      if (status === 422) {
        expect(body['code']).to.equal('OUT_VALUE');
        expect(body['errors']).to.have.nested.property('0.pointer', '/id');
      }
      expect(upstream.requests).to.deep.equal([]);
    });
  }

  it('rejects values without a text form, in a path, a query, a header and a form', async () => {
    for (const [path, body] of [
      ['/path', { id: { a: 1 }, b: 1, q: 'q' }],
      ['/path', { id: 'a', b: 1, q: ['q'] }],
      ['/query', { term: { a: 1 }, many: [] }],
      ['/post', { n: 1, list: [], note: [] }],
      ['/form-post', { code: { a: 1 } }],
      ['/text-post', { v: {} }],
    ] as const) {
      const given = await kernel.post(path, body);
      expect(given.status, path).to.equal(422);
      expect(given.body['code'], path).to.be.oneOf(['OUT_VALUE', 'ACC_NOT_TEXT']);
    }
    expect(upstream.requests).to.deep.equal([]);
  });

  for (const note of ['a\r\nx-evil: 1', 'a\nb', '\u0000', '\u007f', '日本', 'a\u2028b']) {
    it(`rejects ${JSON.stringify(note)} in a header, naming the field`, async () => {
      const { status, body } = await kernel.post('/post', { n: 1, list: [], note });
      expect(status).to.equal(422);
      expect(body).to.have.nested.property('errors[0].pointer', '/note');
      expect(upstream.requests).to.deep.equal([]);
    });
  }

  it('serializes the query: null is omitted, a list repeated', async () => {
    await answer('/query', { term: 'a b&c', many: ['x', 2, true] });
    expect(getOnlyRequest().url).to.equal('/q?a=1&term=a+b%26c&many=x&many=2&many=true&n=5');
  });

  it('sends forms and text according to the content type', async () => {
    await answer('/form-post', { code: 'a&b=c é' });
    expect(getOnlyRequest().body).to.equal('grant_type=authorization_code&code=a%26b%3Dc+%C3%A9&n=1');
    expect(getOnlyRequest().headers['content-type']).to.equal('application/x-www-form-urlencoded');
    upstream.requests.splice(0);
    await answer('/text-post', { v: '1,2' });
    expect(getOnlyRequest()).to.include({ method: 'PUT', body: 'a,b\n1,2' });
  });

  it('sends no body and no content type if the definition has none', async () => {
    await answer('/delete');
    expect(getOnlyRequest()).to.include({ method: 'DELETE', body: '' });
    expect(getOnlyRequest().headers).not.to.have.property('content-type');
    upstream.requests.splice(0);
    expect(await answer('/head')).to.equal(null);
    expect(getOnlyRequest().method).to.equal('HEAD');
  });

  it('returns JSON, text, or null, by the content type of the response', async () => {
    expect(await answer('/text')).to.equal('plain words');
    expect(await answer('/latin')).to.equal('für');
    expect(await answer('/form')).to.equal('access_token=t&scope=a');
    expect(await answer('/nothing')).to.equal(null);
    expect(await answer('/untyped')).to.deep.equal({ n: 1 });
    expect(await answer('/hal')).to.deep.equal({ n: 2 });
  });

  it('fails if the other service rejects or fails, with its status and nothing of its body', async () => {
    for (const [path, number] of [
      ['/missing', '404'],
      ['/failing', '500'],
    ] as const) {
      const { status, body, text } = await kernel.post(path, {});
      expect(status).to.equal(502);
      expect(body).to.include({ code: 'OUT_STATUS' });
      expect(body['errors']).to.deep.equal([{ pointer: '', code: 'OUT_STATUS', detail: number }]);
      expect(text).not.to.contain('canary');
    }
  });

  it('accepts a status that the definition lists', async () => {
    expect(await answer('/accepted')).to.deep.equal({ error: 'canary-of-the-upstream' });
  });

  it('has its result cached, extracted, and returned', async () => {
    expect(await answer('/kept')).to.deep.equal([{ id: 1 }, { id: 2 }]);
    upstream.requests.splice(0);
    const given = (await answer('/chained', { id: 'x' })) as { body: string };
    expect(JSON.parse(given.body)).to.deep.equal({ from: '/first/x', by: 'GET' });
    expect(upstream.requests.map(({ url }) => url)).to.deep.equal(['/first/x', '/second']);
  });

  it('runs in parallel with its adjacent actionables', async () => {
    expect(await answer('/aside')).to.include({ url: '/two' });
    expect(upstream.requests.map(({ url }) => url).sort()).to.deep.equal(['/one', '/two']);
  });

  it('reuses connections', async () => {
    const before = upstream.countOpened();
    for (let i = 0; i < 10; i++) await answer('/delete');
    expect(upstream.countOpened() - before).to.be.at.most(1);
  });

  it('prevents the start if a variable contains no valid URL, naming the actionable', async () => {
    for (const [SOMEWHERE, what] of [
      ['api.example.com', 'it has no scheme http or https with a host'],
      ['https://u:canary@api.example.com', 'it holds credentials; send them in a header'],
      ['https://api.example.com/#', 'it has a fragment'],
      ['https://api.example.com?x=', 'https'],
    ] as const) {
      const files = { 'definitions/a.json': call('env', { url: '$ENV.SOMEWHERE/x/$PAYLOAD.a' }) };
      const outcome = await startKernel({ files, env: { SOMEWHERE } }).then(
        (started) => started.close().then(() => 'https'),
        (error: unknown) => (error instanceof BootError ? JSON.stringify([error.code, error.params]) : String(error)),
      );
      expect(outcome).to.contain(what);
      if (what !== 'https') expect(outcome).to.contain('OUT_URL').and.contain('env#1').and.not.contain('canary');
    }
  });

  it('is planned without secrets', () => {
    const plan = JSON.stringify(kernel.kernel.plans().byId.get('post')?.summary.describe);
    expect(plan).to.contain('POST $ENV.REMOTE/echo');
    expect(plan).not.to.contain('canary');
  });
});
