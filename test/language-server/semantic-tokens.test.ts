/** Semantic tokens, over the protocol: the characters that each one covers, and its type. */
import { expect } from 'chai';
import { SemanticTokensRangeRequest, SemanticTokensRequest } from 'vscode-languageserver-protocol';
import type { Editor } from '../support/editor-pair.js';
import { FILE, formatSqlResource, openSqlEditor } from '../support/editor-sql.js';

describe('language server: semantic tokens', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor()));
  after(() => editor.close());

  function read(text: string, data: readonly number[]): string[] {
    const legend = editor.initialized.capabilities.semanticTokensProvider?.legend;
    const lines = text.split(/\r\n|\r|\n/);
    const found: string[] = [];
    let [line, character] = [0, 0];
    for (let i = 0; i < data.length; i += 5) {
      const [down = 0, right = 0, length = 0, type = 0, modifiers = 0] = data.slice(i, i + 5);
      character = down === 0 ? character + right : right;
      line += down;
      const covered = lines[line]?.slice(character, character + length) ?? '?';
      found.push(`${covered} ${legend?.tokenTypes[type] ?? '?'}${modifiers === 1 ? ' declaration' : ''}`);
    }
    return found;
  }

  async function tokens(text: string, file = FILE): Promise<string[]> {
    const { uri } = editor.open(file, text);
    const answer = await editor.client.sendRequest(SemanticTokensRequest.type, { textDocument: { uri } });
    return read(text, answer?.data ?? []);
  }
  /** Without the id of the resource and the names of rules around the statement. */
  const inSql = async (sql: string, rest = ''): Promise<string[]> =>
    (await tokens(formatSqlResource(sql, rest))).filter((one) => one !== 'a-01 namespace declaration');

  it('in SQL, each piece of it, with escapes', async () => {
    const sql = String.raw`"SELECT u.\"fullName\", count(*), 'a\u0041😀' FROM _users AS u WHERE u.email = $1::text AND id > 1.5 -- ok"`;
    expect(await inSql(sql)).to.deep.equal([
      'SELECT keyword',
      'u variable',
      String.raw`\"fullName\" property`,
      'count function',
      '* operator',
      String.raw`'a\u0041😀' string`,
      'FROM keyword',
      '_users class',
      'AS keyword',
      'u variable',
      'WHERE keyword',
      'u variable',
      'email property',
      '= operator',
      '$1 parameter',
      ':: operator',
      'text type',
      'AND keyword',
      'id property',
      '> operator',
      '1.5 number',
      '-- ok comment',
    ]);
  });

  it('in statements that write, and in WITH lists', async () => {
    expect(await inSql('"INSERT INTO _users (id, email) VALUES ($1, now()) RETURNING id"')).to.deep.equal([
      'INSERT keyword',
      'INTO keyword',
      '_users class',
      'id property',
      'email property',
      'VALUES keyword',
      '$1 parameter',
      'now function',
      'RETURNING keyword',
      'id property',
    ]);
    expect(await inSql('"WITH w AS (SELECT 1 AS n) SELECT n FROM w"')).to.deep.equal([
      'WITH keyword',
      'w variable',
      'AS keyword',
      'SELECT keyword',
      '1 number',
      'AS keyword',
      'n property',
      'SELECT keyword',
      'n property',
      'FROM keyword',
      'w variable',
    ]);
  });

  it('in a half-typed statement', async () => {
    expect(await inSql(String.raw`"SELECT FROM WHERE 'open"`)).to.deep.equal([
      'SELECT keyword',
      'FROM keyword',
      'WHERE keyword',
      "'open string",
    ]);
  });

  it('of accessors and bare names in parameters, and not of literals', async () => {
    const rest = String.raw`, "parameters": ["email", "$PAYLOAD.a.b", "\u0041 $ENV.KEY.", "new", "$1"]`;
    expect(await inSql('"SELECT $1"', rest)).to.deep.equal([
      'SELECT keyword',
      '$1 parameter',
      'email parameter',
      '$PAYLOAD macro',
      'a property',
      'b property',
      '$ENV macro',
      'KEY property',
    ]);
  });

  it('of names that are declared and used', async () => {
    const text =
      '{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "no_op": true, "sql_query": {"query": ' +
      '"SELECT"}}, {"id": 2, "mode": "QUERY", "depends_on": [{"resource_id": "self", "action_ids": [1], ' +
      '"extract_response_for": [{"extract": "id", "for": "user"}]}], "sql_query": {"query": "SELECT", "parameters": ["user"]}}]}';
    expect(await tokens(text)).to.include.members(['self namespace', 'user parameter declaration', 'user parameter']);
    expect(
      await tokens(
        '{"x_id": {"type": "String", "foreign_key": {"of": "_users", "key": "id"}}}',
        'definitions/_x.model.json',
      ),
    ).to.deep.equal(['_users class', 'id property']);
  });

  it('in queries of documents', async () => {
    const text =
      '{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "mongo_query": {"collection": "_notes", ' +
      '"action": "FETCH", "filter_predicate": {"text": "$1", "number": "$PAYLOAD.n"}, "parameters": ["email"]}}]}';
    expect((await tokens(text)).slice(1)).to.include.members([
      '_notes class',
      '$1 parameter',
      '$PAYLOAD macro',
      'n property',
    ]);
  });

  it('in the config', async () => {
    expect(await tokens('{\r\n"docs": "https://x/$ENV.DOCS"}', 'lintel.config.json')).to.deep.equal([
      '$ENV macro',
      'DOCS property',
    ]);
    editor.open('lintel.config.json', '{}');
  });

  it('of a range of lines', async () => {
    const text = `[${formatSqlResource('"SELECT 1"')},\n${formatSqlResource('"DELETE FROM _notes"').replace('a-01', 'b-01')}]`;
    const { uri } = editor.open(FILE, text);
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 10 } };
    const answer = await editor.client.sendRequest(SemanticTokensRangeRequest.type, { textDocument: { uri }, range });
    expect(read(text, answer?.data ?? [])).to.deep.equal([
      'b-01 namespace declaration',
      'DELETE keyword',
      'FROM keyword',
      '_notes class',
    ]);
  });
});
