/** Which isolation the transactions of a set of definitions need, and which rows they lock: decided at load, for the whole set. */
import { expect } from 'chai';
import { getIsolations } from '../../../language/analysis/isolation.js';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { createBuiltinRegistry, FIXTURE_ENV, SQL } from '../../support/fixtures.js';

const registry = createBuiltinRegistry();

type Statement = readonly [sql: string, parameters?: readonly unknown[], rest?: object, multi?: string];

const MODELS = JSON.stringify([
  { _wallet: { id: { type: 'String', primary_key: true }, balance: { type: 'Number' }, owner: { type: 'String' } } },
  { _seat: { id: { type: 'String', primary_key: true }, room: { type: 'String' } } },
  { _note: { id: { type: 'String', primary_key: true }, text: { type: 'String' } } },
]);
const resource = (id: string, statements: readonly Statement[], more: object = {}): object => ({
  id,
  resource: id,
  actionables: statements.map(([query, parameters = [], rest = {}, multi], i) => ({
    id: i + 1,
    ...(query === 'RETURN'
      ? { mode: query, value: 1 }
      : { mode: 'QUERY', sql_query: { query, parameters, ...(multi !== undefined && { multi }) } }),
    ...rest,
  })),
  ...more,
});
const ID = '$PAYLOAD.id';
const must = { must_return_value: true };
const createFed = (ids: readonly number[]): object => ({
  depends_on: [
    { resource_id: 'self', action_ids: ids, extract_response_for: [{ extract: 'balance', for: 'balance' }] },
  ],
});
const fed = createFed([1]);
const READ: Statement = ['SELECT balance FROM _wallet WHERE id = $1', [ID]];
const WRITE: Statement = ['UPDATE _wallet SET balance = $2 WHERE id = $1', [ID, 'balance'], fed];

