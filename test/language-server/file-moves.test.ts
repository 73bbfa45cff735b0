/** Renaming and moving files over the protocol: what names them follows. */
import { expect } from 'chai';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DidRenameFilesNotification,
  ShowMessageNotification,
  WillRenameFilesRequest,
} from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { applyTextEdits } from '../support/marked-source.js';
import { waitUntil } from '../support/until.js';

const CONFIG = 'lintel.config.json';
const USER = 'definitions/models/_user.model.json';
const LIST = 'definitions/list.resource.json';
const TEST = 'definitions/list.test.json';

const FILES: Readonly<Record<string, string>> = {
  [CONFIG]: `{ "definitions": ["definitions/**/*.json", "!definitions/old/*.json", "extra/one.resource.json"],
  "plugins": ["builtin:*", "./my-plugins/limits"] }`,
  'extra/one.resource.json':
    '{ "id": "one", "resource": "one", "actionables": [{ "id": 1, "mode": "RETURN", "value": { "ok": true } }] }',
  [USER]: '{ "id": { "type": "String", "primary_key": true } }',
  [LIST]: `{ "id": "list", "resource": "list", "actionables": [{ "id": 1, "mode": "QUERY",
    "sql_query": { "query": "SELECT users.id FROM users", "parameters": [] } }], "returnables": ["id"] }`,
  [TEST]: `{ "id": "list", "given": { "files": [{ "key": "a.png", "path": "pictures/a.png" }] },
  "cases": [{ "id": "lists", "given": { "tables": { "_user": [] } }, "steps": [{ "request": { "resource": "list" } }] }] }`,
};

describe('language server: renamed files', () => {
  let editor: Editor;
  const messages: string[] = [];
  before(async () => {
    editor = await openEditor({ files: FILES });
    editor.client.onNotification(ShowMessageNotification.type, ({ message }) => void messages.push(message));
    editor.open(LIST, FILES[LIST] ?? '');
  });
  after(() => editor.close());

  async function move(from: string, to: string): Promise<Record<string, string>> {
    const files = [{ oldUri: editor.toUri(from), newUri: editor.toUri(to) }];
    const edit = await editor.client.sendRequest(WillRenameFilesRequest.type, { files });
    return Object.fromEntries(
      Object.entries(edit?.changes ?? {}).map(([uri, edits]) => {
        const name = fileURLToPath(uri).slice(editor.folder.length + 1);
        return [name, applyTextEdits(FILES[name] ?? '', edits)];
      }),
    );
  }
  const replaceIn = (file: string, ...pairs: readonly (readonly [string, string])[]): string =>
    pairs.reduce((text, [from, to]) => {
      expect(text).to.include(from);
      return text.replace(from, to);
    }, FILES[file] ?? '');

  it('registers for file renames', () => {
    expect(editor.initialized.capabilities.workspace?.fileOperations).to.have.all.keys('willRename', 'didRename');
  });

  it('renames a model that is named after its file, in statements and tests', async () => {
    expect(await move(USER, 'definitions/models/_member.model.json')).to.deep.equal({
      [LIST]: replaceIn(LIST, ['SELECT users.id FROM users', 'SELECT members.id FROM members']),
      [TEST]: replaceIn(TEST, ['"_user"', '"_member"']),
    });
    expect(messages).to.deep.equal([]);
  });

  it('reports why a name is not renamed with its file', async () => {
    expect(await move(USER, 'definitions/models/member.model.json')).to.deep.equal({});
    await waitUntil(() => messages.length > 0, 'a message');
    expect(messages.splice(0)[0]).to.include('_user is not renamed in definitions: "member" cannot be a name here');
  });

  it('updates the globs and folders of the config, and keeps their form', async () => {
    expect(await move('definitions', 'api/all')).to.deep.equal({
      [CONFIG]: replaceIn(CONFIG, ['definitions/**/*.json', 'api/all/**/*.json'], ['!definitions/old', '!api/all/old']),
    });
    expect(await move('my-plugins/limits', 'plugins/bounds')).to.deep.equal({
      [CONFIG]: replaceIn(CONFIG, ['./my-plugins/limits', './plugins/bounds']),
    });
    expect(await move('extra/one.resource.json', 'extra/two.resource.json')).to.deep.equal({
      [CONFIG]: replaceIn(CONFIG, ['extra/one.resource.json', 'extra/two.resource.json']),
    });
  });

  it('updates the paths of a test when their file or the test moves', async () => {
    expect(await move('definitions/pictures/a.png', 'definitions/pictures/b.png')).to.deep.equal({
      [TEST]: replaceIn(TEST, ['pictures/a.png', 'pictures/b.png']),
    });
    expect(await move(TEST, 'definitions/tests/list.test.json')).to.deep.equal({
      [TEST]: replaceIn(TEST, ['pictures/a.png', '../pictures/a.png']),
    });
    expect(await move('definitions/pictures', 'definitions/images')).to.deep.equal({
      [TEST]: replaceIn(TEST, ['pictures/a.png', 'images/a.png']),
    });
  });

  it('changes nothing for a file that nothing names', async () => {
    expect(await move('README.md', 'docs/README.md')).to.deep.equal({});
    expect(await move(LIST, 'definitions/lists.resource.json')).to.deep.equal({});
  });

  it('reads a renamed file without a watcher', async () => {
    const to = 'definitions/models/_person.model.json';
    await rename(join(editor.folder, USER), join(editor.folder, to));
    const files = [{ oldUri: editor.toUri(USER), newUri: editor.toUri(to) }];
    void editor.client.sendNotification(DidRenameFilesNotification.type, { files });
    const found = await editor.waitForDiagnostics(LIST, (all) => all.length > 0);
    expect(found[0]?.message).to.include('users');
  });
});
