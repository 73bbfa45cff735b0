/** Completion of member names, over the protocol: what is offered, in which order, and the text after one is accepted. */
import { expect } from 'chai';
import { openEditor, type CompletionResult, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';

describe('language server: completion of names', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor()));
  after(() => editor.close());

  it('offers the required members of a resource first', async () => {
    const { items, labels } = await editor.requestCompletion(FILE, '{ ‸ }');
    expect(labels).to.include.members(['id', 'resource', 'actionables', 'protected']);
    const first = [...items].sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1)).slice(0, 3);
    expect(first.map(({ label }) => label)).to.have.members(['id', 'resource', 'actionables']);
  });

  it('offers the fields of a model in a file named like one, before it has any', async () => {
    for (const name of ['definitions/user.model.json', 'definitions/_user.json', 'definitions/user.model.jsonc']) {
      const { labels } = await editor.requestCompletion(name, '{ "id": { ‸ } }');
      expect(labels, name).to.include.members(['type', 'primary_key']);
      editor.closeDocument(name);
    }
    const { labels } = await editor.requestCompletion('definitions/user.json', '{ "id": { ‸ } }');
    expect(labels).not.to.include('primary_key');
    editor.closeDocument('definitions/user.json');
  });

  it('writes the name, a starting value and the comma', async () => {
    const { accept, labels } = await editor.requestCompletion(FILE, '{ ‸ "resource": "a" }');
    expect(labels).not.to.include('resource');
    expect(accept('id')).to.equal('{ "id": "sign-up-01","resource": "a" }'.replace(',"', ', "'));
  });

  it('replaces a half-typed name, and keeps its value', async () => {
    const { accept } = await editor.requestCompletion(FILE, '{ "id": "a", "reso‸": "x" }');
    expect(accept('resource')).to.equal('{ "id": "a", "resource": "x" }');
  });

  it('adds a missing comma', async () => {
    const { accept } = await editor.requestCompletion(FILE, '{ "id": "a" ‸ }');
    expect(accept('actionables')).to.equal('{ "id": "a", "actionables": [{‸}] }');
  });

  it('writes at the cursor after a string that is not closed', async () => {
    const { accept } = await editor.requestCompletion(FILE, '{ "id": "a", "reso} }‸\n}');
    expect(accept('resource')).to.match(/^\{ "id": "a", "resource": "[^"]*"\n\}$/);
  });

  it('offers the fields of the selected mode', async () => {
    const text = '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QUERY", ‸ }] }';
    const { labels } = await editor.requestCompletion(FILE, text);
    expect(labels).to.include.members(['sql_query', 'depends_on', 'no_op']);
    expect(labels).not.to.include('mode');
  });

  it('offers the languages of a query until one is written', async () => {
    const inAction = (rest: string): Promise<CompletionResult> =>
      editor.requestCompletion(
        FILE,
        `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QUERY", ${rest} }] }`,
      );
    expect((await inAction('‸')).labels).to.include.members(['sql_query', 'mongo_query']);
    expect((await inAction('"sql_query": { "query": "SELECT 1" }, ‸')).labels).not.to.include.members(['mongo_query']);
    expect((await inAction('"mongo_‸": {}')).labels).to.include.members(['sql_query', 'mongo_query']);
    const { labels } = await inAction('"mongo_query": {}, "sql_‸": {}');
    expect(labels).not.to.include('sql_query');
  });
});
