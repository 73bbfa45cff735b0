/** Editors that call every file JSON: which of them are definitions is for the config to say. */
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

  it('checks what the config requests, and the config', async () => {
    editor.open(OURS, WRONG, 'json');
    expect(await codes(OURS)).to.include('DEF_NO_KIND');
    editor.open('lintel.config.json', '{ "definitons": [] }', 'jsonc');
    expect(await codes('lintel.config.json')).to.include('DEF_UNKNOWN_KEY');
  });

  it('says and offers nothing in other files, opened or typed', async () => {
    editor.open(OTHER, '{ "name": "shop" }', 'json');
    editor.open(OURS, WRONG, 'json');
    expect(await codes(OURS)).to.include('DEF_NO_KIND');
    expect((await editor.requestCompletion(OTHER, '{ ‸ }')).labels).to.deep.equal([]);
    editor.changeDocument(OURS, WRONG.replace('"a"', '"b"'));
    await editor.diagnostics(OURS);
    // Everything of a round is told at once; this answer comes behind it.
    await editor.requestCompletion(OURS, '{ ‸ }');
    expect(await Promise.race([editor.waitForDiagnostics(OTHER, () => true), Promise.resolve(null)])).to.equal(null);
  });

  it('... which an editor that knows definitions calls one', async () => {
    editor.open(OTHER, WRONG);
    expect(await codes(OTHER)).to.include('DEF_NO_KIND');
  });

  it('checks a new file before it is saved', async () => {
    editor.open('definitions/new.json', WRONG, 'json');
    expect(await codes('definitions/new.json')).to.include('DEF_NO_KIND');
  });
});
