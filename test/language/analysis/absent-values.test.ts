/** Values that are extracted though no result can have them: each request would be 422. */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { loadSqlParser } from '../../../plugins/queries/sql/parser/load-parser.js';
import { loadPackages } from '../../../plugins/distribution.js';

const MODELS = {
  _user: {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    email: { type: 'String' },
    balance: { type: 'Float' },
  },
};

type Step = Readonly<Record<string, unknown>>;
const sql = (query: string, more: Step = {}): Step => ({
  mode: 'QUERY',
  sql_query: { query, parameters: [] },
  ...more,
});
const documents = (query: Step, more: Step = {}): Step => ({
  mode: 'QUERY',
  mongo_query: { collection: 'users', ...query },
  ...more,
});

const SELECT = 'SELECT id, balance FROM users';
const REPEATED: Step = {
  mode: 'QUERY',
  payload_validation: [{ field: { items: { type: 'ARRAY', fields: { id: { type: 'NUMBER' } } } } }],
  sql_query: { query: `${SELECT} WHERE id = $1`, parameters: ['id'], multi: 'items' },
};
const STORED: Step = { mode: 'UPLOAD', uploads: { upload_folder: 'files', allowed_mimetypes: ['image/png'] } };
const ANSWER: Step = { mode: 'RETURN', value: { a: { b: 1 }, list: [1], at: '$DATETIME' } };

/** Earlier actionables, the path into the result, and the text of the error; null: no error. `fix`: the fixed path. */
const CASES: readonly (readonly [title: string, step: Step, path: string, words: string | null, fix?: string])[] = [
  [
    'a column of several rows',
    sql(SELECT, { result: 'many' }),
    'balance',
    'is a list, so it has no "balance"',
    '0.balance',
  ],
  ['a column of the first of them', sql(SELECT, { result: 'many' }), '0.balance', null],
  ['all of them', sql(SELECT, { result: 'many' }), 'self_', null],
  ['the first row of one', sql(SELECT, { result: 'one' }), '0.balance', 'one object with "id", "balance"', 'balance'],
  ['a column of one row', sql(SELECT, { result: 'one' }), 'balance', null],
  ['a column of as many rows as there are', sql(SELECT), 'balance', null],
  ['the first of as many rows as there are', sql(SELECT), '0.balance', null],
  ['a column of unknown rows', sql('SELECT * FROM elsewhere', { result: 'many' }), 'x', 'a list', '0.x'],
  ['a column of an unknown row', sql('SELECT * FROM elsewhere', { result: 'one' }), 'x', null],
  ['a column of repeated work', REPEATED, 'balance', 'is a list', '0.balance'],
  ['a column of one time of repeated work', REPEATED, '0.balance', null],
  ['a name that `returnables` leaves out', sql(SELECT, { returnables: ['id'] }), 'balance', 'one object with "id"'],
  ['a name that `returnables` leaves in', sql(SELECT, { returnables: ['id'] }), 'id', null],
  ['a column that is not selected', sql(SELECT), 'email', 'has no "email", so there is nothing to extract'],
  ['a change without RETURNING', sql('UPDATE users SET balance = 1 WHERE id = 1'), 'id', 'has no "id"'],
  ['a removal without RETURNING', sql('DELETE FROM users WHERE id = 1', { result: 'one' }), 'id', 'has no "id"'],
  ['a row that is required', sql(SELECT, { must_return_value: true }), 'balance', null],
  [
    'a row without which it ends',
    sql(SELECT, { result: 'many', must_return_value: true, on_empty: { stop: true } }),
    'balance',
    'a list',
    '0.balance',
  ],
  ['the field of a document', documents({ action: 'FETCH_ONE', filter_predicate: {} }), 'name', null],
  ['the field of several', documents({ action: 'FETCH' }, { result: 'many' }), 'name', 'is a list', '0.name'],
  ['the first of one', documents({ action: 'FETCH' }, { result: 'one' }), '0.name', null],
  ['a count', documents({ action: 'COUNT' }), 'count', null],
  ['a count by another name', documents({ action: 'COUNT' }), 'total', 'has no "total"'],
  ['the first of a count', documents({ action: 'COUNT' }), '0.count', 'one object with "count"', 'count'],
  ['the address of files', STORED, 'url', 'is a list', '0.url'],
  ['the address of a file', STORED, '0.url', null],
  ['a name that a file does not have', STORED, '0.path', 'has no "path"'],
  ['a value inside a value', ANSWER, 'a.b', null],
  ['a missing value', ANSWER, 'c', 'one object with "a", "list", "at"'],
  ['a name of a list', ANSWER, 'list.b', 'has no "list.b"'],
  ['what a call answers', { mode: 'HTTP_REQUEST', http_request: { url: 'https://example.com' } }, 'any.0.thing', null],
];

describe('results without a value', () => {
  const check = async (step: Step, path: string, isOwn: boolean) => {
    const { registry } = await loadPackages('.', ['builtin:*'], []);
    const taken = [{ extract: path, for: 'taken' }];
    const later = { id: 2, mode: 'RETURN', value: { v: '$PAYLOAD.taken' } };
    const resource = {
      id: 'a',
      resource: 'a',
      actionables: isOwn
        ? [{ id: 1, ...step, extract_response_for: taken }, later]
        : [
            { id: 1, no_op: true, ...step },
            { ...later, depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: taken }] },
          ],
    };
    const files = [
      ...Object.entries(MODELS).map(([name, model]) => ({ file: `${name}.model.json`, text: JSON.stringify(model) })),
      { file: 'a.resource.json', text: JSON.stringify(resource) },
    ];
    const sqlParser = await loadSqlParser();
    const { problems } = analyseFiles(files, registry, { env: null, sql: sqlParser });
    return problems.filter(({ code }) => code === 'LNK_ABSENT' || code === 'LNK_NOT_SELECTED');
  };

  for (const [title, step, path, words, fix] of CASES)
    it(title, async () => {
      const found = await check(step, path, false);
      expect(found.map(({ message }) => message).join()).to.contain(words ?? '');
      expect(found.map(({ severity }) => severity)).to.deep.equal(words === null ? [] : ['error']);
      expect(found[0]?.fix?.text).to.equal(fix === undefined ? undefined : JSON.stringify(fix));
    });

  it('are found after `returnables` narrows a result, not when the actionable reads its own', async () => {
    const step = sql(SELECT, { returnables: ['id'] });
    expect(await check(step, 'balance', true)).to.deep.equal([]);
    const [found] = await check(sql(SELECT, { result: 'many' }), 'balance', true);
    expect(found?.code).to.equal('LNK_ABSENT');
  });
});
