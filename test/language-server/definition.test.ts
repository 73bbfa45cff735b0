/** Go to definition, references and highlights over the protocol: every sort of name, across files and inside strings. */
import { expect } from 'chai';
import { DefinitionRequest, DocumentHighlightRequest, ReferencesRequest } from 'vscode-languageserver-protocol';
import {
  openAtCaret,
  requestDefinitions,
  requestPrepareRename,
  requestReferences,
  requestRename,
} from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { parseMarked } from '../support/marked-source.js';

const MODEL = 'definitions/_user.model.json';
const NOTES = 'definitions/_note.model.json';
const SIGN_UP = 'definitions/sign-up.resource.json';
const OTHER = 'definitions/other.resource.json';

const FILES = {
  'lintel.config.json': '{ "docs": "$ENV.DOCS_URL" }',
  '.env.example': '# names\nDOCS_URL=\nexport JWT_KEY=\n',
  [MODEL]:
    '{\n  "id": { "type": "String", "primary_key": true },\n  "email": { "type": "String" },\n  "name": { "type": "String" }\n}',
  [NOTES]:
    '{ "id": { "type": "String", "primary_key": true },\n  "user_id": { "type": "String", "foreign_key": { "of": "user", "key": "id" } },\n  "text": { "type": "String" } }',
  [SIGN_UP]: `// 😀 a comment
[{
  "id": "sign-up-01",
  "resource": "sign-up/:team",
  "tokenize": { "type": "JWT", "encryption_key": "$ENV.JWT_KEY" },
  "protected": { "extract_claims": ["id"] },
  "actionables": [
    {
      "id": 1, "mode": "QUERY",
      "payload_validation": [{ "field": { "email": { "type": "EMAIL" }, "home": { "type": "OBJECT", "fields": { "city": { "type": "STRING" } } } } }],
      "sql_query": { "query": "INSERT INTO _user (id, email, name) VALUES ($1, $2, $3)", "parameters": ["$GENERATOR.ULID", "em\\u0061il", "$PAYLOAD.home.city"] },
      "extract_response_for": [{ "extract": "id", "for": "made_id" }]
    },
    {
      "id": 2, "mode": "QUERY",
      "depends_on": [{ "resource_id": "self", "action_ids": [1], "extract_response_for": [{ "extract": "email", "for": "old" }] }],
      "sql_query": { "query": "SELECT _user.email, u.name FROM _user JOIN _user u ON u.id = _user.id WHERE _user.id = $1 AND u.name <> $2 AND u.name <> $3", "parameters": ["made_id", "old", "team"] },
      "returnables": ["email"]
    }
  ]
}]`,
  [OTHER]: `{
  "id": "other-01", "resource": "other",
  "actionables": [{
    "id": 1, "mode": "QUERY",
    "depends_on": [{ "resource_id": "sign-up-01", "action_ids": [2], "extract_response_for": [{ "extract": "email", "for": "mail" }] }],
    "sql_query": { "query": "WITH x AS (SELECT \\"email\\", id FROM _user) SELECT email FROM x WHERE email = $1", "parameters": ["mail"] }
  }],
  "returnables": ["mail"]
}`,
};

