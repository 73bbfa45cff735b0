/** Hover inside SQL, over the protocol: the words, and the range that they are about. */
import { expect } from 'chai';
import { HoverRequest } from 'vscode-languageserver-protocol';
import type { Editor } from '../support/editor-pair.js';
import { FILE, formatSqlResource, openSqlEditor } from '../support/editor-sql.js';

describe('language server: hover in SQL', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor()));
  after(() => editor.close());

  /** The words at the caret; the range that is marked with 1 has to be that of the answer. */
  async function hover(source: string): Promise<string | null> {
    const { uri, caret, ranges } = editor.open(FILE, source);
    const answer = await editor.client.sendRequest(HoverRequest.type, {
      textDocument: { uri },
      position: caret ?? { line: 0, character: 0 },
    });
    if (answer === null) return null;
    expect(answer.range).to.deep.equal(ranges.get('1'));
    return (answer.contents as { value: string }).value;
  }
  const inSql = (sql: string, rest = ''): Promise<string | null> => hover(formatSqlResource(`"${sql}"`, rest));
  const LIST = ', "parameters": ["email", "$PAYLOAD.age", 5, "new", "$DATETIME"]';

  for (const [n, words] of [
    [1, 'the field `email` of the payload: EMAIL, max_length 320'],
    [2, 'the field `age` of the payload: NUMBER'],
    [3, 'the value `5`'],
    [4, 'the text `"new"`'],
    [5, '`$DATETIME`: '],
  ] as const) {
    it(`shows where $${n} comes from`, async () => {
      const sql = 'SELECT $1, $2, $3, $4, $5'.replace(`$${n}`, `«1:$‸${n}»`);
      expect(await inSql(sql, LIST)).to.include(`**$${n}** is ${words}`);
    });
  }

  it('describes names by the definition around, in a file with several', async () => {
    const first = formatSqlResource('"SELECT «1:‸$1»"', ', "parameters": ["key"]').replace(
      '"mode": "QUERY",',
      '"mode": "QUERY", "generate": {"generate": "ULID", "for": "key"},',
    );
    const other = formatSqlResource('"SELECT $1"', ', "parameters": ["email"]').replace(/"a(-01)?"/g, '"b$1"');
    expect(await hover(`[\n  ${first},\n  ${other}\n]`)).to.include('`key`, generated once for each request');
  });

  it('describes a placeholder without a value', async () => {
    expect(await inSql('SELECT «1:‸$7»::text', LIST)).to.equal('**$7** has no value: `parameters` lists 5');
  });

  it('shows which actionable a name is taken from, and that it is generated', async () => {
    const text =
      '{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "no_op": true, ' +
      '"generate": {"generate": "ULID", "for": "key"}, "sql_query": {"query": "SELECT id FROM _users WHERE id = «1:$1‸»", ' +
      '"parameters": ["key"]}}, {"id": 2, "mode": "QUERY", "depends_on": [{"resource_id": "self", "action_ids": [1], ' +
      '"extract_response_for": [{"extract": "id", "for": "user"}]}], "sql_query": {"query": "SELECT $1", "parameters": ' +
      '["user"]}}]}';
    expect(await hover(text)).to.include('`key`, generated once for each request');
    expect(await hover(text.replace('«1:$1‸»', '$1').replace('"SELECT $1"', '"SELECT «1:$‸1»"'))).to.include(
      '`user`, taken from the result of actionable 1',
    );
    const read = text
      .replace('«1:$1‸»', '$1')
      .replace('"SELECT $1"', '"SELECT «1:$‸1»"')
      .replace('["user"]', '["$PAYLOAD.user"]');
    expect(await hover(read)).to.include('`user`, taken from the result of actionable 1');
  });

  it('describes tables, also by their aliases', async () => {
    const model = await inSql('SELECT id FROM «1:_us‸ers»');
    expect(model).to.include('_users').and.include('320').and.include('People who signed up.');
    expect(await inSql('SELECT «1:‸u».id FROM _users u')).to.include('`u` is `_users`');
    expect(await inSql('SELECT 1 FROM (SELECT id AS key FROM _users) «1:s‸ub»')).to.include('a sub-query with `key`');
  });

  it('describes columns: by their table, by the only source, of a target, in quotes', async () => {
    for (const sql of [
      'SELECT u.«1:em‸ail» FROM _users u',
      'SELECT «1:email‸» FROM _users',
      'INSERT INTO _users (id, «1:em‸ail») VALUES ($1, $2)',
      'UPDATE _users SET «1:‸email» = $1',
      'SELECT w.«1:em‸ail» FROM (SELECT * FROM _users) w',
      String.raw`SELECT «1:\"em‸ail\"» FROM _users`,
      String.raw`SELECT '\u0041\t😀', «1:em‸ail» FROM _users`,
    ]) {
      expect(await inSql(sql), sql).to.include('Where they get mail.');
    }
  });

  it('describes functions, and no keywords, strings or unknown names', async () => {
    expect(await inSql('SELECT «1:coal‸esce»(1, 2)')).to.include('The first value that is not NULL.');
    for (const sql of [
      'SELECT id FR‸OM _users',
      "SELECT 'em‸ail' FROM _users",
      'SELECT x.em‸ail FROM _users',
      'SELECT id FROM th‸ere',
    ]) {
      expect(await inSql(sql), sql).to.equal(null);
    }
  });

  it('shows the isolation of a statement on its verb', async () => {
    expect(await inSql('«1:SEL‸ECT» id FROM _users')).to.include('A transaction by itself');
    expect(await inSql("«1:UP‸DATE» _users SET email = 'a' WHERE age > 3")).to.include('**Serializable**');
  });

  it('works while the text is open', async () => {
    expect(await hover(formatSqlResource('"SELECT «1:em‸ail» FROM _users').slice(0, -3))).to.include(
      'Where they get mail.',
    );
  });
});
