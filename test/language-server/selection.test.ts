/** Growing selections and folding, over the protocol. */
import { expect } from 'chai';
import { FoldingRangeRequest, SelectionRangeRequest, type SelectionRange } from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { createDocument } from '../../language/source/document.js';

const FILE = 'definitions/a.resource.json';

describe('language server: selection and folding', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor()));
  after(() => editor.close());

  async function grown(source: string): Promise<string[]> {
    const { uri, text, caret } = editor.open(FILE, source);
    const positions = [caret as NonNullable<typeof caret>];
    const [first] =
      (await editor.client.sendRequest(SelectionRangeRequest.type, { textDocument: { uri }, positions })) ?? [];
    const { lineStarts } = createDocument('', text);
    const offset = (at: SelectionRange['range']['start']): number => (lineStarts[at.line] ?? 0) + at.character;
    const steps: string[] = [];
    for (let one = first; one !== undefined; one = one.parent) {
      steps.push(text.slice(offset(one.range.start), offset(one.range.end)));
    }
    return steps;
  }

  it('expands from a word to its accessor, the text, the string, the member and the objects around', async () => {
    expect(await grown('{ "a": { "to": "for $PAYLOAD.na‸me!" } }')).to.deep.equal([
      'name',
      '$PAYLOAD.name',
      'for $PAYLOAD.name!',
      '"for $PAYLOAD.name!"',
      '"to": "for $PAYLOAD.name!"',
      '{ "to": "for $PAYLOAD.name!" }',
      '"a": { "to": "for $PAYLOAD.name!" }',
      '{ "a": { "to": "for $PAYLOAD.name!" } }',
    ]);
  });

  it('handles escapes, keys, items and half-typed text', async () => {
    expect((await grown('["\\u0041b \\"c‸d\\""]')).slice(0, 3)).to.deep.equal([
      'cd',
      '\\u0041b \\"cd\\"',
      '"\\u0041b \\"cd\\""',
    ]);
    expect((await grown('{"so‸me": 1}')).slice(0, 3)).to.deep.equal(['some', '"some"', '"some": 1']);
    expect(await grown('{"a": [1, 2‸3')).to.deep.equal(['23', '[1, 23', '"a": [1, 23', '{"a": [1, 23']);
    expect(await grown('‸')).to.deep.equal(['']);
    // At a quote nothing inside is selected first.
    for (const source of ['["a", ‸"so me"]', '["a", "so me"‸]']) expect((await grown(source))[0]).to.equal('"so me"');
  });

  it('folds objects, lists and comments of several lines', async () => {
    const { uri } = editor.open(FILE, '// one\n// two\n{\n  "a": [\n    1\n  ],\n  /* b\n  c */\n  "d": {}\n}');
    const folds = await editor.client.sendRequest(FoldingRangeRequest.type, { textDocument: { uri } });
    expect(folds).to.deep.equal([
      { startLine: 0, endLine: 1, kind: 'comment' },
      { startLine: 2, endLine: 8 },
      { startLine: 3, endLine: 4 },
      { startLine: 6, endLine: 7, kind: 'comment' },
    ]);
  });
});
