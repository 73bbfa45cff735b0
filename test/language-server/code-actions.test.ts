/**
 * Code actions over the protocol: the offers, the text after each, and that the problem is gone and no new one appears.
 */
import { expect } from 'chai';
import type { CodeAction } from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { requestActions, type OfferedActions } from '../support/editor-actions.js';

const FILE = 'definitions/a.resource.json';

const resource = (actionables: string, rest = ''): string =>
  `{\n  "id": "a-01",\n  "resource": "a",${rest}\n  "actionables": [${actionables}]\n}\n`;

describe('language server: code actions', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor()));
  after(() => editor.close());

  it('offers the fix of a problem, bound to its diagnostic', async () => {
    const offered = await requestActions(
      editor,
      FILE,
      resource('{ "id": 1, "mode": "QUE‸Y", "sql_query": { "query": "SELECT 1" } }'),
    );
    const [first] = offered.actions;
    expect(first?.title).to.equal('Change to "QUERY"');
    expect(first?.isPreferred).to.equal(true);
    expect(first?.diagnostics?.map(({ code }) => code)).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
    const { text, diagnostics } = await offered.applyAndDiagnose('Change to "QUERY"');
    expect(text).to.include('"mode": "QUERY"');
    expect(diagnostics).to.deep.equal([]);
  });

  it('fixes all of a file in one action', async () => {
    const wrong = (id: number, mode: string, key: string): string =>
      `{ "id": ${id}, "mode": "${mode}", "sql_query": { "${key}": "SELECT 1" } }`;
    const text = resource(`${wrong(1, 'QUEY', 'query')}, ${wrong(2, 'QUERY', 'qery')}`);
    const offered = await requestActions(editor, FILE, text, { only: 'source.fixAll' });
    const after = await offered.applyAndDiagnose(/^Apply all/);
    expect(after.text).to.equal(text.replace('QUEY', 'QUERY').replace('qery', 'query'));
    expect(after.diagnostics).to.deep.equal([]);
  });

  it('offers nothing for a problem of another line', async () => {
    for (const text of ['{\n  "id": "a-01‸",\n  "protcted": {},', '{\n  "protcted": {},\n  "id": "a-01‸",']) {
      const rest = '\n  "resource": "a", "actionables": []\n}\n';
      const { titles } = await requestActions(editor, FILE, text + rest);
      expect(titles, text).to.deep.equal([]);
    }
  });

  it('offers nothing where there is no problem', async () => {
    const { titles } = await requestActions(
      editor,
      FILE,
      resource('{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT 1" } }'),
    );
    expect(titles).to.deep.equal([]);
  });
});

