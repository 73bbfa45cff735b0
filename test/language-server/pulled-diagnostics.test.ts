/**
 * Diagnostics for clients that request them, over the protocol: the reports, when they are sent, and the refresh
 * requests.
 */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { CancellationTokenSource } from 'vscode-jsonrpc';
import {
  DiagnosticRefreshRequest,
  DocumentDiagnosticRequest,
  PublishDiagnosticsNotification,
  WorkspaceDiagnosticRequest,
  type DocumentDiagnosticReport,
  type PreviousResultId,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { waitUntil } from '../support/until.js';

const A = 'definitions/a.resource.json';
const B = 'definitions/b.resource.json';
const formatResource = (id: string, more = ''): string =>
  `{ "id": "${id}", "resource": "${id}", "actionables": [{ "id": 1, "mode": "RETURN", "value": {}${more} }] }`;
const NEEDS_A = formatResource('b', ', "depends_on": [{ "resource_id": "a", "action_ids": [1] }]');
const WRONG = formatResource('a', ', "whatever": 1');

interface PullEditor extends Editor {
  refreshes(): number;
  readonly pushed: readonly string[];
  pull(name: string, previousResultId?: string): Promise<DocumentDiagnosticReport>;
  /** Requests the workspace without a stream. */
  pullAll(previousResultIds?: PreviousResultId[]): Promise<readonly WorkspaceDocumentDiagnosticReport[]>;
}

/** A tenth of it is needed. */
const PATIENCE_MS = 20_000;
const DIAGNOSTIC = { relatedDocumentSupport: false };

async function openPullEditor(
  files: Readonly<Record<string, string>>,
  diagnostic: object = DIAGNOSTIC,
  workspace: object = { diagnostics: { refreshSupport: true } },
  pause?: number,
): Promise<PullEditor> {
  const editor = await openEditor({
    files,
    ...(pause !== undefined && { pause }),
    capabilities: {
      textDocument: { diagnostic },
      workspace: { workspaceFolders: true, ...workspace },
    },
  });
  let refreshes = 0;
  const pushed: string[] = [];
  editor.client.onRequest(DiagnosticRefreshRequest.type, () => void refreshes++);
  editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri }) => void pushed.push(uri));
  return Object.assign(editor, {
    refreshes: () => refreshes,
    pushed,
    pull: (name: string, previousResultId?: string) =>
      editor.client.sendRequest(DocumentDiagnosticRequest.type, {
        textDocument: { uri: editor.toUri(name) },
        ...(previousResultId !== undefined && { previousResultId }),
      }),
    pullAll: async (previousResultIds: PreviousResultId[] = []) =>
      (await editor.client.sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds })).items,
  });
}

const listCodes = (report: DocumentDiagnosticReport | WorkspaceDocumentDiagnosticReport): unknown[] => {
  if (report.kind !== 'full') throw new Error('the report says that nothing has changed');
  return report.items.map(({ code }) => code);
};

