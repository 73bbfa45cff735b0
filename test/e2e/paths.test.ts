/** Paths with parameters over real HTTP: the matching plan, the payload, and paths without a match. */
import { expect } from 'chai';
import { omitColor } from '../../cli/colors.js';
import { formatCurl, formatEndpointTable } from '../../cli/table.js';
import { findRoute } from '../../kernel/plan/patterns.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';

const at = (id: string, resource: string, value: unknown = { at: id, got: '$PAYLOAD' }): object =>
  defineReturnResource(id, value, { resource });
const rule = (type: object): object => ({ payload_validation: [{ field: { id: type } }] });

const FILES = {
  'definitions/a.json': [
    at('note', 'notes/:id'),
    at('newest', 'notes/newest'),
    at('mixed', 'mixed/:first/x/:second'),
    at('mixed-fixed', 'mixed/:first/x/fixed'),
    at('mixed-early', 'mixed/fixed/:any/:second'),
    at('root', 'one/:a/:b/:c'),
    at('dots', 'v1.0/a~b/:id/c-d_e'),
    at('plural', 'plus/:id/s'),
    { ...at('hidden', 'hidden/:id'), actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }] },
    {
      id: 'ruled',
      resource: 'ruled/:id',
      actionables: [
        { id: 1, mode: 'RETURN', value: '$PAYLOAD.id', ...rule({ type: 'STRING', min_length: 2, max_length: 5 }) },
      ],
    },
    {
      id: 'maybe',
      resource: 'maybe/:id',
      actionables: [
        { id: 1, mode: 'RETURN', value: { id: '$PAYLOAD.id' }, ...rule({ type: 'STRING', optional: true }) },
      ],
    },
  ],
};

describe('path parameters', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, config: { http: { methods: ['POST', 'GET'] } } })));
  after(() => kernel.close());
  /** Unchanged: fetch would normalize the path. */
  const send = async (path: string, method = 'POST'): Promise<{ status: number; body: string }> =>
    parseRaw(await kernel.raw(formatRequestHead(method, path, { connection: 'close', 'content-length': 0 })));
  const got = async (path: string): Promise<unknown> =>
    JSON.parse(Buffer.from((await send(path)).body, 'latin1').toString()) as unknown;

  it('are fields of the payload', async () => {
    expect(await got('/notes/5')).to.deep.equal({ at: 'note', got: { id: '5' } });
    expect(await got('/one/1/2/3')).to.deep.equal({ at: 'root', got: { a: '1', b: '2', c: '3' } });
    expect(await got('/v1.0/a~b/x/c-d_e')).to.deep.equal({ at: 'dots', got: { id: 'x' } });
  });

  it('are used after fixed text, from the left', async () => {
    expect(await got('/notes/newest')).to.deep.equal({ at: 'newest', got: {} });
    expect(await got('/mixed/a/x/fixed')).to.deep.equal({ at: 'mixed-fixed', got: { first: 'a' } });
    expect(await got('/mixed/a/x/b')).to.deep.equal({ at: 'mixed', got: { first: 'a', second: 'b' } });
    expect(await got('/mixed/fixed/x/fixed')).to.deep.equal({ at: 'mixed-early', got: { any: 'x', second: 'fixed' } });
  });

  for (const [path, id] of [
    ['/notes/a%20b', 'a b'],
    ['/notes/%C3%A9%F0%9F%91%8D', 'é👍'],
    ['/notes/a%2Fb', 'a/b'],
    ['/notes/newest%2f', 'newest/'],
    ['/notes/%252F', '%2F'],
    ['/notes/a+b', 'a+b'],
    ['/notes/5/', '5'],
    ['/%6Eotes/5', '5'],
    ['/notes/..', '..'],
    ['/notes/.*', '.*'],
    ['/notes/(x)?', '(x)'],
    ['/notes/:id', ':id'],
    ['/notes/__proto__', '__proto__'],
    ['/notes/%00', '\0'],
    ['/notes/;a=1', ';a=1'],
  ] as const) {
    it(`contain ${JSON.stringify(id)} for ${path}`, async () => {
      expect(await got(path)).to.deep.equal({ at: 'note', got: { id } });
    });
  }

  for (const path of [
    '/notes',
    '/notes/',
    '/notes//',
    '/notes//5',
    '//notes/5',
    '/notes/5//',
    '/notes/5/6',
    '/Notes/5',
    '/notes/%',
    '/notes/%zz',
    '/notes/%c0%af',
    '/notes/%ED%A0%80',
    '/notes%2F5',
    '/notes%2Fnewest',
    '/v1x0/a~b/x/c-d_e',
    '/plus/5',
    '/plu/5/s',
    '/mixed/a/x/',
    '/hidden/5',
  ]) {
    it(`do not match ${path}: 404`, async () => expect((await send(path)).status).to.equal(404));
  }

  it('take precedence over a field of the same name in the body and in the query string', async () => {
    const { body } = await kernel.post('/notes/5', { id: 'body', other: 1 });
    expect(body).to.deep.equal({ at: 'note', got: { id: '5', other: 1 } });
    const get = await kernel.request('GET', '/notes/5?id=query&other=1');
    expect(get.body).to.deep.equal({ at: 'note', got: { id: '5', other: '1' } });
  });

  it('are read from the payload if the resource is called by its id', async () => {
    expect((await kernel.post('/note', { id: 'body' })).body).to.deep.equal({ at: 'note', got: { id: 'body' } });
    expect((await kernel.post('/maybe', {})).body).to.deep.equal({ id: null });
  });

  it('are not added to a list', async () => {
    expect((await kernel.post('/notes/5', [1])).body).to.include({ status: 422, code: 'VAL_NOT_OBJECT' });
  });

  it('are validated by the rules that name them', async () => {
    expect((await kernel.post('/ruled/abc')).body).to.equal('abc');
    for (const path of ['/ruled/a', '/ruled/abcdef']) {
      const { status, body } = await kernel.post(path);
      expect([status, body['code']]).to.deep.equal([422, 'VAL_PAYLOAD']);
      expect(body['errors']).to.have.nested.property('0.pointer', '/id');
    }
  });

  it('return 404 for an unknown path before 405 for a verb', async () => {
    expect((await kernel.request('PUT', '/notes/5/6')).status).to.equal(404);
    const { status, headers } = await kernel.request('PUT', '/notes/5');
    expect([status, headers.get('allow')]).to.deep.equal([405, 'POST, GET, HEAD']);
  });

  it('are shown in the table; the curl line has a value in their place', async () => {
    const only = await startKernel({
      files: {
        'definitions/a.json': {
          id: 'ruled',
          resource: 'ruled/:id/of/:who',
          actionables: [
            {
              id: 1,
              mode: 'RETURN',
              value: '$PAYLOAD',
              payload_validation: [
                { field: { id: { type: 'STRING', min_length: 4 } } },
                { field: { n: { type: 'NUMBER', min: 3 } } },
              ],
            },
          ],
        },
      },
      onProblem: 'skip',
    });
    const plans = only.kernel.plans();
    expect(formatEndpointTable(plans, ['POST'], omitColor)).to.contain('/ruled/:id/of/:who');
    const line = formatCurl(plans, only.url, ['POST']) ?? '';
    const [, path = '', data = ''] = /(\/ruled\S*) -H .* -d '(.*)'$/.exec(line) ?? [];
    expect(path).to.match(/^\/ruled\/[^/:]{4,}\/of\/[^/:]+$/);
    const { status, body } = await only.post(path, data);
    expect(status, line).to.equal(200);
    expect(body).to.have.all.keys('id', 'who', 'n');
    expect(JSON.parse(data)).to.have.all.keys('n');
    expect(formatCurl(plans, only.url, ['GET'])).to.match(/\/ruled\/[^/:]{4,}\/of\/[^/:?]+\?n=/);
    await only.close();
  });
});

