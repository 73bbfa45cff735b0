/** Completion inside SQL by the grammar and the models: keywords in their order, likely columns, joins, types, results; signatures. */
import { expect } from 'chai';
import {
  CompletionItemKind,
  SignatureHelpRequest,
  type CompletionItem,
  type Position,
  type SignatureHelp,
} from 'vscode-languageserver-protocol';
import type { Editor } from '../support/editor-pair.js';
import { FILE, formatSqlResource, NOTES, openSqlEditor } from '../support/editor-sql.js';

const ORDERS = `{
  "id": { "type": "String", "primary_key": true, "max_length": 26 },
  "user_id": { "type": "String", "max_length": 26, "foreign_key": { "of": "_users", "key": "id" } },
  "note": { "type": "String", "optional": true },
  "total": { "type": "Number" }
}`;

const ordered = (items: readonly CompletionItem[]): CompletionItem[] =>
  [...items].sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1));

describe('language server: completion by the grammar of SQL', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor({ 'definitions/_order.model.json': ORDERS })));
  after(() => editor.close());

  const complete = async (sql: string, rest = ''): Promise<CompletionItem[]> =>
    ordered((await editor.requestCompletion(FILE, formatSqlResource(`"${sql}"`, rest))).items);
  const list = async (sql: string, rest = ''): Promise<string[]> =>
    (await complete(sql, rest)).map(({ label }) => label);
  const listKeywords = async (sql: string): Promise<string[]> =>
    (await complete(sql)).filter(({ kind }) => kind === CompletionItemKind.Keyword).map(({ label }) => label);
  const accept = async (sql: string, label: string): Promise<string> => {
    const { accept: take } = await editor.requestCompletion(FILE, formatSqlResource(`"${sql}"`));
    return take(label);
  };

  describe('keywords', () => {
    const JOINS = ['JOIN', 'LEFT JOIN', 'INNER JOIN', 'CROSS JOIN'];
    const END = ['UNION ALL', 'UNION', 'ORDER BY', 'LIMIT', 'OFFSET', 'FOR UPDATE'];
    const OPERATORS = ['IS NULL', 'IS NOT NULL', 'IN', 'NOT IN', 'LIKE', 'ILIKE', 'BETWEEN', 'AND', 'OR'];
    const STATEMENTS = ['SELECT', 'INSERT INTO', 'UPDATE', 'DELETE FROM'];
    for (const [sql, words] of [
      ['SELECT id ‸', ['FROM', 'AS', 'UNION ALL', 'UNION']],
      ['SELECT id F‸', ['FROM', 'AS', 'UNION ALL', 'UNION']],
      ['SELECT id ‸ FROM _users', ['AS']],
      ['SELECT count(id) ‸ FROM _users', ['AS', 'OVER', 'FILTER']],
      ['SELECT id FROM _users ‸', ['AS', ...JOINS, 'WHERE', 'GROUP BY', ...END]],
      ['SELECT id FROM _users u ‸ ORDER BY id', [...JOINS, 'WHERE', 'GROUP BY', 'UNION ALL', 'UNION']],
      ['SELECT u.id FROM _users u JOIN _notes n ‸', ['ON', 'USING', 'AS']],
      ['SELECT 1 FROM _users u LEFT ‸', ['JOIN', 'OUTER JOIN']],
      [
        'SELECT 1 FROM _users u JOIN _notes n ON n.user_id = u.id ‸',
        ['AND', 'OR', ...JOINS, 'WHERE', 'GROUP BY', ...END],
      ],
      ['SELECT id FROM _users WHERE email ‸', [...OPERATORS, 'GROUP BY', ...END]],
      ['SELECT id FROM _users WHERE email = $1 ‸', ['AND', 'OR', 'GROUP BY', ...END]],
      ['SELECT id FROM _users WHERE created_at BETWEEN $1 ‸', ['AND', 'GROUP BY', ...END]],
      ['SELECT id FROM _users WHERE created_at BETWEEN $1 AND $2 ‸', ['AND', 'OR', 'GROUP BY', ...END]],
      ['SELECT id FROM _users WHERE (email = $1 ‸)', ['AND', 'OR']],
      [
        'SELECT id FROM _users WHERE email IS ‸',
        ['NULL', 'NOT NULL', 'TRUE', 'FALSE', 'DISTINCT FROM', 'NOT DISTINCT FROM'],
      ],
      ['SELECT id FROM _users WHERE email NOT ‸', ['IN', 'LIKE', 'ILIKE', 'BETWEEN']],
      ['SELECT count(*) FROM _users GROUP BY email ‸', ['HAVING', ...END]],
      ['SELECT id FROM _users ORDER BY id ‸', ['ASC', 'DESC', 'NULLS FIRST', 'NULLS LAST', ...END.slice(3)]],
      ['SELECT id FROM _users ORDER BY id DESC ‸', ['NULLS FIRST', 'NULLS LAST', ...END.slice(3)]],
      ['SELECT id FROM _users LIMIT 5 ‸', END.slice(4)],
      ['SELECT id FROM _users FOR UPDATE ‸', ['SKIP LOCKED', 'NOWAIT', 'OF']],
      ['INSERT ‸', ['INTO']],
      ['INSERT INTO _users (id) ‸', ['VALUES', 'SELECT', 'DEFAULT VALUES']],
      ['INSERT INTO _users (id) VALUES ($1) ‸', ['ON CONFLICT', 'RETURNING']],
      ['INSERT INTO _users (id) VALUES ($1) ON ‸', ['CONFLICT']],
      ['INSERT INTO _users (id) VALUES ($1) ON CONFLICT ‸', ['DO NOTHING']],
      ['INSERT INTO _users (id) VALUES ($1) ON CONFLICT (id) ‸', ['DO NOTHING', 'DO UPDATE SET']],
      ['INSERT INTO _users (id) VALUES ($1) ON CONFLICT DO NOTHING ‸', ['RETURNING']],
      ['UPDATE _users ‸', ['AS', 'SET']],
      ['UPDATE _users SET email = $1 ‸', ['FROM', 'WHERE', 'RETURNING']],
      ['UPDATE _users SET email = $1 WHERE id = $2 ‸', ['AND', 'OR', 'RETURNING']],
      ['DELETE FROM _users ‸', ['AS', 'USING', 'WHERE', 'RETURNING']],
      ['DELETE FROM _users WHERE id = $1 RETURNING id ‸', ['AS']],
      ['SELECT CASE WHEN id = $1 ‸ FROM _users', ['AND', 'OR', 'THEN']],
      ['SELECT CASE WHEN id = $1 THEN 1 ‸ FROM _users', ['WHEN', 'ELSE', 'END']],
      ['WITH w AS (SELECT id FROM _users) ‸', STATEMENTS],
      ['SELECT id FROM _users UNION ‸', ['ALL', 'SELECT']],
      ['SELECT row_number() OVER (PARTITION BY id ‸) FROM _users', ['ORDER BY']],
      ['‸', [...STATEMENTS, 'WITH']],
      ['SELECT ‸ FROM _users', ['DISTINCT', 'CASE', 'NULL', 'TRUE', 'FALSE', 'NOT', 'EXISTS']],
      ['SELECT id FROM _users WHERE ‸', ['NOT', 'EXISTS', 'CASE', 'TRUE', 'FALSE']],
      ['SELECT id FROM _users WHERE EXISTS (‸)', ['SELECT']],
      ['SELECT count(‸) FROM _users', ['DISTINCT', 'CASE', 'NULL', 'TRUE', 'FALSE']],
      ['SELECT id FROM _users LIMIT ‸', []],
      ['UPDATE _users SET email = ‸', ['DEFAULT', 'NULL', 'TRUE', 'FALSE', 'CASE']],
    ] as const) {
      it(`at ${sql}`, async () => expect(await listKeywords(sql)).to.deep.equal(words));
    }
  });

  describe('columns', () => {
    it('before FROM, of the model that the file is named after', async () => {
      const file = 'definitions/orders-list.resource.json';
      const { items } = await editor.requestCompletion(
        file,
        formatSqlResource('"SELECT ‸"').replace('"a-01"', '"x-01"').replace('"resource": "a"', '"resource": "x"'),
      );
      const columns = items.filter(({ kind }) => kind === CompletionItemKind.Field);
      expect(
        ordered(columns)
          .map(({ label }) => label)
          .slice(0, 4),
      ).to.deep.equal(['id', 'user_id', 'note', 'total']);
      expect(columns.map(({ label }) => label)).not.to.include('email');
      editor.closeDocument(file);
    });

    it('before FROM, of the tables that the resource uses', async () => {
      const second = formatSqlResource('"SELECT ‸"').replace(
        '"actionables": [',
        '"actionables": [{"id": 2, "mode": "QUERY", "sql_query": {"query": "SELECT number FROM _notes"}}, ',
      );
      editor.open(FILE, second);
      await editor.diagnostics(FILE);
      const { items } = await editor.requestCompletion(FILE, second);
      const columns = ordered(items).filter(({ kind }) => kind === CompletionItemKind.Field);
      expect(columns.map(({ label }) => label).slice(0, 3)).to.deep.equal(['number', 'user_id', 'text']);
      expect(columns.map(({ label }) => label)).not.to.include('email');
    });

    it('before FROM, of the tables that have the columns named already', async () => {
      const labels = await list('SELECT total, ‸');
      expect(labels).to.include('note').and.not.to.include('email');
    });

    it('that need a value first in the list of an INSERT', async () => {
      expect((await list('INSERT INTO _order (‸')).slice(0, 4)).to.deep.equal(['id', 'user_id', 'total', 'note']);
    });

    it('of keys only, where a conflict is named', async () => {
      expect(await list('INSERT INTO _order (id, note) VALUES ($1, $2) ON CONFLICT (‸) DO NOTHING')).to.deep.equal([
        'id',
      ]);
    });

    it('with their source where several have the name', async () => {
      const labels = await list('SELECT ‸ FROM _users u JOIN _order o ON o.user_id = u.id');
      expect(labels).to.include.members(['u.id', 'o.id', 'email', 'total']).and.not.to.include('id');
      expect(await accept('SELECT ‸ FROM _users u JOIN _order o ON o.user_id = u.id', 'o.id')).to.include(
        'SELECT o.id FROM',
      );
    });

    it('that the list of results names, in ORDER BY and GROUP BY', async () => {
      const sql = 'SELECT lower(email) AS mail, count(*) FROM _users';
      expect((await list(`${sql} GROUP BY ‸`)).slice(0, 2)).to.deep.equal(['mail', 'count']);
      expect((await list(`${sql} GROUP BY mail ORDER BY ‸`)).slice(0, 2)).to.deep.equal(['mail', 'count']);
      expect(await list(`${sql} WHERE ‸`)).not.to.include('mail');
    });
  });

  describe('joins', () => {
    it('of the tables that a foreign key links, with the condition', async () => {
      const [first, second] = await complete('SELECT 1 FROM _users u JOIN ‸');
      expect([first?.label, second?.label]).to.have.members([
        '_notes n ON n.user_id = u.id',
        '_order o ON o.user_id = u.id',
      ]);
      expect(first?.detail).to.match(/^by the foreign key of _(?:notes|order)$/);
      expect((await list('SELECT 1 FROM _notes n JOIN ‸'))[0]).to.equal('_users u ON u.id = n.user_id');
    });

    it('without an alias that is there, and without one where there is a condition', async () => {
      expect(await list('SELECT 1 FROM _users o JOIN ‸')).to.include('_order o2 ON o2.user_id = o.id');
      expect(await list('SELECT 1 FROM _users u JOIN ‸ ON true'))
        .to.include('_order')
        .and.not.to.include('_order o ON o.user_id = u.id');
    });

    it('add no problem', async () => {
      const listProblems = async (text: string): Promise<unknown[]> => {
        editor.open(FILE, text);
        return (await editor.diagnostics(FILE)).map(({ code }) => code);
      };
      const before = await listProblems(formatSqlResource('"SELECT u.email FROM _users u"'));
      const text = await accept('SELECT u.email, o.total FROM _users u JOIN ‸', '_order o ON o.user_id = u.id');
      expect(await listProblems(text)).to.deep.equal(before);
    });

    it('by their condition after ON', async () => {
      expect((await list('SELECT 1 FROM _users u JOIN _order o ON ‸'))[0]).to.equal('o.user_id = u.id');
    });

    it('with a short name for a table', async () => {
      expect(await list('SELECT 1 FROM _order ‸')).to.include('o');
      expect(await list('SELECT 1 FROM _order o ‸')).not.to.include('o');
    });
  });

  it('types of casts, and those that MySQL has too', async () => {
    for (const sql of ['SELECT $1::‸', 'SELECT $1::te‸', 'SELECT CAST($1 AS ‸)']) {
      const labels = await list(sql);
      expect(labels.slice(0, 3), sql).to.deep.equal(['text', 'integer', 'bigint']);
      expect(labels, sql).to.include('text[]').and.not.to.include('email');
    }
    expect(await accept('SELECT $1::te‸ AS t', 'timestamptz')).to.include('SELECT $1::timestamptz AS t');
    const own = await openSqlEditor({
      'lintel.config.json': JSON.stringify({ connections: { main: { use: 'mysql', url: '$ENV.MYSQL_URL' } } }),
      '.env': 'MYSQL_URL=mysql://nobody@localhost/nothing\n',
      'definitions/_notes.model.json': NOTES,
    });
    const { labels } = await own.requestCompletion(FILE, formatSqlResource('"SELECT $1::‸"'));
    expect(labels).to.include('text').and.not.to.include('text[]');
    const functions = (await own.requestCompletion(FILE, formatSqlResource('"SELECT ‸"'))).labels;
    expect(functions).to.include.members(['coalesce', 'ifnull']).and.not.to.include('date_trunc');
    const sorting = (await own.requestCompletion(FILE, formatSqlResource('"SELECT text FROM _notes ORDER BY text ‸"')))
      .labels;
    expect(sorting).to.include.members(['ASC', 'LIMIT']).and.not.to.include('NULLS LAST');
    await own.close();
  });

  it('of the connection that a model names: types, functions, and no tables of others', async () => {
    const own = await openSqlEditor({
      'lintel.config.json': JSON.stringify({
        connections: {
          main: { use: 'pglite' },
          far: { use: 'mysql', url: '$ENV.MYSQL_URL' },
          near: { use: 'pglite', path: 'memory://' },
        },
      }),
      '.env': 'MYSQL_URL=mysql://nobody@localhost/nothing\n',
      'definitions/_notes.model.json': NOTES,
      'definitions/_visit.model.json': '{ "page": { "type": "String" }, "connection": "far" }',
      'definitions/_stock.model.json': '{ "sku": { "type": "String" }, "connection": "near" }',
    });
    const listLabels = async (sql: string): Promise<readonly string[]> =>
      (await own.requestCompletion(FILE, formatSqlResource(`"${sql}"`))).labels;
    expect(await listLabels('SELECT page::‸ FROM _visit'))
      .to.include('text')
      .and.not.to.include('text[]');
    expect(await listLabels('SELECT ‸ FROM _visit'))
      .to.include('ifnull')
      .and.not.to.include('date_trunc');
    expect(await listLabels('SELECT 1 FROM ‸')).to.include.members(['_notes', '_visit', '_stock']);
    expect(await listLabels('SELECT 1 FROM _visit v, ‸'))
      .to.include('_notes')
      .and.not.to.include('_stock');
    const { uri, caret } = own.open(FILE, formatSqlResource('"SELECT ifnull(page, ‸) FROM _visit"'));
    const place = { textDocument: { uri }, position: caret as Position };
    expect(await own.client.sendRequest(SignatureHelpRequest.type, place)).not.to.equal(null);
    await own.close();
  });

  describe('signatures', () => {
    const requestSignature = async (sql: string): Promise<SignatureHelp | null> => {
      const { uri, caret } = editor.open(FILE, formatSqlResource(`"${sql}"`));
      return editor.client.sendRequest(SignatureHelpRequest.type, {
        textDocument: { uri },
        position: caret as Position,
      });
    };
    /** The parameter at the caret. */
    const askParameter = async (sql: string): Promise<string | undefined> => {
      const help = await requestSignature(sql);
      const [signature] = help?.signatures ?? [];
      const label = signature?.parameters?.[help?.activeParameter ?? 0]?.label;
      return Array.isArray(label) ? signature?.label.slice(...label) : label;
    };

    it('with parameters, result and documentation', async () => {
      const help = await requestSignature("SELECT date_trunc('day', ‸) FROM _users");
      expect(help?.signatures[0]?.label).to.equal('date_trunc(unit text, time timestamptz): timestamptz');
      expect(help?.signatures[0]?.documentation).to.deep.include({ kind: 'markdown' });
      expect(help?.activeParameter).to.equal(1);
    });

    it('at each argument, in nested calls and within quotes', async () => {
      expect(await askParameter('SELECT coalesce(‸')).to.equal('value any');
      expect(await askParameter('SELECT coalesce(email, lower(email), ‸')).to.equal('otherwise... any');
      expect(await askParameter('SELECT coalesce(email, upper(‸email))')).to.equal('value text');
      expect(await askParameter("SELECT replace(email, 'a, (‸b', 'c')")).to.equal('old text');
      expect(await askParameter('SELECT round((1 + 2‸), 2)')).to.equal('value numeric');
      expect(await askParameter('SELECT json_build_object(1, 2, 3, 4, ‸)')).to.equal('value... any');
      expect(await askParameter(String.raw`SELECT lower(\"fullName\") || substring(\"fullName\", 1, ‸)`)).to.equal(
        '[count integer]',
      );
    });

    it('are not shown outside of calls, and in calls of unknown functions', async () => {
      for (const sql of [
        'SELECT ‸lower(email)',
        'SELECT lower(email) ‸',
        'SELECT own(‸)',
        'SELECT 1 FROM _users WHERE id IN (‸)',
        'SELECT coalesce((SELECT ‸))',
      ])
        expect(await requestSignature(sql), sql).to.equal(null);
    });
  });
});
