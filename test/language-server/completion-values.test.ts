/** Completion of values and of whole objects, over the protocol, with the text after one is accepted. */
import { expect } from 'chai';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';
const NOTE = '{ "id": { "type": "String", "primary_key": true }, "text": { "type": "String" } }';
const inAction = (text: string): string => `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, ${text} }] }`;

describe('language server: completion of values', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: { 'definitions/_note.model.json': NOTE } })));
  after(() => editor.close());

  it('writes the name of a plugin, with its documentation', async () => {
    const { accept, items } = await editor.requestCompletion(FILE, inAction('"mode": ‸ "no_op": true'));
    expect(accept('RETURN')).to.equal(
      inAction('"mode": "RETURN", "no_op": true').replace('", "no', '","no').replace('","no', '", "no'),
    );
    const { documentation } = items.find(({ label }) => label === 'RETURN') ?? {};
    expect(JSON.stringify(documentation)).to.match(/mode/i);
  });

  it('replaces an existing value, and one whose quotes are not closed', async () => {
    const half = await editor.requestCompletion(FILE, inAction('"mode": "QU‸ERY"'));
    expect(half.accept('RETURN')).to.equal(inAction('"mode": "RETURN"'));
    const open = await editor.requestCompletion(
      FILE,
      '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QU‸\n}] }',
    );
    expect(open.accept('QUERY')).to.equal(
      '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QUERY"\n}] }',
    );
  });

  it('offers true and false, and documented members of an enumeration', async () => {
    const flag = await editor.requestCompletion(FILE, inAction('"mode": "RETURN", "no_op": ‸'));
    expect(flag.labels).to.include.members(['true', 'false']);
    expect(flag.accept('true')).to.equal(inAction('"mode": "RETURN", "no_op": true'));
    const config = await editor.requestCompletion('lintel.config.json', '{ "on_problem": "‸" }');
    expect(config.accept('skip')).to.equal('{ "on_problem": "skip" }');
    const item = config.items.find(({ label }) => label === 'skip');
    expect(JSON.stringify(item?.documentation)).to.include('return 503');
  });

  it('offers defaults and examples with their units', async () => {
    const { items, accept } = await editor.requestCompletion(
      'lintel.config.json',
      '{ "http": { "timeouts": { "drain": ‸ } } }',
    );
    expect(items.find(({ label }) => label === '25')?.detail).to.equal('default · seconds');
    expect(accept('25')).to.equal('{ "http": { "timeouts": { "drain": 25 } } }');
  });

  it('writes a whole actionable with the next number, for every mode', async () => {
    const text =
      '{ "id": "a", "resource": "a", "returnables": ["id"], "actionables": [{ "id": 4, "mode": "RETURN", "value": { "id": 1 } }, ‸] }';
    const { accept, labels } = await editor.requestCompletion(FILE, text);
    expect(labels).to.include.members([
      '{ HTTPREQUEST }',
      '{ QUERY: mongo_query }',
      '{ QUERY: sql_query }',
      '{ RETURN }',
    ]);
    expect(accept('{ QUERY: sql_query }')).to.equal(
      text.replace(
        '‸',
        '{\n\t"id": 5,\n\t"mode": "QUERY",\n\t"sql_query": {\n\t\t"query": "SELECT id, text FROM _note WHERE id = $1",\n\t\t"parameters": ["$PAYLOAD.id"]\n\t}\n}'.replaceAll(
          '$',
          '$$$$',
        ),
      ),
    );
  });

  it('writes all members into empty braces', async () => {
    const { accept } = await editor.requestCompletion(FILE, '{ "id": "a", "resource": "a", "actionables": [{‸}] }');
    expect(accept('{ RETURN }')).to.match(/"actionables": \[\{"id": 1,\n"mode": "RETURN",\n"value": /);
  });

  it('writes a whole field of a model, and a whole rule', async () => {
    const model = await editor.requestCompletion('definitions/_note.model.json', '{ "id": { "type": "String" }, ‸ }');
    expect(model.accept('new Number')).to.equal('{ "id": { "type": "String" }, "name": { "type": "Number" } }');
    const typed = await editor.requestCompletion('definitions/_note.model.json', '{ "id": ‸ }');
    expect(typed.accept('{ String }')).to.equal('{ "id": { "type": "String" } }');
    const rule = await editor.requestCompletion(FILE, inAction('"mode": "RETURN", "payload_validation": [‸]'));
    expect(rule.accept('{ … }')).to.include('"field"');
    const reading = inAction('"mode": "RETURN", "value": "$PAYLOAD.nickname", "payload_validation": [‸]');
    const ofName = await editor.requestCompletion(FILE, reading);
    expect(ofName.accept('{ … }'), 'a name that is read and has no rule').to.include('"field": { "nickname": { "type"');
    const inside = await editor.requestCompletion(
      FILE,
      inAction('"mode": "RETURN", "payload_validation": [{ "field": { "email": ‸ } }]'),
    );
    expect(inside.accept('{ EMAIL }')).to.include('"email": { "type": "EMAIL" }');
  });

  it('writes a whole resource or model into a file that is empty, or into its list', async () => {
    const empty = await editor.requestCompletion('definitions/b.resource.json', '‸');
    expect(empty.accept('resource: RETURN')).to.include('"mode": "RETURN"');
    for (const text of ['[‸', '[‸]', '[ { "id": "x", "resource": "x", "actionables": [] }, ‸ ]']) {
      const list = await editor.requestCompletion('definitions/b.resource.json', text);
      expect(list.labels, text).to.include('resource: QUERY: sql_query');
    }
    const model = await editor.requestCompletion('definitions/_other.model.json', '‸');
    expect(JSON.parse(model.accept('model'))).to.have.property('id');
  });
});

describe('language server: completion for a client without snippets', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ capabilities: { textDocument: {} } })));
  after(() => editor.close());

  it('inserts plain text', async () => {
    const { items } = await editor.requestCompletion(FILE, inAction('"mode": "QUERY", ‸'));
    expect(items.map(({ insertTextFormat }) => insertTextFormat)).not.to.include(2);
    const query = items.find(({ label }) => label === 'sql_query')?.textEdit?.newText;
    expect(JSON.parse(`{${query ?? ''}}`)).to.deep.equal({
      sql_query: { query: 'SELECT id, email FROM _user WHERE id = $1', parameters: ['$PAYLOAD.id'] },
    });
  });
});
