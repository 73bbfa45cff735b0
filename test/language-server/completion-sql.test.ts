/** Completion inside SQL, over the protocol: what is offered where, and the text after one is accepted. */
import { expect } from 'chai';
import type { CompletionItem } from 'vscode-languageserver-protocol';
import type { CompletionResult, Editor } from '../support/editor-pair.js';
import { FILE, formatSqlResource, openSqlEditor } from '../support/editor-sql.js';

const ordered = (items: readonly CompletionItem[]): string[] =>
  [...items].sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1)).map(({ label }) => label);

describe('language server: completion in SQL', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor()));
  after(() => editor.close());

  /** `sql` is JSON text without its quotes. */
  const at = (sql: string, rest = ''): Promise<CompletionResult> =>
    editor.requestCompletion(FILE, formatSqlResource(`"${sql}"`, rest));
  const acceptItem = async (sql: string, label: string, rest = ''): Promise<string> =>
    (await at(sql, rest)).accept(label);

  describe('tables', () => {
    for (const sql of [
      'SELECT * FROM ‸',
      'SELECT * FROM us‸',
      'SELECT * FROM _notes n JOIN ‸ ON true',
      'INSERT INTO ‸',
      'UPDATE ‸ SET email = $1',
      'DELETE FROM _notes USING ‸',
      'SELECT (SELECT 1 FROM ‸)',
      'SELECT * FROM _notes, ‸',
    ]) {
      it(`behind ${sql}`, async () => {
        const { labels } = await at(sql);
        expect(labels).to.include.members(['_users', '_notes']);
        expect(labels).not.to.include('email');
      });
    }

    it('are offered with the file and the fields of the model', async () => {
      const { items } = await at('SELECT * FROM ‸');
      const documentation = items.find(({ label }) => label === '_users')?.documentation as { value: string };
      expect(documentation.value).to.include('definitions/_users.model.json');
      expect(documentation.value).to.include('People who signed up.');
      expect(documentation.value).to.match(/`email` *\| `String` *\|.*max length `320`/);
    });

    it('are offered by the name that other statements use', async () => {
      const other = formatSqlResource('"SELECT id FROM users"')
        .replace('"a-01"', '"b-01"')
        .replace('"resource": "a"', '"resource": "b"');
      const own = await openSqlEditor({ 'definitions/b.resource.json': other });
      const { accept } = await own.requestCompletion(FILE, formatSqlResource('"SELECT * FROM ‸"'));
      expect(accept('users')).to.equal(formatSqlResource('"SELECT * FROM users"'));
      await own.close();
    });

    it('offers nothing between the characters of an escape', async () => {
      const sql = String.raw`SELECT * FROM _users u WHERE ‸\"email\" = $1`;
      expect((await at(sql)).labels).to.include('u');
      expect((await at(sql.replace('‸\\', '\\‸'))).labels).to.deep.equal([]);
      expect((await at(String.raw`SELECT * FROM _users u WHERE \u00‸20 u.id = $1`)).labels).to.deep.equal([]);
    });

    it('offers the matching placeholder first after a comparison', async () => {
      const { items } = await at('SELECT id FROM _users WHERE email = ‸', ', "parameters": ["age", "email"]');
      expect(ordered(items).slice(0, 2)).to.deep.equal(['$2', '$1']);
      const added = await at('SELECT id FROM _users WHERE email = ‸', ', "parameters": []');
      expect(ordered(added.items)[0]).to.equal('$1 = email');
    });

    it('replaces the existing word', async () => {
      expect(await acceptItem('SELECT * FROM _u‸s WHERE id = $1', '_users')).to.equal(
        formatSqlResource('"SELECT * FROM _users WHERE id = $1"'),
      );
    });

    it('offers entries of the WITH list', async () => {
      const { labels } = await at('WITH recent AS (SELECT id FROM _users) SELECT * FROM ‸');
      expect(labels).to.include('recent');
    });
  });

  describe('columns', () => {
    it('of the tables in the FROM list, the nearest first', async () => {
      const { items } = await at('SELECT ‸ FROM _users');
      expect(ordered(items).slice(0, 4)).to.deep.equal(['id', 'email', 'fullName', 'created_at']);
    });

    it('after an alias', async () => {
      const { labels } = await at('SELECT u.‸ FROM _users u JOIN _notes n ON n.user_id = u.id');
      expect(labels).to.include.members(['email', 'id']);
      expect(labels).not.to.include('text');
      expect(await acceptItem('SELECT n.te‸ FROM _users u JOIN _notes n ON true', 'text')).to.equal(
        formatSqlResource('"SELECT n.text FROM _users u JOIN _notes n ON true"'),
      );
    });

    it('of a sub-query and of a WITH entry', async () => {
      expect((await at('SELECT x.‸ FROM (SELECT id AS key, email FROM _users) x')).labels).to.have.members([
        'key',
        'email',
      ]);
      expect((await at('WITH w AS (SELECT u.*, count(*) FROM _users u) SELECT w.‸ FROM w')).labels).to.include.members([
        'email',
        'count',
      ]);
      expect((await at('WITH w (a, b) AS (SELECT 1, 2) SELECT w.‸ FROM w')).labels).to.have.members(['a', 'b']);
    });

    it('of a recursive WITH entry', async () => {
      const sql = 'WITH RECURSIVE t AS (SELECT *, 1 AS a, *, *, *, * FROM t, t, t, t) SELECT t.‸ FROM t';
      expect((await at(sql)).labels).to.deep.equal(['a']);
    });

    it('right before an existing name', async () => {
      expect(await acceptItem('SELECT ‸id FROM _users', 'email')).to.equal(
        formatSqlResource('"SELECT emailid FROM _users"'),
      );
    });

    it('of the outer query in a sub-query of a condition', async () => {
      const { labels } = await at('SELECT id FROM _users u WHERE EXISTS (SELECT 1 FROM _notes WHERE user_id = ‸)');
      expect(labels).to.include.members(['text', 'email', 'u']);
    });

    it('but not into a sub-query of the FROM list', async () => {
      const { labels } = await at('SELECT * FROM _users u, (SELECT ‸ FROM _notes) n');
      expect(labels).to.include('text').and.not.to.include('email');
    });

    it('of one side of a UNION only', async () => {
      const { labels } = await at('SELECT email FROM _users UNION SELECT ‸ FROM _notes');
      expect(labels).to.include('text').and.not.to.include('email');
    });

    for (const [sql, absent] of [
      ['INSERT INTO _users (id, ‸', 'id'],
      ['UPDATE _users SET id = $1, ‸ WHERE true', 'id'],
    ] as const) {
      it(`that are not listed yet: ${sql}`, async () => {
        const { labels } = await at(sql);
        expect(labels).to.include('email').and.not.to.include.members([absent, '$1', 'SELECT']);
      });
    }

    it('of the row that an INSERT could not write', async () => {
      const sql = 'INSERT INTO _users (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET email = excluded.‸';
      expect((await at(sql)).labels).to.include('email');
    });

    it('in quotes where they need them, and inside quotes', async () => {
      expect(await acceptItem('SELECT fu‸ FROM _users', 'fullName')).to.equal(
        formatSqlResource(String.raw`"SELECT \"fullName\" FROM _users"`),
      );
      expect(await acceptItem(String.raw`SELECT \"fu‸ FROM _users`, 'fullName')).to.equal(
        formatSqlResource(String.raw`"SELECT \"fullName\" FROM _users"`),
      );
    });

    it('after escapes and surrogate pairs', async () => {
      expect(await acceptItem(String.raw`SELECT '\u0041\n😀', em‸ FROM _users`, 'email')).to.equal(
        formatSqlResource(String.raw`"SELECT '\u0041\n😀', email FROM _users"`),
      );
    });

    it('with the type and the comment of the model', async () => {
      const { items } = await at('SELECT ‸ FROM _users');
      const email = items.find(({ label }) => label === 'email');
      expect(email?.detail).to.equal('String, max_length 320, unique · _users');
      expect((email?.documentation as { value: string }).value).to.include('Where they get mail.');
    });
  });

  it('offers nothing inside texts, comments and numbers', async () => {
    for (const sql of ["SELECT 'a ‸' FROM _users", 'SELECT 1 -- ‸', 'SELECT 1 /* ‸ */', 'SELECT 1‸', "SELECT '::‸'"]) {
      expect((await at(sql)).labels, sql).to.deep.equal([]);
    }
  });

  it('offers keywords after a complete expression', async () => {
    const { labels } = await at('SELECT id ‸');
    expect(labels).to.include('FROM').and.not.to.include('email');
  });

  describe('placeholders', () => {
    const LIST = ', "parameters": ["email", 5]';

    it('are offered with their values, and the next one', async () => {
      const { items, labels } = await at('SELECT id FROM _users WHERE email = $‸', LIST);
      expect(labels).to.include.members(['$1', '$2', '$3']).and.not.to.include('email');
      expect(items.find(({ label }) => label === '$1')?.detail).to.equal('email');
      const documentation = items.find(({ label }) => label === '$1')?.documentation as { value: string };
      expect(documentation.value).to.include('the field `email` of the payload: EMAIL, max_length 320');
      expect(ordered(items)[0]).to.equal('$1');
    });

    it('adds a value to the list', async () => {
      expect(await acceptItem('SELECT id FROM _users WHERE id = $‸', '$3 = age', LIST)).to.equal(
        formatSqlResource('"SELECT id FROM _users WHERE id = $3"', ', "parameters": ["email", 5, "age"]'),
      );
      expect(await acceptItem('SELECT id FROM _users WHERE email = ‸', '$1 = email', ', "parameters": []')).to.equal(
        formatSqlResource('"SELECT id FROM _users WHERE email = $1"', ', "parameters": ["email"]'),
      );
    });

    it('writes the list where there is none', async () => {
      expect(await acceptItem('SELECT id FROM _users WHERE email = ‸', '$1 = email')).to.equal(
        formatSqlResource('"SELECT id FROM _users WHERE email = $1"', ', "parameters": ["email"]'),
      );
    });

    it('come first in VALUES, the one of the column before the others', async () => {
      const { items } = await at('INSERT INTO _users (id, email) VALUES ($1, ‸)', ', "parameters": ["age"]');
      expect(ordered(items)[0]).to.equal('$2 = email');
    });
  });

  describe('whole statements', () => {
    // Where an earlier text of the file was sound, an offer also writes the `returnables` that it requires.
    before(async () => {
      await editor.close();
      editor = await openSqlEditor();
    });

    it('with the list of their values', async () => {
      expect(await acceptItem('‸', 'INSERT INTO _users (…)')).to.equal(
        formatSqlResource(
          String.raw`"INSERT INTO _users (id, email, \"fullName\", created_at) VALUES ($1, $2, $3, $4)"`,
          ', "parameters": ["id", "email", "fullName", "created_at"]',
        ),
      );
      expect(await acceptItem('sel‸', 'SELECT … FROM _notes')).to.equal(
        formatSqlResource('"SELECT number, user_id, text FROM _notes WHERE number = $1"', ', "parameters": ["number"]'),
      );
    });

    it('do not change an existing list of values, and omit timestamps that are written anyway', async () => {
      expect(await acceptItem('‸', 'INSERT INTO _users (…)', ', "parameters": [], "with_timestamps": true')).to.equal(
        formatSqlResource(
          String.raw`"INSERT INTO _users (id, email, \"fullName\") VALUES ($1, $2, $3)"`,
          ', "parameters": [], "with_timestamps": true',
        ),
      );
    });

    it('keep the line breaks', async () => {
      const text = formatSqlResource('"‸"').replace('{"query": "‸"', '{\r\n    "query": "‸"\r\n  ');
      const { accept } = await editor.requestCompletion(FILE, text);
      expect(accept('DELETE FROM _notes')).to.include(
        '"query": "DELETE FROM _notes WHERE number = $1",\r\n    "parameters": ["number"]\r\n',
      );
    });
  });

  describe('names that need quotes', () => {
    const RANKS = '{ "id": { "type": "Number", "primary_key": true }, "rank": { "type": "Number" } }';
    const onMySql = (connections: object): Promise<Editor> =>
      openSqlEditor({
        'lintel.config.json': JSON.stringify({ connections }),
        '.env': 'MYSQL_URL=mysql://nobody@localhost/nothing\n',
        'definitions/_order.model.json': RANKS,
      });
    const SERVER = { use: 'mysql', url: '$ENV.MYSQL_URL' };

    it('of the words that the database reserves, which PostgreSQL does not', async () => {
      const own = await onMySql({ main: SERVER });
      const { accept } = await own.requestCompletion(FILE, formatSqlResource('"SELECT ra‸ FROM _order"'));
      expect(accept('rank')).to.equal(formatSqlResource(String.raw`"SELECT \"rank\" FROM _order"`));
      const whole = await own.requestCompletion(FILE, formatSqlResource('"‸"'));
      expect(whole.accept('SELECT … FROM _order')).to.include(
        String.raw`"SELECT id, \"rank\" FROM _order WHERE id = $1"`,
      );
      await own.close();
    });

    it('by the connection that the statement names', async () => {
      const own = await onMySql({ main: { use: 'pglite' }, shop: SERVER });
      const query = '"SELECT ra‸ FROM _order"';
      const bare = '"SELECT rank FROM _order"';
      expect((await own.requestCompletion(FILE, formatSqlResource(query))).accept('rank')).to.equal(
        formatSqlResource(bare),
      );
      const named = ', "connection": "shop"';
      expect((await own.requestCompletion(FILE, formatSqlResource(query, named))).accept('rank')).to.equal(
        formatSqlResource(String.raw`"SELECT \"rank\" FROM _order"`, named),
      );
      await own.close();
    });

    // Definitions use one syntax for all databases: a backquote stops the start.
    for (const [sql, label, right] of [
      ['SELECT `fu‸ FROM _users', 'fullName', String.raw`SELECT \"fullName\" FROM _users`],
      ['SELECT `fu‸` FROM _users', 'fullName', String.raw`SELECT \"fullName\" FROM _users`],
      ['SELECT `em‸` FROM `_users`', 'email', 'SELECT email FROM `_users`'],
      ['SELECT `em‸ FROM `_users`', 'email', 'SELECT email FROM `_users`'],
      ['SELECT u.`‸ FROM _users u', 'email', 'SELECT u.email FROM _users u'],
      ['SELECT * FROM `_u‸', '_users', 'SELECT * FROM _users'],
      ['SELECT id FROM _users WHERE id=`em‸`', 'email', 'SELECT id FROM _users WHERE id=email'],
    ] as const) {
      it(`written in the quotes of definitions where backquotes are typed: ${sql}`, async () => {
        const { items, accept } = await at(sql);
        expect(accept(label)).to.equal(formatSqlResource(`"${right}"`));
        expect(items.find((item) => item.label === label)?.filterText).to.equal(`\`${label}\``);
      });
    }

    it('keeps the text after a missing quote', async () => {
      expect(await acceptItem(String.raw`SELECT \"fu‸ FROM \"_users\"`, 'fullName')).to.equal(
        formatSqlResource(String.raw`"SELECT \"fullName\" FROM \"_users\""`),
      );
    });

    it('does not change backquotes in strings', async () => {
      expect((await at("SELECT '`‸' FROM _users")).labels).to.deep.equal([]);
      expect((await at("SELECT '`', em‸ FROM _users")).labels).to.include('email');
    });
  });

  it('works while strings and braces are open', async () => {
    const broken = formatSqlResource('"SELECT ‸ FROM _users').slice(0, -4);
    expect((await editor.requestCompletion(FILE, broken)).accept('email')).to.include('"SELECT email FROM _users');
    const open =
      '[{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "sql_query": {"query": "SELECT * FROM ‸';
    expect((await editor.requestCompletion(FILE, open)).accept('_notes')).to.equal(open.replace('‸', '_notes'));
  });
});
