/** Code actions that join places: what waits for what, what is listed, what is bound, and models that are not there yet. */
import { expect } from 'chai';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { requestActions } from '../support/editor-actions.js';

const FILE = 'definitions/a.resource.json';
const MODEL = 'definitions/_user.model.json';

const resource = (actionables: string, rest = ''): string =>
  `{\n  "id": "a-01",\n  "resource": "a",${rest}\n  "actionables": [${actionables}]\n}\n`;
const query = (sql: string, rest = ''): string =>
  `{ "id": 1, "mode": "QUERY", "sql_query": { "query": "${sql}"${rest} } }`;

const codes = (diagnostics: readonly Diagnostic[]): unknown[] =>
  diagnostics.filter(({ severity }) => severity === 1).map(({ code }) => code);

describe('language server: code actions that change several places', () => {
  let editor: Editor;
  before(
    async () =>
      (editor = await openEditor({
        files: {
          [MODEL]:
            '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" }, "age": { "type": "Number", "optional": true } }',
        },
        capabilities: {
          textDocument: {
            publishDiagnostics: { versionSupport: true },
            codeAction: { dataSupport: true, resolveSupport: { properties: ['edit'] } },
          },
          workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } },
        },
      })),
  );
  after(() => editor.close());

  const first =
    '{ "id": 1, "no_op": true, "mode": "QUERY", "sql_query": { "query": "SELECT age FROM _user" }, ' +
    '"extract_response_for": [{ "extract": "age", "for": "age_now" }] }';
  const second = (list: string, rest = ''): string =>
    `{ "id": 2, "mode": "QUERY", "sql_query": { "query": "SELECT id FROM _user WHERE age = $1", "parameters": [${list}] }${rest} }`;

  it('adds to a model in another file what a unique ciphertext needs', async () => {
    const name = 'definitions/_safe.model.json';
    const model = '{ "email": { "type": "String", "unique": true } }';
    await editor.write({ [name]: model });
    const cipher =
      '"payload_validation": [{ "field": { "email": { "type": "EMAIL" } } }], ' +
      '"ciphers": [{ "operation": "Encrypt", "properties": ["ema‸il"], "algorithm": "Aes256Gcm", "options": { "key": "$ENV.A" } }]';
    const insert = '"sql_query": { "query": "INSERT INTO _safe (email) VALUES ($1)", "parameters": ["email"] }';
    const source = resource(`{ "id": 1, "mode": "QUERY", ${cipher}, ${insert} }`);
    const offered = await requestActions(editor, FILE, source, { texts: { [name]: model } });
    const title = 'Add `"blind_index": true` to "email" of the model';
    expect(offered.applyAction(title)).to.deep.equal({
      [name]: '{ "email": { "type": "String", "unique": true, "blind_index": true } }',
    });
    const { diagnostics } = await offered.applyAndDiagnose(title);
    expect(codes(diagnostics)).not.to.include('CPH_UNIQUE');
  });

  it('adds a dependency on the actionable that provides a name', async () => {
    for (const use of ['"age_‸now"', '"$PAYLOAD.age_‸now"']) {
      const offered = await requestActions(editor, FILE, resource(`${second(use)}, ${first}`));
      const after = await offered.applyAndDiagnose('Let actionable 2 wait for actionable 1');
      expect(after.text).to.include('}, "depends_on": [{ "resource_id": "self", "action_ids": [1] }] },');
      expect(codes(after.diagnostics)).to.deep.equal([]);
    }
  });

  it('adds to existing dependencies', async () => {
    const third = query('SELECT 1').replace('"id": 1', '"id": 3');
    const rest = ', "depends_on": [{ "resource_id": "self", "action_ids": [3] }]';
    const offered = await requestActions(editor, FILE, resource(`${second('"age_‸now"', rest)}, ${first}, ${third}`));
    const after = await offered.applyAndDiagnose('Let actionable 2 wait for actionable 1');
    expect(after.text).to.include('"action_ids": [3, 1]');
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('never creates a cycle of dependencies', async () => {
    const waiting = first
      .replace('"no_op": true, ', '')
      .replace('"mode"', '"depends_on": [{ "resource_id": "self", "action_ids": [2] }], "mode"');
    const { titles } = await requestActions(editor, FILE, resource(`${second('"age_‸now"')}, ${waiting}`));
    expect(titles.filter((title) => title.includes('wait for'))).to.deep.equal([]);
  });

  it('adds a claim to the guard, and never adds a guard', async () => {
    const key = '"tokenize": { "type": "JWT", "encryption_key": "$ENV.HOME" }';
    const sql = query('SELECT id FROM _user WHERE id = $1', ', "parameters": ["$PROTECTED.‸uid"]');
    for (const [guard, after] of [
      ['{ "extract_claims": ["email"] }', '{ "extract_claims": ["email", "uid"] }'],
      ['{}', '{ "extract_claims": ["uid"] }'],
    ] as const) {
      const offered = await requestActions(editor, FILE, resource(sql, `\n  ${key}, "protected": ${guard},`));
      const { text, diagnostics } = await offered.applyAndDiagnose('Add "uid" to "extract_claims"');
      expect(text).to.include(`"protected": ${after}`);
      expect(codes(diagnostics)).not.to.include('ACC_UNDECLARED');
    }
    const { titles } = await requestActions(editor, FILE, resource(sql));
    expect(titles.filter((title) => title.includes('extract_claims'))).to.deep.equal([]);
  });

  it('turns a value of a statement into a parameter, if its column is certain', async () => {
    const sql = "SELECT id FROM _user WHERE \\u0061ge = $1 AND email = 'a''b@ex‸ample.com'";
    const offered = await requestActions(editor, FILE, resource(query(sql, ', "parameters": [5]')));
    const after = await offered.applyAndDiagnose('Bind it as $2');
    expect(after.text).to.include(
      '\\u0061ge = $1 AND email = $2", "parameters": [5, { "literal": "a\'b@example.com" }]',
    );
    expect(codes(after.diagnostics)).to.deep.equal([]);
    const number = await requestActions(editor, FILE, resource(query('SELECT id FROM _user WHERE age > 1‸8')));
    const { text, diagnostics } = await number.applyAndDiagnose('Bind it as $1');
    expect(text).to.include('age > $1", "parameters": [18]');
    expect(codes(diagnostics)).to.deep.equal([]);
  });

  it('writes text that looks like a name as a value', async () => {
    const offered = await requestActions(editor, FILE, resource(query("SELECT id FROM _user WHERE email = 'ema‸il'")));
    expect((await offered.applyAndDiagnose('Bind it as $1')).text).to.include(
      '= $1", "parameters": [{ "literal": "email" }]',
    );
  });

  it('does not move a value without a type', async () => {
    for (const sql of ['SELECT 1‸8', "SELECT id FROM _user -- '1‸8'"]) {
      const { titles } = await requestActions(editor, FILE, resource(query(sql)), { only: 'refactor.extract' });
      expect(titles, sql).to.deep.equal([]);
    }
  });

  it('creates a model for a table without one', async () => {
    const sql = 'INSERT INTO gad‸get (label, colour) VALUES ($1, $2) RETURNING id';
    const rest = ', "parameters": ["$PAYLOAD.label", "$PAYLOAD.colour"]';
    const offered = await requestActions(editor, FILE, resource(query(sql, rest)));
    const title = 'Write a model of "gadget"';
    expect(offered.applyAction(title)['definitions/_gadget.model.json']).to.equal(
      '{\n  "id": { "type": "String", "primary_key": true },\n' +
        '  "label": { "type": "String" },\n  "colour": { "type": "String" }\n}\n',
    );
    const { diagnostics } = await offered.applyAndDiagnose(title);
    expect(diagnostics.map(({ code }) => code)).not.to.include('SQL_TABLE');
    expect(diagnostics.filter(({ severity }) => severity === 1)).to.deep.equal([]);
  });

  const MODELS: readonly (readonly [sql: string, columns: readonly string[]])[] = [
    ["INSERT INTO wid‸get (label, colour) VALUES ('a', 'b')", ['id', 'label', 'colour']],
    ["INSERT INTO wid‸get (id, label, created_at, updated_at) VALUES ('a', 'b', now(), now())", ['id', 'label']],
    ["INSERT INTO wid‸get /* all */ (label) VALUES ('a')", ['id', 'label']],
    ['INSERT INTO wid‸get SELECT id, age FROM _user', ['id']],
    ['INSERT INTO wid‸get DEFAULT VALUES', ['id']],
    ['SELECT label FROM WID‸GET WHERE colour = $1', ['id', 'label', 'colour']],
    ['SELECT label FROM wid‸get, _user', ['id']],
    ["UPDATE wid‸get SET label = $1 WHERE id = 'b'", ['id', 'label']],
  ];
  for (const [sql, columns] of MODELS) {
    it(`writes the columns ${columns.join(', ')} for ${sql.replace('‸', '')}`, async () => {
      const offered = await requestActions(editor, FILE, resource(query(sql)));
      const text = offered.applyAction('Write a model of "widget"')['definitions/_widget.model.json'] ?? '';
      expect(Object.keys(JSON.parse(text) as object)).to.deep.equal(columns);
    });
  }

  it('creates no model for a name that is quoted, too long, or has a file', async () => {
    await editor.write({ 'definitions/_taken.model.json': '{ "id": { "type": "String", "primary_key": true } }' });
    const long = 'w'.repeat(52);
    for (const table of ['\\"wid‸get\\"', `${long}‸`, 'tak‸en', '_us‸er']) {
      const { titles } = await requestActions(editor, FILE, resource(query(`SELECT label FROM ${table}`)));
      expect(
        titles.filter((title) => title.startsWith('Write a model')),
        table,
      ).to.deep.equal([]);
    }
    const { titles } = await requestActions(editor, FILE, resource(query(`SELECT label FROM ${long.slice(1)}‸`)));
    expect(titles.filter((title) => title.startsWith('Write a model'))).to.have.length(1);
  });

  it('creates no model in an editor that cannot create files', async () => {
    const plain = await openEditor({ files: { [MODEL]: '{ "id": { "type": "String", "primary_key": true } }' } });
    const { titles } = await requestActions(plain, FILE, resource(query('SELECT label FROM wid‸get')));
    await plain.close();
    expect(titles.filter((title) => title.startsWith('Write a model'))).to.deep.equal([]);
  });

  describe('write endpoints for a model', () => {
    const NOTE = 'definitions/models/_note.model.json';
    const TITLE = 'Write endpoints for this model';
    const text = '{ "id": { "type": "String", "primary_key": true }, "te‸xt": { "type": "String" } }';

    it('with tests, as new files that check clean', async () => {
      const offered = await requestActions(editor, NOTE, text);
      const action = offered.actions.find(({ title }) => title === TITLE);
      expect(action?.kind).to.equal('refactor.rewrite');
      // Offered without its texts, which the request for the chosen action brings.
      expect(action?.data).to.be.an('object');
      const created = (action?.edit?.documentChanges ?? []).flatMap((one) => ('kind' in one ? [one.kind] : []));
      expect(created).to.deep.equal(['create', 'create']);
      const files = offered.applyAction(TITLE);
      const [resources = '', tests = ''] = Object.keys(files);
      expect([resources, tests]).to.deep.equal([
        'definitions/resources/note.resource.json',
        'definitions/tests/note.test.json',
      ]);
      for (const name of [resources, tests]) {
        editor.open(name, files[name] ?? '');
        expect(await editor.diagnostics(name), name).to.deep.equal([]);
      }
      const again = await requestActions(editor, NOTE, text);
      expect(again.titles).not.to.include(TITLE);
      editor.closeDocument(resources);
      editor.closeDocument(tests);
    });

    it('for each column that may be the owner', async () => {
      const token = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.KEY' };
      const work = [{ id: 1, mode: 'QUERY', sql_query: { query: 'SELECT id FROM _user' } }];
      const issued = { ...token, expiration: 60, custom_claim_fields: ['id'], property_name: 'token' };
      const guards = [
        { id: 'sign-in', resource: 'sign-in', tokenize: issued, actionables: work },
        { id: 'me', resource: 'me', tokenize: token, protected: { extract_claims: ['id'] }, actionables: work },
      ];
      await editor.write({ 'definitions/guards.resource.json': JSON.stringify(guards) });
      const user = '{ "type": "String", "foreign_key": { "of": "_user", "key": "id" } }';
      const task = `{ "id": { "type": "Number", "primary_key": true }, "own‸er": ${user}, "helper": ${user} }`;
      const { titles } = await requestActions(editor, 'definitions/models/_task.model.json', task);
      expect(titles.filter((title) => title.startsWith(TITLE))).to.deep.equal(
        ['owner', 'helper'].map((name) => `${TITLE}; callers reach the rows with themselves as "${name}"`),
      );
      editor.closeDocument('definitions/models/_task.model.json');
      await editor.write({ 'definitions/guards.resource.json': '[]' });
    });

    it('only where it is a table with a key', async () => {
      const keyless = '{ "te‸xt": { "type": "String" } }';
      expect((await requestActions(editor, 'definitions/models/_log.model.json', keyless)).titles).not.to.include(
        TITLE,
      );
      expect((await requestActions(editor, FILE, resource(query('SELECT 1‸')))).titles).not.to.include(TITLE);
      editor.closeDocument('definitions/models/_log.model.json');
    });
  });
});