function needs(...resources: readonly object[]): Record<string, string> {
  const files = [
    { file: 'models.json', text: MODELS },
    { file: 'resources.json', text: JSON.stringify(resources) },
  ];
  const analysis = analyseFiles(files, registry, { env: FIXTURE_ENV, sql: SQL });
  expect(analysis.problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
  const found: Record<string, string> = {};
  for (const [, actions] of getIsolations(analysis, registry))
    for (const [key, { level, lock, among }] of actions)
      found[key] = [level, ...(lock === null ? [] : [lock]), ...(among ? ['among'] : [])].join(' ');
  return found;
}

describe('isolation of transactions', () => {
  for (const [what, statements, expected] of [
    ['a single read statement', [READ], ['statement']],
    ['several read statements', [READ, ['SELECT count(*) FROM _seat']], ['snapshot', 'snapshot']],
    [
      'a row selected by its key',
      [['UPDATE _wallet SET balance = balance - $2 WHERE id = $1 AND balance >= $2', [ID, 1]]],
      ['statement'],
    ],
    [
      'rows of literals',
      [
        ['INSERT INTO _note (id) VALUES ($1)', [ID]],
        ['INSERT INTO _seat (id) VALUES ($1)', [ID]],
      ],
      ['locks', 'locks'],
    ],
    ['the balance chain', [READ, WRITE], ['locks update', 'locks']],
    ['a key with two names', [READ, [WRITE[0], ['id', 'balance'], fed]], ['locks update', 'locks']],
    [
      'a key and the same text',
      [READ, [WRITE[0], [{ literal: 'id' }, 'balance'], fed]],
      ['serializable update among', 'serializable among'],
    ],
    [
      'a row that may be absent, because another result may provide the value',
      [READ, ['SELECT 0 AS balance'], [WRITE[0], WRITE[1], createFed([1, 2])]],
      ['serializable update among', 'serializable among', 'serializable among'],
    ],
    [
      'the balance chain with a computed value in between',
      [READ, ['RETURN'], [WRITE[0], WRITE[1], createFed([1])]],
      ['locks update', 'locks'],
    ],
    [
      'a row of another table that must exist',
      [[...READ.slice(0, 2), must] as unknown as Statement, ['INSERT INTO _note (id) VALUES ($1)', [ID]]],
      ['locks share', 'locks'],
    ],
    [
      'a row that may be absent',
      [READ, ['INSERT INTO _note (id) VALUES ($1)', [ID]]],
      ['serializable among', 'serializable among'],
    ],
    [
      'a read for each item of a list',
      [['SELECT balance FROM _wallet WHERE id = $1', ['id'], {}, 'items']],
      ['snapshot'],
    ],
    [
      'a row whose columns a function reads',
      [['SELECT round(balance) AS balance FROM _wallet WHERE id = $1', [ID]], WRITE],
      ['locks update', 'locks'],
    ],
    ...['max(balance) AS balance', 'balance, own_rate(balance)'].map(
      (columns) =>
        [
          `a row by its key as ${columns}, which no lock holds`,
          [[`SELECT ${columns} FROM _wallet WHERE id = $1`, [ID]], WRITE],
          ['serializable among', 'serializable among'],
        ] as const,
    ),
    [
      'the first row of a key',
      [['SELECT balance FROM _wallet WHERE id = $1 ORDER BY balance LIMIT 1', [ID]], WRITE],
      ['serializable among', 'serializable among'],
    ],
    ['a function of the database', [['SELECT book($1) AS booked', [ID]]], ['serializable among']],
    [
      'a function of the database in an insert',
      [['INSERT INTO _seat (id, room) VALUES ($1, free_room())', [ID]]],
      ['serializable among'],
    ],
    ['a function of PostgreSQL', [["SELECT pg_catalog.lower($1) AS l, nextval('tickets') AS n", [ID]]], ['statement']],
    ['a view', [['SELECT n FROM wallet_totals']], ['statement']],
    [
      'one statement over many rows',
      [['UPDATE _wallet SET balance = 0 WHERE owner = $1', [ID]]],
      ['serializable among'],
    ],
    [
      'one of several keys',
      [['UPDATE _wallet SET balance = 0 WHERE id = $1 OR balance = 3', [ID]]],
      ['serializable among'],
    ],
    [
      'a condition with a sub-query',
      [['DELETE FROM _wallet WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM _seat)', [ID]]],
      ['serializable among'],
    ],
    [
      'an insert after a read',
      [['INSERT INTO _seat (id) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM _seat)', [ID]]],
      ['serializable among'],
    ],
    [
      'a write inside a WITH list',
      [['WITH w AS (UPDATE _wallet SET balance = 0 WHERE true RETURNING id) SELECT id FROM w']],
      ['serializable among'],
    ],
    [
      'a lock, then a count',
      [
        ['SELECT id FROM _wallet WHERE id = $1 FOR UPDATE', [ID], must],
        ['SELECT count(*) FROM _seat'],
        ['INSERT INTO _seat (id) VALUES ($1)', [ID]],
      ],
      ['serializable among', 'serializable among', 'serializable among'],
    ],
    [
      'a weak lock',
      [
        ['SELECT id FROM _wallet WHERE id = $1 FOR KEY SHARE', [ID], must],
        ['INSERT INTO _note (id) VALUES ($1)', [ID]],
      ],
      ['serializable among', 'serializable among'],
    ],
  ] as readonly (readonly [string, readonly Statement[], readonly string[]])[]) {
    it(`${what}: ${expected.join(', ')}`, () => {
      expect(Object.values(needs(resource('one', statements)))).to.deep.equal(expected);
    });
  }

  it('requires serializable for all that share a table with a serializable transaction, transitively', () => {
    const count: Statement[] = [['SELECT count(*) FROM _seat'], ['INSERT INTO _seat (id) VALUES ($1)', [ID]]];
    const both: Statement[] = [
      ['INSERT INTO _seat (id) VALUES ($1)', [ID]],
      ['INSERT INTO _note (id) VALUES ($1)', [ID]],
    ];
    const found = needs(
      resource('count', count),
      resource('both', both),
      resource('notes', [['SELECT text FROM _note WHERE id = $1', [ID]]]),
      resource('wallet', [READ]),
    );
    expect(found).to.deep.equal({
      'count#1': 'serializable among',
      'count#2': 'serializable among',
      'both#1': 'locks among',
      'both#2': 'locks among',
      'notes#1': 'statement among',
      'wallet#1': 'statement',
    });
  });

  it('treats an unknown table as any table, as soon as one transaction is serializable', () => {
    const view: Statement[] = [['SELECT n FROM wallet_totals']];
    const note: Statement[] = [['INSERT INTO _note (id) VALUES ($1)', [ID]]];
    const count: Statement[] = [['SELECT count(*) FROM _seat'], ['INSERT INTO _seat (id) VALUES ($1)', [ID]]];
    expect(needs(resource('view', view), resource('note', note))).to.deep.equal({
      'view#1': 'statement',
      'note#1': 'statement',
    });
    expect(needs(resource('view', view), resource('note', note), resource('count', count))).to.deep.equal({
      'view#1': 'statement among',
      'note#1': 'statement among',
      'count#1': 'serializable among',
      'count#2': 'serializable among',
    });
  });

  it('reports nothing for a resource whose statements commit individually', () => {
    expect(needs(resource('one', [READ, WRITE], { transaction: false }))).to.deep.equal({});
  });
});
