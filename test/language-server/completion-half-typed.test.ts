/**
 * Completion in half-typed text, wherever it ends: it never fails, every edit is at its position, and the rest of the
 * project is not analysed.
 */
import { expect } from 'chai';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDocument, positionAt } from '../../language/source/document.js';
import { CompletionRequest, type CompletionList } from 'vscode-languageserver-protocol';
import { openProject } from '../../language-server/project.js';
import { createDocumentContext } from '../../language-server/document-context.js';
import { completeAt } from '../../language-server/features/completion.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { sampleCases } from '../support/sample.js';

const FILE = 'definitions/a.resource.json';
const WHOLE = `// A comment, then a list.\r
[\r
  { "id": "first", "resource": "first", "actionables": [{ "id": 1, "mode": "RETURN", "value": "\\u0041 😀 $PAYLOAD.x" }] },\r
  {\r
    "id": "second", "resource": "second/:slug", /* in between */ "protected": { "extract_claims": ["id"] },\r
    "actionables": [\r
      { "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT 1 AS one WHERE $1 = 'x'", "parameters": ["slug", "$PROTECTED.id"] } },\r
      { "id": 2, "mode": "RETURN", "value": { "a": ["$DATETIME", true, null, -1.5e3] },\r
        "depends_on": [{ "resource_id": "first", "action_ids": [1], "extract_response_for": [{ "extract": "0.id", "for": "the_id" }] }] }\r
    ]\r
  }\r
]\r
`;

/** Every `step`th place of the text; fewer in a sampled run. */
function offsets(name: string, step: number, count: number): readonly number[] {
  const all = Array.from({ length: Math.floor(WHOLE.length / step) + 1 }, (_, n) => n * step);
  return sampleCases('editor', name, all, count);
}

describe('language server: completion in half-typed files', () => {
  let editor: Editor;
  before(
    async () =>
      (editor = await openEditor({ files: { 'definitions/_m.model.json': '{ "id": { "type": "String" } }' } })),
  );
  after(() => editor.close());

  it('responds wherever a text ends, with edits around the caret', async () => {
    for (const end of offsets('ends', 3, 100)) {
      const text = WHOLE.slice(0, end);
      const { uri } = editor.open(FILE, text);
      const position = positionAt(createDocument('', text), end);
      const answer = (await editor.client.sendRequest(CompletionRequest.type, {
        textDocument: { uri },
        position,
      })) as CompletionList;
      expect(answer.isIncomplete).to.equal(false);
      for (const { textEdit, label, filterText } of answer.items) {
        const range = textEdit !== undefined && 'range' in textEdit ? textEdit.range : null;
        expect(range?.start.line, label).to.equal(position.line);
        expect(range?.end.line, label).to.equal(position.line);
        expect(range === null || range.start.character <= position.character, label).to.equal(true);
        expect(range === null || range.end.character >= position.character, label).to.equal(true);
        expect(filterText, label).to.be.a('string');
      }
    }
  });

  it('responds at every position, with a quote or a brace missing anywhere', async () => {
    for (const missing of ['', '"', '}', ':', ',', ']']) {
      for (const offset of offsets(`without ${missing}`, 11, 30)) {
        const at = missing === '' ? -1 : WHOLE.indexOf(missing, offset);
        const text = at === -1 ? WHOLE : WHOLE.slice(0, at) + WHOLE.slice(at + 1);
        const { uri } = editor.open(FILE, text);
        const position = positionAt(createDocument('', text), Math.min(offset, text.length));
        await editor.client.sendRequest(CompletionRequest.type, { textDocument: { uri }, position });
      }
    }
    expect(editor.errors).to.deep.equal([]);
  });

  it('adds a missing comma, and closes no open bracket', async () => {
    const { accept } = await editor.requestCompletion(FILE, '[{ "id": "a"\n  "resource": "a"\n  ‸');
    expect(accept('actionables')).to.equal('[{ "id": "a"\n  "resource": "a",\n  "actionables": [{‸}]');
    const next = await editor.requestCompletion(
      FILE,
      '{ "id": "a", "actionables": [{ "id": 1, "mode": "RETURN", "value": ‸\n  "no_op": true }] }',
    );
    expect(next.accept('$DATETIME')).to.include('"value": "$DATETIME",\n  "no_op"');
  });

  it('reads one entry of a list and analyses nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-editor-'));
    try {
      await mkdir(join(folder, 'definitions'));
      await writeFile(join(folder, 'lintel.config.json'), '{}');
      const name = join(folder, FILE);
      await writeFile(name, WHOLE);
      const project = await openProject(folder, { trusted: () => false }).loaded;
      project.getSnapshot();
      void project.setText(name, WHOLE.replace('"RETURN", "value": {', '"RETURN", "value": { "typed": "$PROTECTED.",'));
      expect(project.getComputedSnapshot()).to.equal(null);
      const view = createDocumentContext(project, name);
      if (view === null) throw new Error('no view');
      const listLabels = async (before: string): Promise<string[]> =>
        (await completeAt(view, view.doc.text.indexOf(before), Infinity)).items.map(({ label }) => label);
      expect(await listLabels('", "a": ["$DATETIME"')).to.deep.equal(['id']);
      expect(await listLabels('"depends_on"')).to.include('no_op');
      expect(project.getComputedSnapshot()).to.equal(null);
      // Without time, an item that does not have the letters typed is not offered untried.
      const sound = '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "RETURN", "value": 1 }] }';
      project.setText(name, sound);
      project.getSnapshot();
      project.setText(name, sound.replace('[{', '[{ "mai'));
      const typed = createDocumentContext(project, name) ?? view;
      const { items, isComplete } = await completeAt(typed, sound.indexOf('[{') + '[{ "mai'.length, -1);
      expect([isComplete, ...items.map(({ label }) => label)]).to.deep.equal([false, 'main_returnable']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
