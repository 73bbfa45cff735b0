/** Outline, workspace symbols and code lenses over the protocol. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CodeLensRequest,
  CodeLensResolveRequest,
  DocumentSymbolRequest,
  WorkspaceSymbolRequest,
  type CodeLens,
  type DocumentSymbol,
  type Location,
  type Range,
  type SymbolInformation,
} from 'vscode-languageserver-protocol';
import { formatLocations } from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { ROOT } from '../support/project.js';

const MODEL = 'definitions/_user.model.json';
const A = 'definitions/a.jsonc';

const FILES = {
  'lintel.config.json': '{ "docs": "", "http": { "port": 80 } }',
  [MODEL]: '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" } }',
  [A]: `// 😀\r
[{ "id": "a-01", "resource": "a/list", "actionables": [
  { "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT id,\\n  email FROM _user WHERE email = $1 AND id <> $2 ORDER BY id", "parameters": ["$PAYLOAD.a", "$PAYLOAD.b"] },
    "extract_response_for": [{ "extract": "email", "for": "found" }] },
  { "id": 2, "mode": "HTTPREQUEST", "http": { "url": "https://x.test/$PAYLOAD.found", "method": "GET" }, "depends_on": [{ "resource_id": "self", "action_ids": [1] }] }] },
 { "_tag": 1 }, { "id": "b-01", "resource": "b", "actionables": [] }]`,
};

describe('language server: symbols and lenses', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: FILES })));
  after(() => editor.close());

  const outline = async (name: string): Promise<DocumentSymbol[]> => {
    const params = { textDocument: { uri: editor.toUri(name) } };
    return ((await editor.client.sendRequest(DocumentSymbolRequest.type, params)) ?? []) as DocumentSymbol[];
  };
  const rows = (tree: readonly DocumentSymbol[], depth = 0): string[] =>
    tree.flatMap(({ name, detail = '', children = [] }) => [
      `${'  '.repeat(depth)}${name}${detail === '' ? '' : ` | ${detail}`}`,
      ...rows(children, depth + 1),
    ]);

  it('shows resources with their actionables', async () => {
    expect(rows(await outline(A))).to.deep.equal([
      'a-01 | a/list',
      '  1 QUERY | SELECT id, email FROM _user WHERE email = $1 AND …',
      '  2 HTTPREQUEST | https://x.test/$PAYLOAD.found',
      'b-01 | b',
    ]);
  });

  it('shows models with their fields, and sections of the config', async () => {
    expect(rows(await outline(MODEL))).to.deep.equal(['_user', '  id | String', '  email | String']);
    expect(rows(await outline('lintel.config.json'))).to.deep.equal(['docs', 'http']);
  });

  it('keeps the range of each name inside the range of its symbol, in half-typed text too', async () => {
    const text = FILES[A];
    for (let end = 0; end < text.length; end += 7) {
      editor.open(A, text.slice(0, end));
      for (const symbol of flat(await outline(A))) {
        expect(holds(symbol.range, symbol.selectionRange), JSON.stringify(symbol)).to.equal(true);
        expect(symbol.name).not.to.equal('');
      }
    }
    editor.open(A, text);
  });

  const findSymbols = async (query: string): Promise<SymbolInformation[]> =>
    ((await editor.client.sendRequest(WorkspaceSymbolRequest.type, { query })) ?? []) as SymbolInformation[];

  it('finds names of the workspace by some of their letters, the best match first', async () => {
    expect((await findSymbols('a-01')).map(({ name }) => name)).to.deep.equal(['a-01']);
    expect((await findSymbols('eml')).map(({ name, containerName }) => [name, containerName])).to.deep.equal([
      ['email', '_user'],
    ]);
    expect((await findSymbols('a/l')).map(({ name }) => name)).to.deep.equal(['a-01']);
    expect((await findSymbols('fnd')).map(({ name, containerName }) => [name, containerName])).to.deep.equal([
      ['found', 'a-01'],
    ]);
    expect(await findSymbols('zzz')).to.deep.equal([]);
    expect((await findSymbols('')).map(({ name }) => name)).to.include.members(['_user', 'a-01', 'b-01', 'email']);
  });

  const requestLenses = async (name: string): Promise<CodeLens[]> => {
    const params = { textDocument: { uri: editor.toUri(name) } };
    return (await editor.client.sendRequest(CodeLensRequest.type, params)) ?? [];
  };

  it('shows lenses over resources, models and names, and counts on request', async () => {
    editor.open(A, FILES[A]);
    const lenses = await requestLenses(A);
    expect(lenses.filter(({ command }) => command === undefined)).to.have.length(3);
    expect(lenses.flatMap(({ command }) => command ?? [])).to.deep.include.members([
      { title: 'Send request', command: 'lintel.sendRequest', arguments: [editor.toUri(A), 'a-01'] },
      { title: 'Show plan', command: 'lintel.showPlan', arguments: [editor.toUri(A), 'b-01'] },
    ]);
    const [model] = await requestLenses(MODEL);
    const { command } = await editor.client.sendRequest(CodeLensResolveRequest.type, model as CodeLens);
    expect(command).to.include({ title: '1 reference', command: 'lintel.showReferences' });
    const [uri, position, locations] = (command?.arguments ?? []) as [string, Range['start'], Location[]];
    expect([uri, position]).to.deep.equal([editor.toUri(MODEL), { line: 0, character: 0 }]);
    expect(await formatLocations(editor, locations)).to.deep.equal([`${A}:3:81 _user`]);
    const titles = await Promise.all(
      lenses
        .filter((lens) => lens.command === undefined)
        .map(async (lens) => (await editor.client.sendRequest(CodeLensResolveRequest.type, lens)).command?.title),
    );
    expect(titles).to.deep.equal(['1 reference', '1 reference', '0 references']);
    const manifest = await readFile(join(ROOT, 'extension', 'package.json'), 'utf8');
    for (const id of ['lintel.showReferences', 'lintel.sendRequest', 'lintel.showPlan'])
      expect(manifest, 'a command of the extension').to.contain(`"command": "${id}"`);
  });

  it('returns an outdated lens unchanged', async () => {
    const lens = {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      data: { uri: 'untitled:1', key: 'x' },
    };
    expect((await editor.client.sendRequest(CodeLensResolveRequest.type, lens)).command?.title).to.equal(
      '0 references',
    );
  });
});

const flat = (tree: readonly DocumentSymbol[]): DocumentSymbol[] =>
  tree.flatMap((one) => [one, ...flat(one.children ?? [])]);

const isBefore = (a: Range['start'], b: Range['start']): boolean =>
  a.line < b.line || (a.line === b.line && a.character <= b.character);
const holds = (outer: Range, inner: Range): boolean =>
  isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