describe('path parameters of invalid definitions', () => {
  const defineInvalid = (resource: string): object => ({
    id: 'broken',
    resource,
    actionables: [{ id: 1, mode: 'NONE' }],
  });

  it('return 503, and no other path replaces a fixed one', async () => {
    const kernel = await startKernel({
      files: { 'definitions/a.json': [at('note', 'notes/:id')], 'definitions/b.json': defineInvalid('notes/newest') },
      onProblem: 'skip',
    });
    expect((await kernel.post('/notes/newest')).body).to.include({ status: 503, code: 'REQ_BROKEN' });
    expect((await kernel.post('/notes/5')).status).to.equal(200);
    await kernel.project.write('definitions/b.json', defineInvalid('pages/:id'));
    await kernel.kernel.reload();
    expect((await kernel.post('/pages/5')).body).to.include({ status: 503, code: 'REQ_BROKEN' });
    expect((await kernel.post('/')).status).to.equal(404);
    await kernel.close();
  });

  it('keep their last valid plan while the file is invalid', async () => {
    const kernel = await startKernel({ files: { 'definitions/a.json': at('note', 'notes/:id') }, onProblem: 'skip' });
    await kernel.project.write('definitions/a.json', '{ "id": "note", "resource": "notes/:id", "actionables": [{');
    await kernel.kernel.reload();
    expect(kernel.kernel.degraded()).to.equal(true);
    expect((await kernel.post('/notes/5')).body).to.deep.equal({ at: 'note', got: { id: '5' } });
    expect((await kernel.post('/note', {})).status).to.equal(200);
    // With another path and valid again: the new one is served.
    await kernel.project.write('definitions/a.json', at('note', 'notes/:number'));
    await kernel.kernel.reload();
    expect((await kernel.post('/notes/5')).body).to.deep.equal({ at: 'note', got: { number: '5' } });
    await kernel.close();
  });
});

describe('many paths with parameters', () => {
  const COUNT = 1000;

  it('do not change exact paths', async function () {
    const patterns = Array.from({ length: COUNT }, (_, i) => at(`p-${i}`, `p${i}/:id`));
    const kernel = await startKernel({ files: { 'definitions/a.json': [at('exact', 'exact'), ...patterns] } });
    const untried = (): never => {
      throw new Error('a pattern was tried');
    };
    const plans = { ...kernel.kernel.plans(), patterns: { routes: [], find: untried } };
    expect(findRoute(plans, '/exact').plan.id).to.equal('exact');
    expect(() => findRoute(plans, '/inexact')).to.throw('a pattern was tried');
    expect((await kernel.post('/exact')).status).to.equal(200);
    expect((await kernel.post(`/p${COUNT - 1}/7`)).body).to.deep.equal({ at: `p-${COUNT - 1}`, got: { id: '7' } });
    await kernel.close();
  });
});

describeOnDatabase(
  'path parameters in statements',
  {
    files: {
      'definitions/a.json': defineQueryResource('named', 'SELECT $1::text AS id, $2::text AS word', ['id', 'word']),
    },
  },
  (kernel) => {
    before(async () => {
      const named = { ...defineQueryResource('named', 'SELECT $1::text AS id, $2::text AS word', ['id', 'word']) };
      await kernel().project.write('definitions/a.json', { ...named, resource: 'named/:id/:word' });
      expect(await kernel().kernel.reload()).to.include({ applied: true });
    });

    it('are parameter names', async () => {
      const { body } = await kernel().post("/named/7/'%3B%20DROP");
      expect(body).to.deep.equal({ id: '7', word: "'; DROP" });
    });
  },
);
