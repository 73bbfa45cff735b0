/** Inlay hints, over the protocol: units after numbers, and when actionables run. */
import { expect } from 'chai';
import { InlayHintRequest, type Range } from 'vscode-languageserver-protocol';
import { createDocument } from '../../language/source/document.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';

describe('language server: inlay hints', () => {
  let editor: Editor;
  before(async () => {
    const other = '{ "id": "b", "resource": "b", "actionables": [{ "id": 1, "mode": "RETURN", "value": {} }] }';
    editor = await openEditor({ files: { 'definitions/b.resource.json': other } });
  });
  after(() => editor.close());

  /** The text with its hints in angle brackets; of the lines from `first` to `last`. */
  async function renderHints(name: string, source: string, lines?: readonly [number, number]): Promise<string> {
    const { text, uri } = editor.open(name, source);
    const doc = createDocument('', text);
    const [first, last] = lines ?? [0, doc.lineStarts.length];
    const range: Range = { start: { line: first, character: 0 }, end: { line: last, character: 0 } };
    const hints = (await editor.client.sendRequest(InlayHintRequest.type, { textDocument: { uri }, range })) ?? [];
    return hints
      .map(({ position, label }) => ({ at: (doc.lineStarts[position.line] ?? 0) + position.character, label }))
      .sort((a, b) => b.at - a.at)
      .reduce(
        (result, { at, label }) =>
          `${result.slice(0, at)}<${typeof label === 'string' ? label : ''}>${result.slice(at)}`,
        text,
      );
  }

  const resource = (...actions: readonly string[]): string =>
    `{ "id": "a", "resource": "a", "actionables": [${actions.map((one) => `{ ${one} }`).join(', ')}] }`;
  const work = '"mode": "RETURN", "value": {}';

  it('are provided', () => {
    expect(editor.initialized.capabilities.inlayHintProvider).to.equal(true);
  });

  it('show units, larger ones if the conversion is exact', async () => {
    const text =
      '{ "http": { "limits": { "body": 10485760, "depth": 7, "url": 8191 }, "timeouts": { "request": 90, "idle": 5 } } }';
    expect(await renderHints('lintel.config.json', text)).to.equal(
      '{ "http": { "limits": { "body": 10485760<10 MiB>, "depth": 7<levels>, "url": 8191<bytes> }, "timeouts": { "request": 90<1 minute 30 seconds>, "idle": 5<seconds> } } }',
    );
    editor.open('lintel.config.json', '{}');
  });

  it('show the order in which actionables run', async () => {
    const text = resource(
      `"id": 1, ${work}`,
      `"id": 2, ${work}, "no_op": true`,
      `"id": 3, ${work}, "depends_on": [{ "resource_id": "self", "action_ids": [4] }]`,
      `"id": 4, ${work}, "no_op": true`,
    );
    expect(await renderHints(FILE, text)).to.equal(
      text
        .replace('"id": 1', '"id": 1<1st>')
        .replace('"id": 2', '"id": 2<only when needed>')
        .replace('"id": 3', '"id": 3<3rd>')
        .replace('"id": 4', '"id": 4<2nd>'),
    );
  });

  it('count the actionables of other resources that run before', async () => {
    const text = resource(`"id": 1, ${work}, "depends_on": [{ "resource_id": "b", "action_ids": [1] }]`);
    expect(await renderHints(FILE, text)).to.equal(text.replace('"id": 1', '"id": 1<2nd>'));
  });

  it('show what runs in parallel, and what the scheduler starts', async () => {
    const text = resource(
      `"id": 1, ${work}, "parallel": true`,
      `"id": 2, ${work}, "parallel": true`,
      `"id": 3, ${work}`,
      `"id": 4, ${work}, "cron_job": { "execution_interval": "0 0 3 * * *" }`,
    );
    expect(await renderHints(FILE, text)).to.equal(
      text
        .replace('"id": 1', '"id": 1<1st, together with 2>')
        .replace('"id": 2', '"id": 2<1st, together with 1>')
        .replace('"id": 3', '"id": 3<2nd>')
        .replace('"id": 4', '"id": 4<by the clock>'),
    );
  });

  it('show nothing for a single actionable', async () => {
    const text = resource(`"id": 1, ${work}`);
    expect(await renderHints(FILE, text)).to.equal(text);
  });

  it('cover the requested lines only, also in lists, after comments and in half-typed files', async () => {
    const createResourceText = (id: string): string =>
      resource(`"id": 1, ${work}`, `"id": 2, ${work}`).replace('"a"', `"${id}"`);
    const text = `// 🙂\r\n[${createResourceText('first')},\r\n${createResourceText('second').replace('"resource": "a"', '"resource": "c"')},\r\n{ "id": `;
    const lines = (await renderHints(FILE, text, [2, 3])).split('\r\n');
    expect(lines[1]).not.to.include('<');
    expect(lines[2]).to.include('"id": 1<1st>').and.include('"id": 2<2nd>');
  });
});
