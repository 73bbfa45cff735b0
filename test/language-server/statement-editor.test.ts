/** A statement in an editor of its own: its text, what is written back, and completion, hover and problems inside it. */
import { expect } from 'chai';
import {
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  PublishDiagnosticsNotification,
  type CompletionItem,
  type Diagnostic,
  type Hover,
  type MarkupContent,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import { formatSql, joinSql } from '../../plugins/queries/sql/editing/format.js';
import {
  formatStatementText,
  readStatementText,
  StatementTextError,
  toWrittenContent,
  type StatementContent,
} from '../../language-server/statements/statement-text.js';
import type { StatementResult, WriteStatementResult } from '../../language-server/features/statements.js';
import { tokenizeSql } from '../../plugins/queries/sql/text/tokens.js';
import type { Editor } from '../support/editor-pair.js';
import { FILE, formatSqlResource, openSqlEditor } from '../support/editor-sql.js';
import { applyTextEdits, parseMarked } from '../support/marked-source.js';

const STATEMENTS = [
  'SELECT id FROM _users',
  'SELECT u.id, n.text FROM _users u LEFT JOIN _notes n ON n.user_id = u.id WHERE u.email = $1 AND n.number BETWEEN $2 AND $3 OR true ORDER BY u.id LIMIT 10 OFFSET $4',
  'INSERT INTO _users (id, email) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET email = excluded.email RETURNING id',
  'UPDATE _users SET email = $1 WHERE id = $2 RETURNING id',
  'WITH w AS (SELECT id FROM _users WHERE id = $1) DELETE FROM _notes WHERE user_id IN (SELECT id FROM w)',
  `SELECT 'a  b "c" \\', E'\\n', $$x  y$$, "fullName", extract(year FROM created_at), $1::text FROM _users /* why  so */ FOR UPDATE`,
  'SELECT 1 UNION ALL SELECT 2 -- the end',
  'SELECT CASE WHEN true THEN 1 ELSE 2 END, row_number() OVER (PARTITION BY id ORDER BY id) FROM _users',
];

describe('the text of a statement', () => {
  it('is the same statement on several lines and on one', () => {
    for (const sql of STATEMENTS) {
      const many = formatSql(sql);
      const list = (text: string): string[] => tokenizeSql(text).tokens.map(({ start, end }) => text.slice(start, end));
      expect(list(many), sql).to.deep.equal(list(sql));
      expect(joinSql(many), sql).to.equal(sql);
    }
    expect(formatSql(STATEMENTS[1] ?? '').split('\n')).to.deep.equal([
      'SELECT u.id, n.text',
      'FROM _users u',
      'LEFT JOIN _notes n ON n.user_id = u.id',
      'WHERE u.email = $1',
      '  AND n.number BETWEEN $2 AND $3',
      '  OR true',
      'ORDER BY u.id',
      'LIMIT 10 OFFSET $4',
    ]);
    expect(formatSql('SELECT 1,\n2')).to.equal('SELECT 1,\n2');
  });

  it('with a legend is read back unchanged', () => {
    const values = [
      'email',
      '$GENERATOR.ULID',
      { literal: 'a "b" \\ \u2028' },
      5,
      null,
      [1, 'x'],
      ...Array.from({ length: 20 }, (_, i) => `p${i}`),
    ];
    const odd = ['-- $1 = 1\nSELECT 1', '\nSELECT 1', '', '-- no legend\nSELECT $1', 'SELECT 1\r\n  , 2'];
    for (const sql of [...STATEMENTS, ...odd])
      for (const parameters of [values, [], null]) {
        const content: StatementContent = { sql, parameters };
        const text = formatStatementText(content);
        expect(toWrittenContent(text, content), text).to.deep.equal(content);
      }
  });

  it('updates a changed statement and legend', () => {
    const before: StatementContent = { sql: 'SELECT id FROM _users WHERE id = $1', parameters: ['id'] };
    const text =
      '-- $1 = "id"\n-- $2 = "$PAYLOAD.email"\n\nSELECT id -- the key\nFROM _users\nWHERE id = $1\n  AND email = $2\n';
    expect(toWrittenContent(text, before)).to.deep.equal({
      sql: 'SELECT id -- the key\nFROM _users WHERE id = $1 AND email = $2',
      parameters: ['id', '$PAYLOAD.email'],
    });
    expect(toWrittenContent('SELECT 1', before)).to.deep.equal({ sql: 'SELECT 1', parameters: [] });
  });

  it('names the invalid line of the legend', () => {
    const read = (text: string) => (): unknown => readStatementText(text);
    expect(read('-- $1 = "a"\n-- $3 = "b"\n\nSELECT')).to.throw(StatementTextError, 'Line 2: this is the place of $2');
    expect(read('-- $1 = a\n\nSELECT')).to.throw(StatementTextError, 'Line 1: the value of $1 is no JSON');
  });
});

describe('language server: a statement in its own editor', () => {
  let editor: Editor;
  const published = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  const QUERY = String.raw`"SELECT \"fullName\" FROM _users WHERE email = $1 AND created_at > $2"`;
  const FIRST = formatSqlResource(QUERY, ', "parameters": ["email", /* now */ "$DATETIME"]');

  before(async () => {
    editor = await openSqlEditor();
    editor.client.onNotification('lintel/none', () => undefined);
  });
  after(() => editor.close());

  const openFirst = async (text = FIRST): Promise<StatementResult> => {
    const { uri } = editor.open(FILE, text);
    const position = { line: 0, character: text.indexOf('_users') };
    return editor.client.sendRequest<StatementResult>('lintel/statement', { uri, position });
  };
  const write = (found: StatementResult, text: string): Promise<WriteStatementResult> =>
    editor.client.sendRequest('lintel/writeStatement', {
      uri: editor.toUri(FILE),
      pointer: found.pointer,
      before: found.content,
      text,
    });
  let version = 0;
  const type = (uri: string, source: string): ReturnType<typeof parseMarked> => {
    const marked = parseMarked(source);
    version++;
    if (version === 1)
      void editor.client.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: 'sql', version, text: marked.text },
      });
    else
      void editor.client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version },
        contentChanges: [{ text: marked.text }],
      });
    return marked;
  };

  it('has many lines and a legend of its parameters', async () => {
    const { text, pointer, connection } = await openFirst();
    expect(text.split('\n')).to.deep.equal([
      '-- $1 = "email"',
      '-- $2 = "$DATETIME"',
      '',
      'SELECT "fullName"',
      'FROM _users',
      'WHERE email = $1',
      '  AND created_at > $2',
    ]);
    expect(pointer).to.equal('/actionables/0/sql_query/query');
    expect(connection).to.equal('main');
    const none = await editor.client.sendRequest('lintel/statement', {
      uri: editor.toUri(FILE),
      position: { line: 0, character: 3 },
    });
    expect(none).to.equal(null);
  });

  it('is written back only if it was changed', async () => {
    const found = await openFirst();
    expect(await write(found, found.text)).to.deep.include({ edits: [], message: null });
    const changed = await write(found, found.text.replace('"fullName"', '"fullName", id'));
    const query = QUERY.replace(String.raw`\"fullName\"`, String.raw`\"fullName\", id`);
    expect(applyTextEdits(FIRST, changed.edits)).to.equal(FIRST.replace(QUERY, query));
    const more = await write(
      found,
      found.text.replace('\n\n', '\n-- $3 = "age"\n\n').replace('> $2', '> $2 AND 1 = $3'),
    );
    const text = applyTextEdits(FIRST, more.edits);
    expect(text).to.include('AND created_at > $2 AND 1 = $3"').and.to.include('["email", "$DATETIME", "age"]');
  });

  it('is rejected if the definition was changed meanwhile or the legend is invalid', async () => {
    const found = await openFirst();
    await openFirst(FIRST.replace('created_at > $2', 'created_at < $2'));
    const { edits, content, message } = await write(found, found.text.replace('"fullName"', 'id'));
    expect({ edits, content }).to.deep.equal({ edits: [], content: null });
    expect(message).to.include('has another statement here');
    const again = await openFirst();
    expect((await write(again, '-- $1 = x\n\nSELECT 1')).message).to.include('Line 1: the value of $1 is no JSON');
  });

  describe('while it is edited', () => {
    let uri: string;
    before(async () => {
      ({ statementUri: uri } = await openFirst(
        formatSqlResource('"SELECT id FROM _users WHERE email = $1"', ', "parameters": ["email"]'),
      ));
      editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri: of, diagnostics }) =>
        published.get(of)?.(diagnostics),
      );
    });
    const LEGEND = '-- $1 = "email"\n\n';
    const complete = async (
      source: string,
    ): Promise<{ items: CompletionItem[]; accept: (label: string) => string }> => {
      const { text, caret } = type(uri, source);
      const position = caret ?? { line: 0, character: 0 };
      const answer = await editor.client.sendRequest(CompletionRequest.type, { textDocument: { uri }, position });
      const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
      const accept = (label: string): string => {
        const item = items.find((one) => one.label === label);
        if (item === undefined) throw new Error(`${label} is not offered, but ${items.map((one) => one.label).join()}`);
        return applyTextEdits(text, [item.textEdit as TextEdit, ...(item.additionalTextEdits ?? [])]);
      };
      return { items, accept };
    };

    it('completes columns, quoted names and parameters, and adds parameters to the legend', async () => {
      const columns = await complete(`${LEGEND}SELECT ‸\nFROM _users\nWHERE email = $1`);
      expect(columns.accept('fullName')).to.equal(`${LEGEND}SELECT "fullName"\nFROM _users\nWHERE email = $1`);
      const joins = await complete(`${LEGEND}SELECT 1\nFROM _users u\nJOIN ‸`);
      expect(joins.accept('_notes n ON n.user_id = u.id')).to.include('JOIN _notes n ON n.user_id = u.id');
      const values = await complete(`${LEGEND}SELECT 1\nFROM _users\nWHERE id = ‸`);
      expect(values.accept('$2 = id')).to.equal(
        '-- $1 = "email"\n-- $2 = "id"\n\nSELECT 1\nFROM _users\nWHERE id = $2',
      );
      const first = await complete('SELECT 1\nFROM _users\nWHERE id = ‸');
      expect(first.accept('$1 = id')).to.equal('-- $1 = "id"\n\nSELECT 1\nFROM _users\nWHERE id = $1');
      expect((await complete('-- $1 = "‸email"\n\nSELECT 1')).items).to.deep.equal([]);
    });

    it('describes tables, columns and placeholders', async () => {
      const hover = async (source: string): Promise<Hover | null> => {
        const { caret } = type(uri, source);
        return editor.client.sendRequest(HoverRequest.type, {
          textDocument: { uri },
          position: caret ?? { line: 0, character: 0 },
        });
      };
      const column = await hover(`${LEGEND}SELECT id\nFROM _users\nWHERE em‸ail = $1`);
      expect((column?.contents as MarkupContent).value).to.include('Where they get mail.');
      expect(column?.range).to.deep.equal({ start: { line: 4, character: 6 }, end: { line: 4, character: 11 } });
      const placeholder = await hover(`${LEGEND}SELECT id\nFROM _users\nWHERE email = ‸$1`);
      expect((placeholder?.contents as MarkupContent).value).to.include('field `email` of the payload');
    });

    it('shows the problems of the statement, of its parameters and of the legend', async () => {
      const check = (source: string): Promise<readonly Diagnostic[]> =>
        new Promise((resolve) => {
          published.set(uri, (diagnostics) => {
            if (diagnostics.length > 0) resolve(diagnostics);
          });
          type(uri, source);
        });
      const [column] = await check(`${LEGEND}SELECT emial\nFROM _users\nWHERE email = $1`);
      expect(column?.message).to.include('emial');
      expect(column?.range).to.deep.equal({ start: { line: 2, character: 7 }, end: { line: 2, character: 12 } });
      const [unused] = await check(`-- $1 = "email"\n-- $2 = "age"\n\nSELECT id\nFROM _users\nWHERE email = $1`);
      expect(unused?.range.start.line).to.equal(1);
      const [legend] = await check(`-- $2 = "email"\n\nSELECT id FROM _users`);
      expect(legend?.range.start.line).to.equal(0);
    });
  });
});
