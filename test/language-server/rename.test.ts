/** Rename over the protocol: the texts of all files afterwards, and the words with which the server refuses. */
import { expect } from 'chai';
import { openAtCaret, requestPrepareRename, requestRename } from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { putCaret } from '../support/marked-source.js';

const USER = 'definitions/_user.model.json';
const OTHERS = 'definitions/_others.jsonc';
const A = 'definitions/a.resource.json';
const B = 'definitions/b.resource.jsonc';

const FILES: Readonly<Record<string, string>> = {
  'lintel.config.json': '{ "docs": "$ENV.DOCS_URL" }',
  '.env.example': 'DOCS_URL=\r\nexport API_KEY=\r\nFREE=\r\n',
  '.env': 'API_KEY=1\nDOCS_URL=https://docs.test\n',
  [USER]:
    '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" }, "age": { "type": "Number", "optional": true } }',
  [OTHERS]:
    '// 😀\n{ "_note": { "id": { "type": "String", "primary_key": true }, "owner": { "type": "String", "foreign_key": { "of": "users", "key": "id" } } },\r\n  "_tag": { "id": { "type": "String", "primary_key": true } } }',
  [A]: `{
  "id": "a-01", "resource": "a/:slug",
  "actionables": [
    { "id": 1, "mode": "QUERY",
      "payload_validation": [{ "field": { "mail": { "type": "EMAIL" } } }],
      "sql_query": { "query": "SELECT users.id, email FROM users WHERE \\"email\\" = $1 AND users.id <> $2", "parameters": ["m\\u0061il", "slug"] },
      "extract_response_for": [{ "extract": "email", "for": "found" }] },
    { "id": 2, "mode": "HTTPREQUEST",
      "depends_on": [{ "resource_id": "self", "action_ids": [1] }],
      "http": { "url": "https://x.test/$PAYLOAD.found?k=$ENV.API_KEY&m=$PAYLOAD.mail", "method": "GET" } }
  ]
}`,
  [B]: `{
  "id": "b-01", "resource": "b",
  "actionables": [
    { "id": 1, "mode": "QUERY",
      "depends_on": [{ "resource_id": "a-01", "action_ids": [1, 2], "extract_response_for": [{ "extract": "email", "for": "at" }] }],
      "sql_query": { "query": "INSERT INTO _note (id, owner) VALUES ($1, $2) RETURNING id AS \\"owner_id\\", owner", "parameters": ["id", "at"] } },
    { "id": 7, "mode": "QUERY", "sql_query": { "query": "INSERT INTO users (id, email) VALUES ($1, $2) ON CONFLICT (email) DO UPDATE SET email = excluded.email, age = users.age + 1", "parameters": ["$PAYLOAD.id", "at"] } }
  ],
  "returnables": ["owner"]
}`,
};

const CAPABILITIES = { workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['rename'] } } };

