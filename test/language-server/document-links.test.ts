/** Document links, over the protocol: which words of a text lead somewhere, and where to. */
import { expect } from 'chai';
import { DocumentLinkRequest } from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';

describe('language server: document links', () => {
  let editor: Editor;
  before(async () => {
    const files = {
      'definitions/_group.model.json': '// 🙂\n{"id": {"type": "String", "primary_key": true}}',
      'my-plugins/limits/package.json': '{}',
      'docs/reference/kinds/mode.md': '# Mode',
      'schemas/config.json': '{}',
    };
    editor = await openEditor({ files });
  });
  after(() => editor.close());

  /** Targets of the links at the marked ranges, by name; links elsewhere are an error. */
  async function targets(name: string, source: string): Promise<Record<string, string | undefined>> {
    const { uri, ranges } = editor.open(name, source);
    const links = (await editor.client.sendRequest(DocumentLinkRequest.type, { textDocument: { uri } })) ?? [];
    const names = new Map([...ranges].map(([mark, range]) => [JSON.stringify(range), mark]));
    const named = links.map(({ range, target }) => [names.get(JSON.stringify(range)) ?? 'elsewhere', target]);
    expect(named.map(([mark]) => mark)).not.to.include('elsewhere');
    return Object.fromEntries(named) as Record<string, string | undefined>;
  }

  it('lead from a reference to the file of the model', async () => {
    const source =
      '{ "id": { "type": "String" }, "group": { "type": "String", "foreign_key": { "of": "«m:_group»", "key": "id" } }, "none": { "type": "String", "foreign_key": { "of": "_nobody", "key": "id" } } }';
    const found = await targets('definitions/_note.model.json', source);
    expect(found).to.deep.equal({ m: `${editor.toUri('definitions/_group.model.json')}#L2` });
  });

  it('lead from the config to existing folders and files', async () => {
    const source =
      '{ "$schema": "«s:./schemas/config.json»", "plugins": ["builtin:*", "«f:./my-plugins/limits»", "./nowhere"] }';
    expect(await targets('lintel.config.json', source)).to.deep.equal({
      s: editor.toUri('schemas/config.json'),
      f: editor.toUri('my-plugins/limits'),
    });
  });

  it('lead from plugins to the pages that the project has', async () => {
    const source =
      '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "«p:QUERY»" }, { "id": 2, "mode": "NONE" }, { "id": ';
    expect(await targets('definitions/a.resource.json', source)).to.deep.equal({
      p: `${editor.toUri('docs/reference/kinds/mode.md')}#query`,
    });
  });

  it('lead to the pages of the URL in the config', async () => {
    editor.open('lintel.config.json', '{ "docs": "https://docs.example.com/errors/" }');
    const source = '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "«p:QUERY»" }] }';
    expect(await targets('definitions/a.resource.json', source)).to.deep.equal({
      p: 'https://docs.example.com/errors/kinds/mode.md#query',
    });
  });

  it('never lead to an address that is no web page', async () => {
    editor.open('lintel.config.json', '{ "docs": "https://x.example/>) [a](command:b) <" }');
    const source = '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "«p:QUERY»" }] }';
    const found = await targets('definitions/a.resource.json', source);
    expect(found['p']).to.match(/^file:/);
  });
});
