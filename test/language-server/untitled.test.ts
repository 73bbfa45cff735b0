/** Documents that have no file yet, over the protocol: they are part of the project of their window, or of none. */
import { expect } from 'chai';
import {
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  PublishDiagnosticsNotification,
  type Diagnostic,
  type Position,
} from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { parseMarked } from '../support/marked-source.js';
import { waitUntil } from '../support/until.js';

const URI = 'untitled:Untitled-1';
const OTHER = 'definitions/resources/other.resource.json';
const SAVED = 'definitions/resources/mine.resource.json';
const OTHER_TEXT =
  '{ "id": "other", "resource": "other", "actionables": [{ "id": 1, "mode": "RETURN", "value": {} }] }';
const formatText = (wanted: string): string =>
  `{ "id": "mine", "resource": "mine", "actionables": [{ "id": 1, "mode": "RETURN", "value": {},
  "depends_on": [{ "resource_id": "${wanted}", "action_ids": [1] }] }] }`;

interface UntitledEditor {
  readonly editor: Editor;
  readonly published: ReadonlyMap<string, readonly Diagnostic[]>;
  readonly type: (source: string) => Position;
  readonly waitForProblem: (code: string | null, uri?: string) => Promise<void>;
  readonly leave: () => void;
}

async function openUntitled(options: Parameters<typeof openEditor>[0]): Promise<UntitledEditor> {
  const editor = await openEditor({ pause: 0, ...options });
  const published = new Map<string, readonly Diagnostic[]>();
  editor.client.onNotification(
    PublishDiagnosticsNotification.type,
    ({ uri, diagnostics }) => void published.set(uri, diagnostics),
  );
  let version = 0;
  return {
    editor,
    published,
    type(source) {
      const { text, caret } = parseMarked(source);
      version += 1;
      const [uri, languageId] = [URI, 'lintel'];
      void (version === 1
        ? editor.client.sendNotification(DidOpenTextDocumentNotification.type, {
            textDocument: { uri, languageId, version, text },
          })
        : editor.client.sendNotification(DidChangeTextDocumentNotification.type, {
            textDocument: { uri, version },
            contentChanges: [{ text }],
          }));
      return caret ?? { line: 0, character: 0 };
    },
    async waitForProblem(code, uri = URI) {
      const meets = (): boolean => {
        const found = published.get(uri);
        return code === null ? found?.length === 0 : found?.some((one) => one.code === code) === true;
      };
      await waitUntil(meets, `${code ?? 'no problem'} in the untitled document`);
    },
    leave: () =>
      void editor.client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: URI } }),
  };
}

describe('language server: an untitled document', () => {
  it('has the names, problems and hovers of the project, and becomes part of it when it is saved', async () => {
    const { editor, published, type, waitForProblem, leave } = await openUntitled({ files: { [OTHER]: OTHER_TEXT } });
    const textDocument = { uri: URI };
    type(formatText('absent'));
    await waitForProblem('LNK_UNKNOWN_RESOURCE');
    let position = type(formatText('oth‸'));
    const found = await editor.client.sendRequest(CompletionRequest.type, { textDocument, position });
    const labels = (Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label);
    expect(labels).to.include('other');
    position = type(formatText('other').replace('"depends', '"dep‸ends'));
    await waitForProblem(null);
    const hover = await editor.client.sendRequest(HoverRequest.type, { textDocument, position });
    expect(JSON.stringify(hover)).to.include('depends_on');
    leave();
    await editor.write({ [SAVED]: formatText('absent') });
    editor.open(SAVED, formatText('absent'));
    await waitForProblem('LNK_UNKNOWN_RESOURCE', editor.toUri(SAVED));
    expect(published.get(editor.toUri(SAVED))?.map(({ code }) => code)).not.to.include('LNK_DUPLICATE_ID');
    expect(published.get(URI)).to.deep.equal([]);
    await editor.close();
  });

  it('is checked and completed in a window without a folder', async () => {
    const { editor, type, waitForProblem } = await openUntitled({ hasFolder: false });
    type('// nothing but a comment');
    await waitForProblem('SRC_EMPTY');
    type('  ');
    await waitForProblem(null);
    const position = type('{ "id": "a", "resource": "a", "whatever": 1, "ac‸" }');
    await waitForProblem('DEF_UNKNOWN_KEY');
    const found = await editor.client.sendRequest(CompletionRequest.type, { textDocument: { uri: URI }, position });
    const labels = (Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label);
    expect(labels).to.include('actionables');
    const whole = { textDocument: { uri: URI }, position: type('‸') };
    const offered = await editor.client.sendRequest(CompletionRequest.type, whole);
    expect(JSON.stringify(offered)).to.include('"resource: RETURN"');
    await editor.close();
  });
});