describe('language server: the first statement of a project', () => {
  it('is checked before it is saved', async () => {
    const editor = await openEditor({ files: { [MODEL]: '{ "id": { "type": "String", "primary_key": true } }' } });
    editor.open(FILE, resource(query('SELECT agge FROM _user')));
    expect((await editor.diagnostics(FILE)).map(({ code }) => code)).to.include('SQL_COLUMN');
    await editor.close();
  });
});

describe('language server: fixes of certain mistakes', () => {
  let editor: Editor;
  before(
    async () =>
      (editor = await openEditor({
        files: { 'lintel.config.json': '{ "documents": { "main": { "use": "memory" } } }' },
      })),
  );
  after(() => editor.close());

  it('adds a comma after the member before, not after its comment', async () => {
    const text = '{\n  "id": "a-01", // mine\n  "resource": "a" // its path\n  "actiona‸bles": []\n}\n';
    const offered = await requestActions(editor, FILE, text);
    const after = await offered.applyAndDiagnose('Add a comma');
    expect(after.text).to.include('"resource": "a", // its path');
    expect(after.diagnostics.map(({ code }) => code)).not.to.include('SRC_SYNTAX');
    const none = await requestActions(editor, FILE, '{ "id": 1 ‸2 }');
    expect(none.titles).not.to.include('Add a comma');
  });

  it('removes a repeated key on request', async () => {
    const text = resource(query('SELECT 1')).replace('"resource"', '"id": "b-01",\n  "resource"');
    const offered = await requestActions(editor, FILE, text.replace('"id": "b', '"‸id": "b'));
    const after = await offered.applyAndDiagnose('Remove this "id" and keep the first');
    expect(after.text).to.equal(resource(query('SELECT 1')));
    expect(after.diagnostics).to.deep.equal([]);
    expect((await requestActions(editor, FILE, text, { only: 'source.fixAll' })).titles).to.deep.equal([]);
  });

  it('turns a template in a statement into a parameter, with the quotes around it', async () => {
    for (const written of ["'{{buy‸er.id}}'", '${buy‸er.id}', "'${buy‸er.id}'"]) {
      const offered = await requestActions(editor, FILE, resource(query(`SELECT 1 WHERE 'a' = ${written}`)));
      const after = await offered.applyAndDiagnose(/^Write \$1 and put/);
      expect(after.text).to.include(`'a' = $1", "parameters": ["$PAYLOAD.buyer.id"]`);
      expect(codes(after.diagnostics)).to.deep.equal([]);
    }
    const inside = await requestActions(editor, FILE, resource(query("SELECT 1 WHERE 'a' LIKE 'x {{buy‸er.id}}'")));
    expect(inside.titles.filter((title) => title.startsWith('Write $'))).to.deep.equal([]);
  });

  it('removes `unique` where it has no effect', async () => {
    const offered = await requestActions(editor, FILE, resource(query('SELECT 1', ', "unique": ["i‸d"]')));
    const after = await offered.applyAndDiagnose('Remove "unique"');
    expect(after.text).to.equal(resource(query('SELECT 1')));
    expect(codes(after.diagnostics)).to.deep.equal([]);
  });

  it('removes an option that only columns have from a sub-field', async () => {
    const field = (rest: string): string =>
      `{ "id": { "type": "String", "primary_key": true }, "b": { "type": "JSON_OBJECT", "properties": { "a/b": { "type": "String"${rest} } } } }`;
    const offered = await requestActions(editor, 'definitions/_b.model.json', field(', "unique": tr‸ue'));
    const after = await offered.applyAndDiagnose('Remove "unique"');
    expect(after.text).to.equal(field(''));
    expect(codes(after.diagnostics)).not.to.include('FLD_NO_EFFECT');
    editor.closeDocument('definitions/_b.model.json');
  });

  it('keeps an unused extraction, because it rejects requests without the value', async () => {
    const list = ', "extract_response_for": [{ "extract": "id", "for": "first_id‸" }]';
    const offered = await requestActions(editor, FILE, resource(query('SELECT 1 AS id').replace(/ }$/, `${list} }`)));
    expect(offered.titles.filter((title) => /remove/i.test(title))).to.deep.equal([]);
  });

  it('removes a value of a document query that no placeholder uses, and renumbers the others', async () => {
    const find = (filter: string, list: string): string =>
      resource(
        `{ "id": 1, "mode": "QUERY", "mongo_query": { "collection": "_c", "action": "FETCH", "filter_predicate": ${filter}${list} } }`,
      );
    const text = find('{ "a": "$1", "b": { "$gt": "$3" } }', ', "parameters": [1, ‸2, 3]');
    const offered = await requestActions(editor, FILE, text);
    const after = await offered.applyAndDiagnose('Remove it');
    expect(after.text).to.equal(find('{ "a": "$1", "b": { "$gt": "$2" } }', ', "parameters": [1, 3]'));
    expect(after.diagnostics.filter(({ severity }) => severity === 1)).to.deep.equal([]);
  });
});
