/**
 * Results passed from the database to the response as text: the same bytes as through objects, on both databases, and
 * only if nothing reads them in between.
 */
import { expect } from 'chai';
import { describeOnBothDatabases, type TestKernel } from '../support/kernel.js';

const READ = 'SELECT id, name, secret, price, made FROM items WHERE id > $1::bigint ORDER BY id';

const defineReadResource = (id: string, action: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: READ, parameters: ['$PAYLOAD.after'] }, ...action }],
  ...rest,
});
const NAMES = ['made', 'id', 'name', 'missing'];

const FILES = {
  'definitions/_item.json': {
    id: { type: 'Number', primary_key: true },
    name: { type: 'String' },
    secret: { type: 'String', secret: true },
    price: { type: 'Float', optional: true },
    made: { type: 'DateTime' },
  },
  'definitions/resources.json': [
    {
      id: 'add',
      resource: 'add',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: {
            query: 'INSERT INTO items (id, name, secret, price, made) VALUES ($1, $2, $3, $4, $5)',
            parameters: ['$PAYLOAD.id', '$PAYLOAD.name', { literal: 'hidden' }, '$PAYLOAD.price', '$PAYLOAD.made'],
          },
          returnables: ['id'],
        },
      ],
    },
    defineReadResource('own-names', { returnables: NAMES, result: 'many' }),
    defineReadResource('resource-names', { result: 'many' }, { returnables: NAMES }),
    defineReadResource('first', { returnables: NAMES, result: 'one' }),
    defineReadResource('by-count', { returnables: NAMES }),
    defineReadResource('must', { returnables: NAMES, must_return_value: true }),
    defineReadResource('nested', { returnables: ['id', 'name.length'] }),
    defineReadResource('no-names', { result: 'many' }),
  ],
};

const rows = [
  { made: '2026-01-02T03:04:05.600Z', id: 1, name: 'a "quoted" näme' },
  { made: '2026-01-02T03:04:05.000Z', id: 2, name: '😀' },
  { made: '2026-01-02T03:04:05.123456Z', id: 3, name: '' },
];

const isText = (kernel: TestKernel, id: string): boolean => {
  const plan = kernel.kernel.plans().byId.get(id);
  const [action] = plan?.groups[0]?.actions ?? [];
  return plan?.reply === null && (action?.after ?? []).every(({ takesText }) => takesText === true);
};

for (const envelope of [undefined, { use: 'success-message-data' }]) {
  const title = `answers as text${envelope === undefined ? '' : ', in an envelope'}`;
  describeOnBothDatabases(title, { files: FILES, config: envelope === undefined ? {} : { envelope } }, (kernel) => {
    const postRendered = async (id: string, after: number): Promise<unknown> => {
      const { status, text, headers } = await kernel().post(`/${id}`, { after });
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/json; charset=utf-8']);
      expect(headers.get('content-length')).to.equal(String(Buffer.byteLength(text)));
      const value: unknown = JSON.parse(text);
      return envelope === undefined ? value : (value as { data: unknown }).data;
    };

    before(async () => {
      for (const { id, name, made } of rows) await kernel().post('/add', { id, name, made, price: id / 2 });
    });

    it('are the rows, in every shape', async () => {
      for (const id of ['own-names', 'resource-names', 'by-count']) {
        expect(await postRendered(id, 0), id).to.deep.equal(rows);
      }
      expect(await postRendered('own-names', 2)).to.deep.equal([rows[2]]);
      expect(await postRendered('own-names', 9)).to.deep.equal([]);
      expect(await postRendered('by-count', 2)).to.deep.equal(rows[2]);
      expect(await postRendered('by-count', 9)).to.equal(null);
      expect(await postRendered('first', 0)).to.deep.equal(rows[0]);
      expect(await postRendered('first', 9)).to.equal(null);
    });

    it('keep the order of the names', async () => {
      expect(Object.keys((await postRendered('first', 0)) as object)).to.deep.equal(['made', 'id', 'name']);
    });

    it('omit secrets, and reject a missing row', async () => {
      expect(JSON.stringify(await postRendered('no-names', 0))).not.to.include('hidden');
      expect(await postRendered('must', 2)).to.deep.equal(rows[2]);
      expect((await kernel().post('/must', { after: 9 })).status).to.equal(404);
    });

    it('reject invalid values with their field', async () => {
      const { status, body } = await kernel().post('/own-names', { after: 'x' });
      expect([status, body['code']]).to.deep.equal([422, 'QRY_BAD_VALUE']);
    });

    it('are created only if nothing reads the rows', () => {
      for (const id of ['own-names', 'resource-names', 'first', 'by-count', 'must']) {
        expect(isText(kernel(), id), id).to.equal(true);
      }
      for (const id of ['nested', 'no-names']) expect(isText(kernel(), id), id).to.equal(false);
    });
  });
}