describe('language server: pulled diagnostics', () => {
  let editor: PullEditor;
  before(
    async () => (editor = await openPullEditor({ [A]: formatResource('a'), [B]: NEEDS_A, 'notes.txt': 'nothing' })),
  );
  after(() => editor.close());

  it('are announced, and never sent without a request', async () => {
    expect(editor.initialized.capabilities.diagnosticProvider).to.deep.equal({
      identifier: 'lintel',
      interFileDependencies: true,
      workspaceDiagnostics: true,
    });
    editor.open(A, WRONG);
    expect(listCodes(await editor.pull(A))).to.include('DEF_UNKNOWN_KEY');
    expect(editor.pushed).to.deep.equal([]);
  });

  it('are those of the last text, with an id that changes with them', async () => {
    editor.open(A, formatResource('a'));
    const sound = await editor.pull(A);
    expect(listCodes(sound)).not.to.include('DEF_UNKNOWN_KEY');
    editor.changeDocument(A, `${formatResource('a')}\n`);
    const same = await editor.pull(A, sound.resultId);
    expect(same).to.deep.equal({ kind: 'unchanged', resultId: sound.resultId });
    editor.changeDocument(A, WRONG);
    expect(listCodes(await editor.pull(A, sound.resultId))).to.include('DEF_UNKNOWN_KEY');
  });

  it('are requested again when another file changes them', async () => {
    editor.open(A, formatResource('a'));
    editor.open(B, NEEDS_A);
    await editor.pull(A);
    const before = await editor.pull(B);
    expect(listCodes(before)).not.to.include('LNK_UNKNOWN_RESOURCE');
    const refreshCount = editor.refreshes();
    editor.changeDocument(A, formatResource('other'));
    await editor.pull(A);
    await waitUntil(() => editor.refreshes() > refreshCount, 'the request to refresh');
    expect(listCodes(await editor.pull(B, before.resultId))).to.include('LNK_UNKNOWN_RESOURCE');
    editor.changeDocument(A, formatResource('a'));
    await editor.pull(A);
  });

  it('stop when the request is cancelled', async () => {
    const source = new CancellationTokenSource();
    const ended = editor.client
      .sendRequest(
        WorkspaceDiagnosticRequest.type,
        { previousResultIds: [], partialResultToken: 'never' },
        source.token,
      )
      .then(
        () => 'answered',
        (error: { readonly code: number }) => error.code,
      );
    // The server has read the first request.
    await editor.pull(A);
    source.cancel();
    expect(await ended).to.equal(-32800);
  });

  it('are empty for a file outside of a project', async () => {
    editor.open('notes.txt', 'nothing', 'plaintext');
    expect(listCodes(await editor.pull('notes.txt'))).to.deep.equal([]);
    expect(listCodes(await editor.pull('definitions/absent.resource.json'))).to.deep.equal([]);
  });

  it('are listed for the whole workspace, with ids of their own', async () => {
    editor.closeDocument(A);
    editor.closeDocument(B);
    await editor.write({ [A]: WRONG });
    await waitUntil(
      async () => (await editor.pullAll()).some((one) => listCodes(one).includes('DEF_UNKNOWN_KEY')),
      'A',
    );
    const items = await editor.pullAll();
    const a = items.find(({ uri }) => uri === editor.toUri(A));
    expect(a?.version).to.equal(null);
    const known = items.map(({ uri, resultId }) => ({ uri, value: resultId ?? '' }));
    expect((await editor.pullAll(known)).map(({ kind }) => kind)).to.deep.equal(items.map(() => 'unchanged'));
    await editor.write({ [A]: formatResource('a') });
    await waitUntil(async () => {
      const found = (await editor.pullAll(known)).find(({ uri }) => uri === editor.toUri(A));
      return found?.kind === 'full' && !listCodes(found).includes('DEF_UNKNOWN_KEY');
    }, 'the report that nothing is wrong any more');
  });

  it('are streamed while a request for the workspace is open', async () => {
    const source = new CancellationTokenSource();
    const reports = new Map<string, unknown[]>();
    const token = 'stream';
    editor.client.onProgress(WorkspaceDiagnosticRequest.partialResult, token, ({ items }) => {
      for (const item of items) reports.set(item.uri, listCodes(item));
    });
    const ended = editor.client
      .sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds: [], partialResultToken: token }, source.token)
      .catch(() => 'cancelled');
    const uri = editor.toUri(A);
    await editor.write({ [A]: WRONG });
    await waitUntil(() => reports.get(uri)?.includes('DEF_UNKNOWN_KEY') === true, 'the problem');
    await editor.write({ [A]: formatResource('a') });
    await waitUntil(() => reports.get(uri)?.includes('DEF_UNKNOWN_KEY') === false, 'its end');
    source.cancel();
    expect(await ended).to.equal('cancelled');
    expect(editor.pushed).to.deep.equal([]);
  });
});

describe('language server: diagnostics of related files', () => {
  it('are part of the report of a file after each change, for clients that support them', async () => {
    const editor = await openPullEditor({ [B]: NEEDS_A }, { relatedDocumentSupport: true });
    const readRelated = async (): Promise<unknown[] | undefined> => {
      const report = await editor.pull(A);
      const related = report.relatedDocuments?.[editor.toUri(B)];
      return related?.kind === 'full' ? related.items.map(({ code }) => code) : undefined;
    };
    editor.open(A, formatResource('other'));
    let seen: unknown[] | undefined;
    await waitUntil(async () => (seen = (await readRelated()) ?? seen)?.includes('LNK_UNKNOWN_RESOURCE') === true, 'B');
    expect(await readRelated()).to.equal(undefined);
    editor.changeDocument(A, formatResource('a'));
    expect(await readRelated())
      .to.be.an('array')
      .and.not.to.include('LNK_UNKNOWN_RESOURCE');
    await editor.close();
  });
});

describe('language server: a client without refresh requests', () => {
  it('receives pushed diagnostics, because changes of other files affect them', async () => {
    const editor = await openPullEditor({ [A]: WRONG }, DIAGNOSTIC, {});
    expect(editor.initialized.capabilities.diagnosticProvider).to.equal(undefined);
    await waitUntil(() => editor.pushed.includes(editor.toUri(A)), 'the diagnostics');
    await editor.close();
  });
});

describe('language server: diagnostics of a text that a program writes', () => {
  it('come without a pause of its changes', async () => {
    const editor = await openPullEditor({ [A]: formatResource('a') }, DIAGNOSTIC, undefined, 20);
    try {
      editor.open(A, formatResource('a'));
      await editor.pull(A);
      let answers = 0;
      const pulled = (async () => {
        for (; answers < 5; answers++) await editor.pull(A);
      })();
      const end = Date.now() + PATIENCE_MS;
      for (let n = 1; answers < 5 && Date.now() < end; n++) {
        editor.changeDocument(A, `${formatResource('a')}${' '.repeat(n)}`);
        await setImmediate();
      }
      expect(answers).to.equal(5);
      await pulled;
    } finally {
      await editor.close();
    }
  });
});
