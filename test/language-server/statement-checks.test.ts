/**
 * A database checks statements while they are typed: in another process, after the diagnostics of the server, and only
 * in a trusted workspace with the setting on.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import {
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  PublishDiagnosticsNotification,
  type Diagnostic,
  type MarkupContent,
} from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

const NOTE = { id: { type: 'Number', primary_key: true, auto_increment: true }, text: { type: 'String' } };
const FILE = 'definitions/a.resource.json';
const MODEL = 'definitions/_note.model.json';

const writeModel = (fields: object = {}): string => JSON.stringify({ ...NOTE, ...fields });
const writeResource = (query: string, parameters: readonly unknown[] = []): string =>
  JSON.stringify({
    id: 'a',
    resource: 'a',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { title: { type: 'STRING' } } }],
        sql_query: { query, parameters },
      },
    ],
  });
const VALID = writeResource('SELECT lower(text) AS t, count(*) AS n FROM notes WHERE text = $1 GROUP BY 1', ['title']);
const WRONG = writeResource('SELECT lowerr(text) AS t, count(*) AS n FROM notes WHERE text = $1 GROUP BY 1', ['title']);

const listMessages = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.flatMap(({ code, message }) => (code === 'SQL_REFUSED' && typeof message === 'string' ? [message] : []));
const isRefused = (diagnostics: readonly Diagnostic[]): boolean => listMessages(diagnostics).length > 0;
const isSound = (diagnostics: readonly Diagnostic[]): boolean => !isRefused(diagnostics);

/** Process ids. */
const listChildren = (pid: number | null): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('language server: statements checked by a database', function () {
  const open: Editor[] = [];
  afterEach(async () => {
    for (const editor of open.splice(0)) await editor.close();
  });
  async function start(options: Parameters<typeof openEditor>[0] = {}): Promise<Editor> {
    const files = { [MODEL]: writeModel(), [FILE]: WRONG };
    const editor = await openEditor({ files, isSpawned: true, database: true, pause: 0, ...options });
    open.push(editor);
    return editor;
  }

  it('are checked in their own editor before they are saved', async () => {
    const editor = await start({ files: { [MODEL]: writeModel(), [FILE]: VALID } });
    const statement = await editor.client.sendRequest<{ statementUri: string; text: string }>('lintel/statement', {
      uri: editor.toUri(FILE),
      pointer: '/actionables/0/sql_query/query',
    });
    const uri = statement.statementUri;
    const found: Diagnostic[][] = [];
    editor.client.onNotification(PublishDiagnosticsNotification.type, ({ uri: of, diagnostics }) => {
      if (of === uri) found.push(diagnostics);
    });
    const text = statement.text.replace('lower(', 'lowerr(');
    const textDocument = { uri, languageId: 'sql', version: 1, text };
    void editor.client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    await waitUntil(() => found.some(isRefused), 'what the database finds');
    const [problem] = (found.at(-1) ?? []).filter(({ code }) => code === 'SQL_REFUSED');
    const line = text.split('\n').findIndex((one) => one.includes('lowerr'));
    expect(problem?.range.start).to.deep.equal({ line, character: text.split('\n')[line]?.indexOf('lowerr') });
    void editor.client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: statement.text }],
    });
    await waitUntil(() => isSound(found.at(-1) ?? []), 'its end');
  });

  it('are reported at their position after the other diagnostics; types are shown; the process ends with the server', async () => {
    const editor = await start();
    editor.open(FILE, WRONG);
    // The first diagnostics do not wait for the process, which has not begun then.
    expect(isSound(await editor.diagnostics(FILE))).to.equal(true);
    const [found] = (await editor.waitForDiagnostics(FILE, isRefused)).filter(({ code }) => code === 'SQL_REFUSED');
    const at = WRONG.indexOf('lowerr');
    expect(found?.range).to.deep.equal({
      start: { line: 0, character: at },
      end: { line: 0, character: at + 'lowerr'.length },
    });
    expect(found?.message).to.contain('Did you mean "lower"?');

    // A fix removes it, a mistake adds it again: within 150 ms after the diagnostics.
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      editor.changeDocument(FILE, VALID);
      await editor.waitForDiagnostics(FILE, isSound);
      editor.changeDocument(FILE, writeResource(`SELECT lowerr(text) AS t${round} FROM notes`));
      await editor.diagnostics(FILE);
      const elapsed = startStopwatch();
      await editor.waitForDiagnostics(FILE, isRefused);
      times.push(elapsed());
    }
    expect(Math.min(...times)).to.be.lessThan(150);

    editor.changeDocument(FILE, VALID);
    await editor.waitForDiagnostics(FILE, isSound);
    const hover = async (character: number): Promise<string> => {
      const textDocument = { uri: editor.toUri(FILE) };
      const shown = await editor.client.sendRequest(HoverRequest.type, {
        textDocument,
        position: { line: 0, character },
      });
      return (shown?.contents as MarkupContent | undefined)?.value ?? '';
    };
    await waitUntil(async () => (await hover(VALID.indexOf('SELECT'))).includes('Returns'), 'the types are known');
    expect(await hover(VALID.indexOf('SELECT'))).to.contain('Returns `t text`, `n bigint`\n\nTakes `$1 text`');
    expect(await hover(VALID.indexOf('$1'))).to.contain('Type in the database: `text`');
    expect(await hover(VALID.indexOf('"title"]') + 1)).to.contain('Type in the database: `text`');

    // A changed model makes its table anew; a script of the project adds to it.
    const typed = writeResource('SELECT abs(text) AS t, slug(text) AS s FROM notes');
    editor.changeDocument(FILE, typed);
    const [before] = listMessages(await editor.waitForDiagnostics(FILE, isRefused));
    expect(before).to.contain('abs(text)');
    await editor.write({ [MODEL]: JSON.stringify({ ...NOTE, text: { type: 'Number' } }) });
    const after = await editor.waitForDiagnostics(FILE, (all) => listMessages(all)[0]?.includes('slug') === true);
    expect(listMessages(after)[0]).to.contain('slug(bigint)');
    await editor.write({
      'migrations/1.sql': "CREATE FUNCTION slug(bigint) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    });
    await editor.waitForDiagnostics(FILE, isSound);

    const [child] = listChildren(editor.pid);
    expect(child).to.be.a('number');
    open.pop();
    await editor.close();
    await waitUntil(() => !isAlive(child ?? 0), 'the process is over');
  });

  it('are checked again after a crash, which is logged', async () => {
    const editor = await start();
    editor.open(FILE, WRONG);
    await editor.waitForDiagnostics(FILE, isRefused);
    process.kill(listChildren(editor.pid)[0] ?? 0, 'SIGKILL');
    await waitUntil(() => editor.warnings.length > 0, 'it is logged');
    editor.changeDocument(FILE, VALID);
    await editor.waitForDiagnostics(FILE, isSound);
    editor.changeDocument(FILE, writeResource('SELECT uper(text) AS t FROM notes'));
    expect(listMessages(await editor.waitForDiagnostics(FILE, isRefused))[0]).to.contain('uper(text)');
    expect(editor.warnings).to.deep.equal([
      'The process that checks statements has ended (SIGKILL); it is started again.',
    ]);
  });

  for (const [name, options] of [
    ['the setting is off', { database: false }],
    ['the workspace is not trusted', { trusted: false }],
  ] as const)
    it(`are not asked about, and no process is started, where ${name}`, async () => {
      const before = listChildren(process.pid);
      const editor = await start({ ...options, isSpawned: false });
      for (const text of [WRONG, VALID, WRONG]) {
        editor.open(FILE, text);
        expect(listMessages(await editor.diagnostics(FILE))).to.deep.equal([]);
      }
      // Each of these would have started a process.
      expect(listChildren(process.pid)).to.deep.equal(before);
    });
});
