/** Parts of a diagnostic besides its message, over the protocol: tags, links and related locations. */
import { expect } from 'chai';
import { join } from 'node:path';
import { DiagnosticTag, type Diagnostic } from 'vscode-languageserver-protocol';
import { createFault } from '../../contract/fault.js';
import { createErrorResponse } from '../../language/problems/problem-details.js';
import { CATALOGUE } from '../../language/problems/catalogue.js';
import { REQUEST_CODES } from '../../language/problems/request-codes.js';
import { openProject } from '../../language-server/project.js';
import { createWorkspace } from '../../language-server/workspace.js';
import { toDiagnostic } from '../../language-server/diagnostics.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';
const DOCS = 'https://docs.example.com/errors/';
const TEXT = `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "RETURN", "value": {},
  "payload_validation": [{ "field": { "count": { "type": "NUMBER" } }, "max_length": 5 }] }, { "id": 1, "mode": "RETURN", "value": {} }] }`;

describe('language server: parts of a diagnostic', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor()));
  after(() => editor.close());

  const diagnoseWithConfig = async (config: string) => {
    editor.open('lintel.config.json', config);
    await editor.diagnostics('lintel.config.json');
    editor.open(FILE, TEXT);
    return editor.diagnostics(FILE);
  };

  it('has the tag "unnecessary" where the catalogue says so', async () => {
    const found = await diagnoseWithConfig('{}');
    expect(found.find(({ code }) => code === 'VAL_BOUND_UNUSED')?.tags).to.deep.equal([DiagnosticTag.Unnecessary]);
    expect(found.find(({ code }) => code === 'LNK_DUPLICATE_ACTION')).not.to.have.property('tags');
    expect(CATALOGUE['DEF_DEPRECATED']?.tag).to.equal('deprecated');
    expect(CATALOGUE['LNK_RULE_UNUSED']?.tag).to.equal('unnecessary');
  });

  it('links to the page that is the problem type of error responses', async () => {
    const found = await diagnoseWithConfig(JSON.stringify({ docs: DOCS }));
    expect(found.map(({ code }) => code)).to.include('LNK_DUPLICATE_ACTION');
    for (const { code, codeDescription } of found) expect(codeDescription?.href).to.equal(DOCS + String(code));
    const { body } = createErrorResponse(createFault('INT_UNEXPECTED'), 'r', REQUEST_CODES, DOCS);
    expect(body.type).to.equal(`${DOCS}INT_UNEXPECTED`);
  });

  it('has no link where there is no page', async () => {
    for (const { codeDescription } of await diagnoseWithConfig('{}')) expect(codeDescription).to.equal(undefined);
  });

  it('has related locations', async () => {
    const found = await diagnoseWithConfig('{}');
    const [related] = found.find(({ code }) => code === 'LNK_DUPLICATE_ACTION')?.relatedInformation ?? [];
    expect(related?.location.uri).to.equal(editor.toUri(FILE));
    expect(related?.message).to.match(/^actionable 1 stands here first$/);
  });
});

describe('language server: the first diagnostics', () => {
  const text = `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "RETURNS", "value": {} },
    { "id": 2, "mode": "RETURN", "value": {}, "depends_on": [{ "resource_id": "nobody", "action_ids": [1] }] }] }`;
  const codes = (found: readonly Diagnostic[]): unknown[] => found.map(({ code }) => code);

  it('are reported from an open file alone, and more after the others have been read', async () => {
    const editor = await openEditor();
    editor.open(FILE, text);
    const first = codes(await editor.waitForDiagnostics(FILE, (found) => found.length > 0));
    expect(first).to.include('DEF_UNKNOWN_PLUGIN').and.not.include('LNK_UNKNOWN_RESOURCE');
    const all = codes(await editor.diagnostics(FILE));
    expect(all).to.include.members([...first, 'LNK_UNKNOWN_RESOURCE']);
    await editor.close();
  });

  it('are published before the config and the other definitions are read', async () => {
    const editor = await openEditor({ files: { [FILE]: text } });
    const name = join(editor.folder, FILE);
    const glimpses: string[] = [];
    let glimpsed = (): void => undefined;
    const reported = new Promise<void>((resolve) => (glimpsed = resolve));
    let goOn = (): void => undefined;
    const workspace = createWorkspace({
      trusted: () => false,
      quiet: new Promise((resolve) => (goOn = resolve)),
      onPreloaded: (project) => {
        expect(project.isRead).to.equal(false);
        expect([...project.files.keys()]).to.deep.equal([name]);
        glimpses.push(...project.checkFile(name).map(({ code }) => code));
        glimpsed();
      },
    });
    workspace.addFolders([editor.folder]);
    workspace.begin();
    const whole = workspace.setText(name, text);
    await reported;
    expect(glimpses).to.include('DEF_UNKNOWN_PLUGIN').and.not.include('LNK_UNKNOWN_RESOURCE');
    goOn();
    const project = await whole;
    expect(project?.isRead).to.equal(true);
    expect(project?.getSnapshot().problems.map(({ code }) => code)).to.include.members([
      ...glimpses,
      'LNK_UNKNOWN_RESOURCE',
    ]);
    await editor.close();
  });

  it('need no analysis of the project', async () => {
    const config = JSON.stringify({ docs: DOCS });
    const editor = await openEditor({ files: { 'lintel.config.json': config, [FILE]: text } });
    const project = await openProject(editor.folder, { trusted: () => false }).loaded;
    const first = project.checkFile(join(editor.folder, FILE)).map((problem) => toDiagnostic(problem, project, String));
    expect(codes(first)).to.include('DEF_UNKNOWN_PLUGIN');
    expect(first[0]?.codeDescription?.href).to.equal(`${DOCS}DEF_UNKNOWN_PLUGIN`);
    expect(project.getComputedSnapshot()).to.equal(null);
    project.getSnapshot();
    expect(project.getComputedSnapshot()).not.to.equal(null);
    await editor.close();
  });

  it('report no name that may belong to an unknown plugin, even if the registry was discarded', async () => {
    const config = JSON.stringify({ plugins: ['./mine'] });
    const spec = { 'mine/spec.ts': 'export default {};\n', 'mine/runtime.ts': 'export default {};\n' };
    const editor = await openEditor({ trusted: false, files: { 'lintel.config.json': config, ...spec } });
    editor.open(FILE, text);
    expect(codes(await editor.waitForDiagnostics(FILE, () => true))).not.to.include('DEF_UNKNOWN_PLUGIN');
    const [list] = await editor.waitForDiagnostics('lintel.config.json', (found) => found.length > 0);
    expect(list?.code).to.equal('PLG_UNREAD');
    expect(codes(await editor.diagnostics(FILE))).not.to.include('DEF_UNKNOWN_PLUGIN');
    await editor.close();
  });
});

describe('language server: the first statement of a project', () => {
  it('is parsed while it is typed, before the file is saved', async () => {
    const editor = await openEditor();
    const formatQueryResource = (query: string): string =>
      `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": { "query": "${query}" } }] }`;
    editor.open(FILE, '{ "id": "a" }');
    await editor.diagnostics(FILE);
    editor.changeDocument(FILE, formatQueryResource('SELECT FROM WHERE 1'));
    expect((await editor.diagnostics(FILE)).map(({ code }) => code)).to.include('SQL_SYNTAX');
    editor.changeDocument(FILE, formatQueryResource('SELECT 1 AS one'));
    expect((await editor.diagnostics(FILE)).map(({ code }) => code)).not.to.include('SQL_SYNTAX');
    await editor.close();
  });
});