describe('language server: edits of code actions', () => {
  const MODEL = 'definitions/_user.model.json';
  let editor: Editor;
  before(
    async () =>
      (editor = await openEditor({
        files: {
          [MODEL]:
            '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" }, "age": { "type": "Number", "optional": true } }',
          '.env.example': 'OTHER=1',
          '.env': 'OTHER=1\n',
        },
      })),
  );
  after(() => editor.close());

  const codes = (
    diagnostics: readonly { readonly code?: unknown; readonly severity?: number | undefined }[],
  ): unknown[] => diagnostics.filter(({ severity }) => severity === 1).map(({ code }) => code);

  it('adds all required members in one edit, next to the existing ones', async () => {
    const text = '{‸\n  // mine\n  "id": "b-01"\n}\n';
    const offered = await requestActions(editor, FILE, text.replace('"id": "b-01"', '"resource": "b"'));
    const after = await offered.applyAndDiagnose('Add "id", "actionables"');
    expect(after.text.split('\n').slice(0, 4)).to.deep.equal([
      '{',
      '  // mine',
      '  "resource": "b",',
      '  "id": "sign-up-01",',
    ]);
    expect(codes(after.diagnostics)).not.to.include('DEF_REQUIRED');
  });

  it('adds missing values of placeholders, named after their columns', async () => {
    const query = '"sql_query": { "query": "SELECT email FROM _user WHERE id = $‸1 AND age = $2" }';
    const offered = await requestActions(editor, FILE, resource(`{ "id": 1, "mode": "QUERY", ${query} }`));
    const after = await offered.applyAndDiagnose('Add "id", "age" to "parameters"');
    expect(after.text).to.include('AND age = $2", "parameters": ["id", "age"] }');
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('removes a value that no placeholder uses, and renumbers the others', async () => {
    const query =
      '"query": "SELECT email FROM _user WHERE id = $1 AND age = $3", "parameters": ["id", "em‸ail", "age"]';
    const offered = await requestActions(
      editor,
      FILE,
      resource(`{ "id": 1, "mode": "QUERY", "sql_query": { ${query} } }`),
    );
    const after = await offered.applyAndDiagnose('Remove it');
    expect(after.text).to.include('age = $2", "parameters": ["id", "age"] }');
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('turns an accessor in a statement into a parameter', async () => {
    const query = `"query": "SELECT email FROM _user WHERE \\u0069d = '$PAYLO‸AD.id'"`;
    const offered = await requestActions(
      editor,
      FILE,
      resource(`{ "id": 1, "mode": "QUERY", "sql_query": { ${query} } }`),
    );
    const after = await offered.applyAndDiagnose(/^Write \$1/);
    expect(after.text).to.include('\\u0069d = $1", "parameters": ["$PAYLOAD.id"] }');
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('adds rules for fields in use, with types that their columns accept', async () => {
    const query =
      '"query": "INSERT INTO _user (id, email, age) VALUES ($1, $2, $3)", "parameters": ["id", "email", "$PAYLOAD.age"]';
    const offered = await requestActions(
      editor,
      FILE,
      resource(`{ "id": 1, "mode": "QU‸ERY", "sql_query": { ${query} } }`),
    );
    const after = await offered.applyAndDiagnose('Add rules for "id", "email", "age"');
    expect(after.text).to.include(
      '"payload_validation": [{ "field": { "id": { "type": "STRING" }, "email": { "type": "STRING" }, ' +
        '"age": { "type": "NUMBER", "optional": true } } }]',
    );
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('selects the actionable whose result is returned', async () => {
    const formatActionable = (id: number, caret = ''): string =>
      `{ "id": ${id}${caret}, "mode": "QUERY", "sql_query": { "query": "SELECT 1" } }`;
    const offered = await requestActions(editor, FILE, resource(`${formatActionable(1)}, ${formatActionable(2, '‸')}`));
    const after = await offered.applyAndDiagnose('Let actionable 2 give the result');
    expect(after.text).to.include('"SELECT 1" }, "main_returnable": true }');
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('adds a missing variable to .env, with the value of .env.example', async () => {
    await editor.write({ '.env.example': 'OTHER=1\nMADE_UP_SALT=generate:24\n', '.env': 'OTHER=1' });
    const hash =
      '"hashables": [{ "property": "a", "algorithm": "BCRYPT", "options": { "salt": "$ENV.MADE_UP‸_SALT" } }]';
    const query = '"sql_query": { "query": "SELECT 1" }';
    const offered = await requestActions(editor, FILE, resource(`{ "id": 1, "mode": "QUERY", ${query}, ${hash} }`), {
      texts: { '.env': 'OTHER=1' },
    });
    const title = 'Add "MADE_UP_SALT" to .env as .env.example says';
    expect(offered.applyAction(title)['.env']).to.match(/^OTHER=1\nMADE_UP_SALT=[\w-]{24}\n$/);
    await offered.applyAndDiagnose(title);
    // The server reads the changed file after the text, so its first diagnostics may be those of before.
    await editor.waitForDiagnostics(FILE, (found) => !codes(found).includes('ENV_MISSING'));
    await editor.write({ '.env.example': 'OTHER=1', '.env': 'OTHER=1\n' });
  });

  it('edits existing files only, for an editor that cannot create files', async () => {
    const hash = '"hashables": [{ "property": "a", "algorithm": "BCRYPT", "options": { "salt": "$ENV.NEW‸_SALT" } }]';
    const source = resource(`{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT 1" }, ${hash} }`);
    const add = ({ actions }: OfferedActions): CodeAction | undefined =>
      actions.find(({ title }) => title.startsWith('Add "NEW_SALT"'));
    expect(add(await requestActions(editor, FILE, source))?.edit).to.have.all.keys('changes');
    const able = await openEditor({
      capabilities: { workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } } },
    });
    const { edit } = add(await requestActions(able, FILE, source)) ?? {};
    expect(edit).to.have.all.keys('documentChanges');
    const created = edit?.documentChanges?.flatMap((change) =>
      'kind' in change && 'uri' in change ? [change.uri] : [],
    );
    expect(created).to.deep.equal([able.toUri('.env'), able.toUri('.env.example')]);
    await able.close();
  });

  it('moves a secret to .env under an unused name, and shows it in no title', async () => {
    const secret = 'correct horse \\"battery\\"';
    const text = resource(
      '{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT 1" } }',
      `\n  "tokenize": { "type": "JWT", "encryption_key": "${secret}‸" },`,
    );
    const offered = await requestActions(editor, FILE, text, {
      texts: { '.env': 'OTHER=1\n', '.env.example': 'OTHER=1' },
    });
    expect(JSON.stringify(offered.titles)).not.to.include('horse');
    const title = /^Move it to \.env/;
    const { '': after, '.env': env, '.env.example': example } = offered.applyAction(title);
    const name = /"\$ENV\.(\w+)"/.exec(after ?? '')?.[1] ?? '?';
    expect(env).to.equal(`OTHER=1\n${name}='correct horse "battery"'\n`);
    expect(example).to.equal(`OTHER=1\n${name}=\n`);
    const { diagnostics } = await offered.applyAndDiagnose(title);
    expect(diagnostics.map(({ code }) => code)).not.to.include('SEC_CLEAR');
    expect(editor.errors).to.deep.equal([]);
    // Only if the client requests this kind.
    const all = await requestActions(editor, FILE, text, { only: 'source.fixAll' });
    expect(all.titles).to.deep.equal([]);
  });
});
