/**
 * Statements that are repeated for each item of a list, over real HTTP on both databases: sources of the list, meaning
 * of names, all or nothing, and the item that a rejection points to.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnBothDatabases } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource } from '../support/project.js';

const FILES = {
  'definitions/_order.json': { id: { type: 'String', primary_key: true } },
  'definitions/_line.json': {
    id: { type: 'String', primary_key: true },
    order: { type: 'String', optional: true, foreign_key: { of: '_order', key: 'id' } },
    sku: { type: 'String', max_length: 10, unique: true },
    amount: { type: 'Number', optional: true },
    price: { type: 'Float', optional: true },
  },
  'definitions/resources.json': [
    defineQueryResource('lines', '', [], {
      sql_query: {
        query: 'INSERT INTO lines (id, sku, amount, price) VALUES ($1, $2, $3, $4)',
        parameters: ['$GENERATOR.ULID', 'sku', 'amount', 'price'],
        multi: true,
      },
    }),
    defineQueryResource('strict-lines', '', [], {
      sql_query: {
        query: 'INSERT INTO lines (id, sku) VALUES ($1, $2)',
        parameters: ['$GENERATOR.ULID', '$PAYLOAD.sku'],
        multi: true,
      },
    }),
    defineQueryResource('count-lines', 'SELECT count(*) AS n FROM lines WHERE sku LIKE $1', ['$PAYLOAD.like']),
    {
      id: 'order',
      resource: 'order',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [
            { field: { order: { type: 'STRING' }, lines: { type: 'ROWS', optional: true, fields: { code: {} } } } },
          ],
          sql_query: { query: 'INSERT INTO orders (id) VALUES ($1)', parameters: ['order'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: {
            query: 'INSERT INTO lines (id, "order", sku) VALUES ($1, $2, $3) RETURNING "order", sku',
            parameters: ['$GENERATOR.ULID', 'order', 'code'],
            multi: true,
          },
        },
      ],
    },
    defineQueryResource('tags', '', [], {
      payload_validation: [{ field: { skus: { type: 'ROWS' } } }],
      sql_query: { query: 'SELECT $1::text AS tag', parameters: ['skus'], multi: 'skus' },
    }),
    defineQueryResource('touch', '', [], {
      payload_validation: [{ field: { ids: { type: 'ROWS', fields: { sku: {} } } } }],
      sql_query: {
        query: 'UPDATE lines SET amount = 1 WHERE sku LIKE $1 RETURNING sku',
        parameters: ['sku'],
        multi: 'ids',
      },
    }),
    {
      id: 'files',
      resource: 'files',
      actionables: [
        { id: 1, mode: 'GIVE' },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: {
            query: 'SELECT $1::text AS url, $2::int * 2 AS twice',
            parameters: ['url', 'file_size'],
            multi: true,
          },
        },
      ],
    },
    {
      id: 'files-by-name',
      resource: 'files-by-name',
      actionables: [
        { id: 1, mode: 'GIVE' },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'stored' }] },
          ],
          sql_query: { query: 'SELECT $1::text AS url', parameters: ['url'], multi: 'stored' },
        },
      ],
    },
    {
      id: 'beside',
      resource: 'beside',
      parallel: true,
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: { query: 'SELECT 1 AS one' } },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: {
            query: 'INSERT INTO lines (id, sku) VALUES ($1, $2)',
            parameters: ['$GENERATOR.ULID', 'sku'],
            multi: true,
          },
        },
      ],
    },
  ],
};

const CONFIG = { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'lists')] };
const problem = ({ status, body }: { status: number; body: Loose }): unknown[] => [
  status,
  body['code'],
  ...((body['errors'] as Loose[] | undefined) ?? []).map(({ pointer }) => pointer),
];

describeOnBothDatabases('repeated statements', { files: FILES, config: CONFIG }, (kernel) => {
  const post = <T = Loose>(path: string, body?: unknown) => kernel().post<T>(path, body);
  const lines = async (like: string): Promise<unknown> => (await post('/count-lines', { like })).body['n'];

  describe('multi', () => {
    it('runs once for each item of a body that is a list, and returns all rows in order', async () => {
      const { status, body } = await post<Loose[]>('/lines', [{ sku: 'a1', amount: 1 }, { sku: 'a2' }, { sku: 'a3' }]);
      expect(status).to.equal(200);
      expect(body.map(({ sku, amount }) => [sku, amount])).to.deep.equal([
        ['a1', 1],
        ['a2', null],
        ['a3', null],
      ]);
      expect(new Set(body.map(({ id }) => id)).size).to.equal(3);
    });

    it('returns a list for one item, and an empty one for none', async () => {
      expect((await post<Loose[]>('/lines', [{ sku: 'b1' }])).body).to.have.length(1);
      expect((await post('/lines', [])).body).to.deep.equal([]);
    });

    it('writes all items or none, and names the rejected one', async () => {
      const cases = [
        [
          [{ sku: 'c1' }, { sku: 'c1' }],
          [409, 'QRY_UNIQUE', '/1/sku'],
        ],
        [
          [{ sku: 'c1' }, { sku: 'c2' }, {}],
          [422, 'QRY_NOT_NULL', '/2/sku'],
        ],
        [
          [{ sku: 'c1' }, { sku: 'c2-is-too-long' }],
          [422, 'QRY_CHECK', '/1/sku'],
        ],
        [[{ sku: 'c1', amount: 'much' }], [422, 'QRY_BAD_VALUE', '/0/amount']],
        [
          [{ sku: 'c1' }, { sku: 'c\u0000' }],
          [422, 'QRY_BAD_VALUE', '/1/sku'],
        ],
        [
          [{ sku: 'c1' }, 'c2', { sku: 'c3' }],
          [422, 'QRY_ITEM', '/1'],
        ],
        [
          [{ sku: 'c1' }, null],
          [422, 'QRY_ITEM', '/1'],
        ],
        [
          [{ sku: 'c1' }, ['c2']],
          [422, 'QRY_ITEM', '/1'],
        ],
      ] as const;
      for (const [body, expected] of cases) {
        expect(problem(await post('/lines', body)), JSON.stringify(body)).to.deep.equal(expected);
      }
      const strict = await post('/strict-lines', [{ sku: 'c1' }, { other: 1 }]);
      expect(problem(strict)).to.deep.equal([422, 'ACC_UNRESOLVED', '/1/sku']);
      expect(await lines('c%')).to.equal(0);
    });

    it('rejects a body that is not a list if only the body can be the list', async () => {
      expect(problem(await post('/lines', { sku: 'd1' }))).to.deep.equal([422, 'QRY_NO_LIST', '']);
    });

    it('iterates the list that the rules declare; names are fields of its items first, then of the payload', async () => {
      const body = { order: 'o1', lines: [{ code: 'e1' }, { code: 'e2', order: 'o1' }] };
      expect((await post('/order', body)).body).to.deep.equal([
        { order: 'o1', sku: 'e1' },
        { order: 'o1', sku: 'e2' },
      ]);
    });

    it('belongs to the transaction of its adjacent actionables', async () => {
      const twice = { order: 'o2', lines: [{ code: 'f1' }, { code: 'f1' }] };
      expect(problem(await post('/order', twice))).to.deep.equal([409, 'QRY_UNIQUE', '/lines/1/code']);
      const nowhere = { order: 'o2', lines: [{ code: 'f1' }, { code: 'f2', order: 'nowhere' }] };
      expect(problem(await post('/order', nowhere))).to.deep.equal([409, 'QRY_FOREIGN_KEY', '/lines/1/order']);
      expect(await lines('f%')).to.equal(0);
      // The order was rolled back too: it can be created again.
      expect((await post('/order', { order: 'o2', lines: [] })).body).to.deep.equal([]);
      expect((await post('/order', { order: 'o3' })).body).to.deep.equal([]);
    });

    it('reads plain values of a list by the name of the list', async () => {
      const { body } = await post('/tags', { skus: ['x', 2, null, { a: 1 }] });
      expect(body).to.deep.equal([{ tag: 'x' }, { tag: '2' }, { tag: null }, { tag: '{"a":1}' }]);
    });

    it('has null for an item without a row, and includes every row of an item with several', async () => {
      await post('/lines', [{ sku: 'g1' }, { sku: 'g2' }]);
      const { body } = await post<Loose[]>('/touch', { ids: [{ sku: 'nothing' }, { sku: 'g%' }] });
      expect(body[0]).to.equal(null);
      expect(body.slice(1).map((row) => row['sku'])).to.have.members(['g1', 'g2']);
    });

    it('iterates the result of the actionable before it, or an extracted one', async () => {
      expect((await post('/files')).body).to.deep.equal([
        { url: 'https://files.example/1', twice: 20 },
        { url: 'https://files.example/2', twice: 40 },
      ]);
      expect((await post('/files-by-name')).body).to.deep.equal([
        { url: 'https://files.example/1' },
        { url: 'https://files.example/2' },
      ]);
    });

    it('is all or nothing next to parallel adjacent actionables too', async () => {
      expect((await post<Loose[]>('/beside', [{ sku: 'h1' }])).body).to.have.length(1);
      expect(problem(await post('/beside', [{ sku: 'h2' }, { sku: 'h2' }]))).to.deep.equal([
        409,
        'QRY_UNIQUE',
        '/1/sku',
      ]);
      expect(await lines('h2')).to.equal(0);
    });

    it('writes a thousand items, and then rejects one of another thousand', async function () {
      const many = Array.from({ length: 1000 }, (_, i) => ({ sku: `m${i}` }));
      const { status, body } = await post<Loose[]>('/lines', many);
      expect(status).to.equal(200);
      expect(body.map(({ sku }) => sku)).to.deep.equal(many.map(({ sku }) => sku));
      const again = many.map(({ sku }, i) => ({ sku: i === 777 ? sku : `n${i}` }));
      expect(problem(await post('/lines', again))).to.deep.equal([409, 'QRY_UNIQUE', '/777/sku']);
      expect(await lines('n%')).to.equal(0);
    });

    it('rejects prototype names in items at the HTTP layer, and reads own names only', async () => {
      const answer = await kernel().post('/lines', '[{"sku":"p1","__proto__":{"amount":5}}]');
      expect(answer.status).to.equal(400);
      const { body } = await post<Loose[]>('/lines', [{ sku: 'p2', toString: 'x' }]);
      expect(body[0]).to.include({ sku: 'p2', amount: null });
    });
  });

  describe('values that no column accepts', () => {
    const cases: readonly (readonly [string, string, unknown[]])[] = [
      ['a NUL character', '{"sku":"a\\u0000"}', [422, 'QRY_BAD_VALUE', '/sku']],
      ['text for an integer', '{"sku":"v","amount":"abc"}', [422, 'QRY_BAD_VALUE', '/amount']],
      ['an integer beyond 64 bits', '{"sku":"v","amount":9223372036854775808}', [422, 'QRY_BAD_VALUE', '/amount']],
      ['a fraction for an integer', '{"sku":"v","amount":1.5}', [422, 'QRY_BAD_VALUE', '/amount']],
      ['a number that is out of range of all types', '{"sku":"v","price":1e400}', [422, 'REQ_NUMBER', null]],
      ['text for a fraction', '{"sku":"v","price":"dear"}', [422, 'QRY_BAD_VALUE', '/price']],
      ['an object for an integer', '{"sku":"v","amount":{}}', [422, 'QRY_BAD_VALUE', '/amount']],
      ['null for a required field', '{"amount":1}', [422, 'QRY_NOT_NULL', '/sku']],
      ['text that is too long', '{"sku":"12345678901"}', [422, 'QRY_CHECK', '/sku']],
    ];
    for (const [what, item, expected] of cases) {
      it(`${what}: ${JSON.stringify(expected)}`, async () => {
        const answer = await kernel().post('/lines', `[${item}]`);
        const [status, code, pointer] = expected;
        expect(problem(answer), answer.text).to.deep.equal([
          status,
          code,
          ...(typeof pointer === 'string' ? [`/0${pointer}`] : []),
        ]);
        // The id of a request may hold any letters.
        const said = answer.text.replace(String(answer.body['instance']), '');
        expect(said).not.to.match(/abc|dear|9223372036854775808|lines/);
      });
    }

    it('half a surrogate pair is rejected before it is sent to the database', async () => {
      expect((await kernel().post('/lines', '[{"sku":"\\ud800"}]')).status).to.be.oneOf([400, 422]);
    });
  });
});
