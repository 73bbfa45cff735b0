/**
 * Unusual and hostile use over the protocol: unusual file names, links and folders in place of files, and rapid
 * requests.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  PublishDiagnosticsNotification,
  CancellationTokenSource,
} from 'vscode-languageserver-protocol';
import { toFilePath } from '../../language-server/uri.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { requestActions } from '../support/editor-actions.js';

const FILE = 'definitions/a.resource.json';
const resource = (mode: string, rest = ''): string =>
  `{ "id": "a-01", "resource": "a",${rest} "actionables": [{ "id": 1, "mode": "${mode}", "sql_query": { "query": "SELECT 1 AS id" } }] }`;
const SECRET = 'correct-horse-battery-staple-9';
const withSecret = resource('QUERY', ` "tokenize": { "type": "JWT", "encryption_key": "${SECRET}‸" },`);

describe('language server: unusual file names and links', () => {
  it('works in a folder whose name has spaces, symbols and umlauts', async () => {
    const around = await mkdtemp(join(tmpdir(), 'lintel odd #1 100% (ä) '));
    const editor = await openEditor({ under: around });
    await requestActions(editor, FILE, resource('QUEY‸'));
    expect((await editor.diagnostics(FILE)).map(({ code }) => code)).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
    const offered = await requestActions(editor, FILE, withSecret, { texts: {} });
    expect(offered.applyAction(/^Move it to/)['.env']).to.include(SECRET);
    await editor.close();
    await rm(around, { recursive: true, force: true });
  });

  it('knows a file under every spelling of its address', async () => {
    const editor = await openEditor({ files: { [FILE]: resource('QUERY') } });
    const odd = editor.toUri(FILE).replace('a.resource', '%61.resource').replace('definitions', 'd%65finitions');
    const messages: string[] = [];
    const done = new Promise<void>((resolve) =>
      editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
        if (diagnostics.some(({ code }) => code === 'DEF_UNKNOWN_PLUGIN')) resolve(void messages.push(uri));
      }),
    );
    const textDocument = { uri: odd, languageId: 'lintel', version: 1, text: resource('QUEY') };
    void editor.client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    await done;
    expect(messages).to.deep.equal([odd]);
    await editor.close();
  });

  it('takes two spellings of an address for one file', async () => {
    const around = await mkdtemp(join(tmpdir(), 'lintel-c:'));
    const editor = await openEditor({ files: { [FILE]: resource('QUERY') }, under: around });
    const encoded = editor.toUri(FILE).replaceAll(':', '%3A').replace('file%3A', 'file:');
    expect(encoded).to.include('%3A');
    editor.open(FILE, resource('QUERY'));
    expect((await editor.diagnostics(FILE)).filter(({ severity }) => severity === 1)).to.deep.equal([]);
    const done = new Promise<unknown[]>((resolve) =>
      editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
        if (uri === encoded) resolve(diagnostics.map(({ code }) => code));
      }),
    );
    const textDocument = { uri: encoded, languageId: 'lintel', version: 1, text: resource('QUEY') };
    void editor.client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    // The second of two files with the same id would be reported.
    expect(await done).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
    await editor.close();
    await rm(around, { recursive: true, force: true });
  });

  it('reads all forms of Windows file URIs', () => {
    for (const uri of ['file:///c%3A/my%20shop/a.json', 'file:///c:/my%20shop/a.json', 'file:///C:/my%20shop/%61.json'])
      expect(toFilePath(uri, true), uri).to.equal('c:\\my shop\\a.json');
    expect(toFilePath('file://server/share/a.json', true)).to.equal('\\\\server\\share\\a.json');
    for (const uri of ['untitled:Untitled-1', 'git:/a.json', 'file:///%', 'file:///a%2Fb', ''])
      expect(toFilePath(uri, false), uri).to.equal(null);
  });

  it('knows a file that is opened through a link to its project', async () => {
    const editor = await openEditor({ files: { [FILE]: resource('QUERY') } });
    const link = `${editor.folder}-link`;
    await symlink(editor.folder, link);
    const uri = editor.toUri(FILE).replace(editor.folder, link);
    const done = new Promise<string>((resolve) =>
      editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri: of, diagnostics }) => {
        if (diagnostics.length > 0) resolve([of, ...diagnostics.map(({ code }) => code)].join(' '));
      }),
    );
    const textDocument = { uri, languageId: 'lintel', version: 1, text: resource('QUEY') };
    void editor.client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    expect(await done).to.equal(`${uri} DEF_UNKNOWN_PLUGIN`);
    await rm(link);
    await editor.close();
  });
});

describe('language server: a .env that is not a file of the project', () => {
  const moves = async (editor: Editor): Promise<string[]> =>
    (await requestActions(editor, FILE, withSecret)).titles.filter((title) => title.startsWith('Move it'));

  it('receives no secret if it is a folder', async () => {
    const editor = await openEditor({ before: async ({ folder }) => void (await mkdir(join(folder, '.env'))) });
    expect(await moves(editor)).to.deep.equal([]);
    await editor.close();
  });

  it('receives no secret if it is a link out of the project', async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'lintel-outside-')));
    await writeFile(join(outside, 'shared'), 'A=1\n');
    for (const target of ['shared', 'not-there']) {
      const editor = await openEditor({ before: ({ folder }) => symlink(join(outside, target), join(folder, '.env')) });
      expect(await moves(editor), target).to.deep.equal([]);
      await editor.close();
    }
    await rm(outside, { recursive: true });
  });
});

describe('language server: rapid requests', () => {
  it('shows the problems of the last of two hundred changes, and of no version twice', async () => {
    const editor = await openEditor({ files: { [FILE]: resource('QUERY') } });
    const versions: number[] = [];
    editor.open(FILE, resource('QUERY'));
    await editor.diagnostics(FILE);
    const done = new Promise<readonly unknown[]>((resolve) =>
      editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
        if (uri !== editor.toUri(FILE)) return;
        versions.push(version ?? 0);
        if (version === 201) resolve(diagnostics.map(({ message }) => message));
      }),
    );
    for (let version = 2; version <= 201; version++) {
      void editor.client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: editor.toUri(FILE), version },
        contentChanges: [{ text: resource(`QUEY${version}`) }],
      });
    }
    const [message] = await done;
    expect(message).to.include('QUEY201');
    expect(versions).to.deep.equal([...new Set(versions)]);
    expect(versions.length).to.be.below(20);
    await editor.close();
  });

  it('serves a client that opens a document and never says that it is initialized', async () => {
    const editor = await openEditor({ notifies: false });
    const { uri } = editor.open(FILE, resource('QUERY'));
    const params = { textDocument: { uri }, position: { line: 0, character: resource('').indexOf('"mode"') + 2 } };
    expect(await editor.client.sendRequest(HoverRequest.type, params)).to.be.an('object');
    await editor.close();
  });

  it('does not answer a cancelled request, and continues', async () => {
    const editor = await openEditor();
    const { uri } = editor.open(FILE, resource('QUERY'));
    const params = { textDocument: { uri }, position: { line: 0, character: resource('').indexOf('"mode"') + 2 } };
    const source = new CancellationTokenSource();
    const asked = editor.client.sendRequest(HoverRequest.type, params, source.token).catch(() => null);
    source.cancel();
    expect(await asked).to.equal(null);
    expect(await editor.client.sendRequest(HoverRequest.type, params)).to.be.an('object');
    await editor.close();
  });
});
