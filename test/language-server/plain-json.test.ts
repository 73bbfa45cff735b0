/** Editors that open every file as JSON: the config decides which files are definitions. */
import { expect } from 'chai';
import { openEditor, type Editor } from '../support/editor-pair.js';

const WRONG = '{ "id": "a", "resorce": "a" }';
const OURS = 'definitions/a.json';
const OTHER = 'package.json';

describe('language server: editors that know JSON only', () => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await openEditor({ files: { [OURS]: '{}', [OTHER]: '{ "name": "shop" }' } });
  });
  afterEach(() => editor.close());

  const codes = async (name: string): Promise<unknown[]> => (await editor.diagnostics(name)).map(({ code }) => code);

  it('checks the files that the config names, and the config', async () => {
    editor.open(OURS, WRONG, 'json');
    expect(await codes(OURS)).to.include('DEF_NO_KIND');
    editor.open('lintel.config.json', '{ "definitons": [] }', 'jsonc');
    expect(await codes('lintel.config.json')).to.include('DEF_UNKNOWN_KEY');
  });

  it('reports and offers nothing in other files', async () => {
    editor.open(OTHER, '{ "name": "shop" }', 'json');
    editor.open(OURS, WRONG, 'json');
    expect(await codes(OURS)).to.include('DEF_NO_KIND');
    expect((await editor.requestCompletion(OTHER, '{ ‸ }')).labels).to.deep.equal([]);
    editor.changeDocument(OURS, WRONG.replace('"a"', '"b"'));
    await editor.diagnostics(OURS);
    // All diagnostics of a round are sent before this response.
    await editor.requestCompletion(OURS, '{ ‸ }');
    expect(await Promise.race([editor.waitForDiagnostics(OTHER, () => true), Promise.resolve(null)])).to.equal(null);
  });

  it('checks a file with the language id of definitions', async () => {
    editor.open(OTHER, WRONG);
    expect(await codes(OTHER)).to.include('DEF_NO_KIND');
  });

  it('checks a new file before it is saved', async () => {
    editor.open('definitions/new.json', WRONG, 'json');
    expect(await codes('definitions/new.json')).to.include('DEF_NO_KIND');
  });
});
