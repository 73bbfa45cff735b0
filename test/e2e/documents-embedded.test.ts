/** Documents without a server: a project without configured stores, over HTTP. */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { startKernel, type TestKernel } from '../support/kernel.js';

const query = (mongo_query: object): object => ({ id: 1, mode: 'QUERY', main_returnable: true, mongo_query });
const FILES = {
  'definitions/_person.json': JSON.stringify({
    email: { type: 'String', unique: true, max_length: 30 },
    age: { type: 'Number', optional: true },
  }),
  'definitions/add.json': JSON.stringify({
    id: 'add-person',
    resource: 'people/add',
    returnables: ['email', 'age'],
    actionables: [query({ collection: '_person', action: 'INSERT', parameters: ['email', 'age'] })],
  }),
  'definitions/find.json': JSON.stringify({
    id: 'find-person',
    resource: 'people/find',
    returnables: ['_id', 'email'],
    actionables: [
      query({ collection: '_person', action: 'FETCH', filter_predicate: { email: '$PAYLOAD.email' }, parameters: [] }),
    ],
  }),
};
const MEMORY = { connections: { main: { use: 'pglite', path: 'memory://' } } };

describe('documents without a server', () => {
  let app: TestKernel;
  const post = async (path: string, body: object): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };

  before(async function () {
    app = await startKernel({ files: FILES, config: MEMORY });
  });
  after(() => app.close());

  it('are written and found, with ids as text', async () => {
    expect(await post('/people/add', { email: 'a@x', age: 3 })).to.include({ status: 200 });
    const found = await post('/people/find', { email: 'a@x' });
    expect(found.status).to.equal(200);
    expect(found.text)
      .to.match(/"_id":"[0-9a-f]{24}"/)
      .and.contain('"email":"a@x"');
  });

  it('are rejected with the invalid field', async () => {
    await post('/people/add', { email: 'b@x' });
    for (const [body, status, code, pointer] of [
      [{ email: 'b@x' }, 409, 'QRY_UNIQUE', '/email'],
      [{ age: 3 }, 422, 'QRY_NOT_NULL', '/email'],
      [{ email: 'x'.repeat(31) }, 422, 'QRY_CHECK', '/email'],
    ] as const) {
      const answer = await post('/people/add', body);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.text).to.contain(code).and.contain(`"${pointer}"`);
    }
  });

  it('treat a value of a client as a value, not an operator', async () => {
    for (const email of [{ $ne: null }, { $gt: '' }, { $regex: '.*' }, { $where: 'true' }]) {
      const { text } = await post('/people/find', { email });
      expect(text).not.to.contain('@x');
    }
  });

  it('prevent the start if a store names a missing connection', async () => {
    const documents = { main: { use: 'embedded', connection: 'nowhere' } };
    const started = await startKernel({ files: FILES, config: { ...MEMORY, documents } }).catch(
      (error: unknown) => error,
    );
    expect(started).to.be.instanceOf(BootError);
    expect((started as BootError).code).to.equal('DOC_CONNECTION');
    expect((started as BootError).params).to.deep.equal({ instance: 'main', connection: 'nowhere' });
  });
});