describe('language server: rename', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: FILES, capabilities: CAPABILITIES })));
  after(() => editor.close());

  const put = (file: string, before: string, word: string): string => putCaret(FILES[file] ?? '', before, word);
  const rename = (file: string, before: string, word: string, to: string) =>
    requestRename(editor, file, openAtCaret(editor, file, put(file, before, word)), to);
  const prepare = (file: string, before: string, word: string) =>
    requestPrepareRename(editor, file, openAtCaret(editor, file, put(file, before, word)));
  /** The files with every pair replaced, those that stay the same left out. */
  const with_ = (pairs: Readonly<Record<string, readonly (readonly [string, string])[]>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(pairs).map(([file, list]) => {
        const text = list.reduce((now, [from, to]) => {
          expect(now, file).to.include(from);
          return now.replace(from, to);
        }, FILES[file] ?? '');
        return [file, text];
      }),
    );

  it('renames a resource everywhere', async () => {
    expect(await rename(B, '"resource_id": "', 'a-01', 'first')).to.deep.equal(
      with_({ [A]: [['"id": "a-01"', '"id": "first"']], [B]: [['"resource_id": "a-01"', '"resource_id": "first"']] }),
    );
  });

  it('renumbers an actionable in its own resource and in others', async () => {
    expect(await rename(A, '"action_ids": [', '1', '9')).to.deep.equal(
      with_({
        [A]: [
          ['{ "id": 1,', '{ "id": 9,'],
          ['"action_ids": [1]', '"action_ids": [9]'],
        ],
        [B]: [['"action_ids": [1, 2]', '"action_ids": [9, 2]']],
      }),
    );
  });

  it('renames a model that is named after its file, in every spelling', async () => {
    const { [USER]: user = '', ...changed } = with_({
      [USER]: [],
      [OTHERS]: [['"of": "users"', '"of": "members"']],
      [A]: [
        ['SELECT users.id', 'SELECT members.id'],
        ['FROM users', 'FROM members'],
        ['users.id <> $2', 'members.id <> $2'],
      ],
      [B]: [
        ['INSERT INTO users', 'INSERT INTO members'],
        ['users.age', 'members.age'],
      ],
    });
    expect(await rename(A, 'FROM ', 'users', '_member')).to.deep.equal({
      ...changed,
      'definitions/_member.model.json': user,
    });
  });

  it('renames a model under a key', async () => {
    expect(await rename(OTHERS, '"', '_note', '_memo')).to.deep.equal(
      with_({ [OTHERS]: [['"_note"', '"_memo"']], [B]: [['INTO _note', 'INTO _memo']] }),
    );
  });

  it('renames a field in the model, in SQL with its quotes, and in results', async () => {
    expect(await rename(USER, '"', 'email', 'address')).to.deep.equal(
      with_({
        [USER]: [['"email"', '"address"']],
        [A]: [
          ['users.id, email', 'users.id, address'],
          ['\\"email\\"', '\\"address\\"'],
          ['"extract": "email"', '"extract": "address"'],
        ],
        [B]: [
          ['"extract": "email"', '"extract": "address"'],
          ['(id, email)', '(id, address)'],
          ['(email)', '(address)'],
          ['SET email = excluded.email', 'SET address = excluded.address'],
        ],
      }),
    );
  });

  it('does not rename aliases of a statement', async () => {
    expect(await rename(OTHERS, '"', 'owner', 'keeper')).to.deep.equal(
      with_({
        [OTHERS]: [['"owner"', '"keeper"']],
        [B]: [
          ['(id, owner)', '(id, keeper)'],
          ['\\", owner"', '\\", keeper"'],
          ['["owner"]', '["keeper"]'],
        ],
      }),
    );
  });

  it('renames a payload field in its rule, in bare names and in accessors', async () => {
    expect(await rename(A, '$PAYLOAD.', 'mail', 'e_mail')).to.deep.equal(
      with_({
        [A]: [
          ['"mail":', '"e_mail":'],
          ['m\\u0061il', 'e_mail'],
          ['$PAYLOAD.mail', '$PAYLOAD.e_mail'],
        ],
      }),
    );
  });

  it('renames a parameter of the path', async () => {
    expect(await rename(A, ':', 'slug', 'key')).to.deep.equal(
      with_({
        [A]: [
          [':slug', ':key'],
          ['"slug"]', '"key"]'],
        ],
      }),
    );
  });

  it('renames a result name of an actionable', async () => {
    expect(await rename(A, '"for": "', 'found', 'seen')).to.deep.equal(
      with_({
        [A]: [
          ['"found"', '"seen"'],
          ['$PAYLOAD.found', '$PAYLOAD.seen'],
        ],
      }),
    );
  });

  it('renames an environment variable, in the files that set it too', async () => {
    expect(await rename(A, '$ENV.', 'API_KEY', 'SERVICE_KEY')).to.deep.equal(
      with_({
        [A]: [['$ENV.API_KEY', '$ENV.SERVICE_KEY']],
        '.env.example': [['export API_KEY', 'export SERVICE_KEY']],
        '.env': [['API_KEY', 'SERVICE_KEY']],
      }),
    );
    expect(await rename('lintel.config.json', '$ENV.', 'DOCS_URL', 'HELP_URL')).to.have.keys(
      'lintel.config.json',
      '.env',
      '.env.example',
    );
  });

  it('offers the exact place and the name', async () => {
    expect(await prepare(A, 'WHERE \\"', 'email')).to.deep.include({ placeholder: 'email' });
    expect(await prepare(A, '["', 'm\\u0061il')).to.deep.equal({
      range: { start: { line: 5, character: 123 }, end: { line: 5, character: 132 } },
      placeholder: 'mail',
    });
    expect(await prepare(A, 'FROM ', 'users')).to.deep.include({ placeholder: '_user' });
  });

  it('rejects what cannot be renamed', async () => {
    expect(await prepare(A, '"resource_id": "', 'self')).to.include('"a-01"');
    expect(await prepare(A, '"mode": "', 'QUERY')).to.include('no name here');
  });

  it('rejects names that are in use or invalid', async () => {
    expect(await rename(A, '"id": "', 'a-01', 'b-01')).to.match(/"b-01" is taken.*b\.resource\.jsonc, line 2/);
    expect(await rename(A, '"id": "', 'a-01', 'self')).to.include('"self" means');
    expect(await rename(A, '"id": "', 'a-01', 'a 1')).to.include('cannot be a name');
    expect(await rename(B, '"id": ', '7', '1')).to.include('taken');
    expect(await rename(USER, '"', 'email', 'age')).to.include('taken');
    expect(await rename(USER, '"', 'email', 'eMail')).to.include('quotes in SQL');
    expect(await rename(USER, '"', 'email', '__proto__')).to.be.a('string');
    expect(await rename(A, ':', 'slug', 'mail')).to.include('taken');
    expect(await rename(A, '$ENV.', 'API_KEY', 'FREE')).to.include('taken');
    expect(await rename(OTHERS, '"', '_tag', '_users')).to.include('would mean');
  });

  it('rejects a variable that only the shell sets', async () => {
    const name = Object.keys(process.env).find((one) => /^[A-Z_]+$/.test(one) && one !== 'API_KEY') ?? 'PATH';
    const text = (FILES[A] ?? '').replace('$ENV.API_KEY', `$ENV.‸${name}`);
    expect(await requestRename(editor, A, openAtCaret(editor, A, text), 'NOT_SET_BY_ANYBODY')).to.include(
      'NOT_SET_BY_ANYBODY',
    );
    editor.open(A, FILES[A] ?? '');
  });

  it('rejects a rename that would leave a possible use behind', async () => {
    const broken = 'SELECT email FROM users WHERE';
    editor.open(
      B,
      (FILES[B] ?? '').replace('INSERT INTO users (id, email)', `${broken} INSERT INTO users (id, email)`),
    );
    expect(await rename(USER, '"', 'email', 'address')).to.match(
      /"email" may be meant in definitions\/b\.resource\.jsonc, line 7/,
    );
    editor.open(B, FILES[B] ?? '');
  });

  it('rejects a rename that would cause problems', async () => {
    const claims = '{ "tokenize": { "type": "JWT", "encryption_key": "$ENV.API_KEY", "custom_claim_fields": ["age"] },';
    const c = 'definitions/c.resource.json';
    await editor.write({
      [c]: `${claims} "id": "c-01", "resource": "c", "actionables": [{ "id": 1, "mode": "QUERY", "must_return_value": true, "sql_query": { "query": "SELECT age FROM users WHERE id = $1", "parameters": ["$PAYLOAD.id"] } }] }`,
    });
    await editor.waitForDiagnostics(c, () => true);
    expect(await rename(USER, '"', 'age', 'years')).to.match(
      /would be wrong in definitions\/c\.resource\.json, line 1: .*"age"/,
    );
  });
});

describe('language server: rename in an editor that renames no files', () => {
  it('rejects a model that is named after its file, and renames everything else', async () => {
    const editor = await openEditor({ files: FILES });
    try {
      const caret = openAtCaret(editor, A, (FILES[A] ?? '').replace('FROM users', 'FROM us‸ers'));
      expect(await requestPrepareRename(editor, A, caret)).to.include('Rename the file yourself');
      const key = openAtCaret(editor, OTHERS, (FILES[OTHERS] ?? '').replace('_note', '_n‸ote'));
      expect(await requestRename(editor, OTHERS, key, '_memo')).to.have.keys(OTHERS, B);
    } finally {
      await editor.close();
    }
  });
});