describe('language server: definition and references', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: FILES })));
  after(() => editor.close());

  /** A range in a file: `word` after `before`. */
  const put = (file: keyof typeof FILES, before: string, word: string): string => {
    const text = FILES[file] ?? '';
    const i = text.indexOf(before + word);
    expect(i, `"${before}${word}" in ${file}`).to.be.at.least(0);
    const caret = i + before.length + 1;
    return `${text.slice(0, caret)}‸${text.slice(caret)}`;
  };
  const go = (file: keyof typeof FILES, before: string, word: string) =>
    requestDefinitions(editor, file, openAtCaret(editor, file, put(file, before, word)));
  const uses = (file: keyof typeof FILES, before: string, word: string, declaration = true) =>
    requestReferences(editor, file, openAtCaret(editor, file, put(file, before, word)), declaration);

  it('leads from a resource id to the resource', async () => {
    expect(await go(OTHER, '"resource_id": "', 'sign-up-01')).to.deep.equal([`${SIGN_UP}:3:10 sign-up-01`]);
  });

  it('leads from self to the resource that contains it', async () => {
    expect(await go(SIGN_UP, '"resource_id": "', 'self')).to.deep.equal([`${SIGN_UP}:3:10 sign-up-01`]);
  });

  it('leads from the number of an actionable to it, in other resources too', async () => {
    expect(await go(OTHER, '"action_ids": [', '2')).to.deep.equal([`${SIGN_UP}:15:13 2`]);
  });

  it('knows no use of an actionable that does not exist', async () => {
    const source = FILES[OTHER].replace('"action_ids": [2]', '"action_ids": [‸9]');
    expect(await requestReferences(editor, OTHER, openAtCaret(editor, OTHER, source))).to.deep.equal([]);
    openAtCaret(editor, OTHER, put(OTHER, '"action_ids": [', '2'));
  });

  it('leads from a table and from a qualifier to the model', async () => {
    expect(await go(SIGN_UP, 'INSERT INTO ', '_user')).to.deep.equal([`${MODEL}:1:1 {`]);
    expect(await go(SIGN_UP, 'SELECT ', '_user.email')).to.deep.equal([`${MODEL}:1:1 {`]);
    expect(await go(NOTES, '"of": "', 'user')).to.deep.equal([`${MODEL}:1:1 {`]);
  });

  it('leads from columns of any source to the field', async () => {
    const email = [`${MODEL}:3:4 email`];
    expect(await go(SIGN_UP, 'INSERT INTO _user (id, ', 'email')).to.deep.equal(email);
    expect(await go(SIGN_UP, 'SELECT _user.', 'email')).to.deep.equal(email);
    expect(await go(OTHER, '(SELECT \\"', 'email')).to.deep.equal(email);
    expect(await go(OTHER, ') SELECT ', 'email')).to.deep.equal(email);
    expect(await go(SIGN_UP, '"returnables": ["', 'email')).to.deep.equal(email);
    expect(await go(SIGN_UP, '"extract": "', 'email')).to.deep.equal(email);
    expect(await go(NOTES, '"key": "', 'id')).to.deep.equal([`${MODEL}:2:4 id`]);
  });

  it('leads from payload names to rules and to parameters of the path', async () => {
    expect(await go(SIGN_UP, '"', 'em\\u0061il')).to.deep.equal([`${SIGN_UP}:10:44 email`]);
    expect(await go(SIGN_UP, '$PAYLOAD.', 'home')).to.deep.equal([`${SIGN_UP}:10:74 home`]);
    expect(await go(SIGN_UP, '$PAYLOAD.home.', 'city')).to.deep.equal([`${SIGN_UP}:10:114 city`]);
    expect(await go(SIGN_UP, '"old", "', 'team')).to.deep.equal([`${SIGN_UP}:4:25 team`]);
  });

  it('leads from names to the actionable that provides them', async () => {
    expect(await go(SIGN_UP, '"parameters": ["', 'made_id')).to.deep.equal([`${SIGN_UP}:12:59 made_id`]);
    expect(await go(OTHER, '"returnables": ["', 'mail')).to.deep.equal([`${OTHER}:5:125 mail`]);
  });

  it('leads from an environment variable to where it is set', async () => {
    expect(await go(SIGN_UP, '$ENV.', 'JWT_KEY')).to.deep.equal(['.env.example:3:8 JWT_KEY']);
    expect(await go('lintel.config.json', '$ENV.', 'DOCS_URL')).to.deep.equal(['.env.example:2:1 DOCS_URL']);
  });

  it('finds every place of a column', async () => {
    expect(await uses(MODEL, '"', 'email')).to.deep.equal(
      [
        `${MODEL}:3:4 email`,
        `${OTHER}:5:109 email`,
        `${OTHER}:6:48 \\"email\\"`,
        `${OTHER}:6:81 email`,
        `${OTHER}:6:100 email`,
        `${SIGN_UP}:11:55 email`,
        `${SIGN_UP}:16:105 email`,
        `${SIGN_UP}:17:45 email`,
        `${SIGN_UP}:18:24 email`,
      ].sort(),
    );
  });

  it('finds uses without the declaration', async () => {
    expect(await uses(SIGN_UP, '"id": "', 'sign-up-01', false)).to.deep.equal([
      `${OTHER}:5:38 sign-up-01`,
      `${SIGN_UP}:16:40 self`,
    ]);
  });

  it('highlights the places in one file', async () => {
    const position = openAtCaret(editor, SIGN_UP, put(SIGN_UP, '"for": "', 'made_id'));
    const found = await editor.client.sendRequest(DocumentHighlightRequest.type, {
      textDocument: { uri: editor.toUri(SIGN_UP) },
      position,
    });
    expect(found?.map(({ kind }) => kind)).to.deep.equal([3, 2]);
  });

  it('responds at every position of half-typed text, and never throws', async () => {
    const text = FILES[SIGN_UP];
    const { client } = editor;
    for (let end = 0; end <= text.length; end += 23) {
      const position = openAtCaret(
        editor,
        SIGN_UP,
        `${text.slice(0, end)}‸${end % 2 === 0 ? text.slice(end + 5) : ''}`,
      );
      const at = { textDocument: { uri: editor.toUri(SIGN_UP) }, position };
      await client.sendRequest(DefinitionRequest.type, at);
      await client.sendRequest(DocumentHighlightRequest.type, at);
      await client.sendRequest(ReferencesRequest.type, { ...at, context: { includeDeclaration: true } });
      await requestPrepareRename(editor, SIGN_UP, position);
      const answer = await requestRename(editor, SIGN_UP, position, 'zzfresh').catch(String);
      expect(answer).to.satisfy((it: unknown) => typeof it === 'string' || typeof it === 'object');
    }
    expect(editor.errors).to.deep.equal([]);
    editor.open(SIGN_UP, text);
  });

  it('returns nothing in half-typed text, and never throws', async () => {
    for (const source of [
      '{ "id": "a‸',
      '[{ "actionables": [{ "sql_query": { "query": "SELECT ‸',
      '‸',
      '{ "a": $ENV.‸',
    ]) {
      const caret = openAtCaret(editor, OTHER, source);
      expect(await requestDefinitions(editor, OTHER, caret, { [OTHER]: parseMarked(source).text })).to.be.an('array');
    }
  });
});
