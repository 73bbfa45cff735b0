/**
 * `lintel lsp --stdio` as an editor starts it: a process that writes only protocol messages to its streams, and leaves
 * nothing behind when the editor exits.
 */
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver/node';
import {
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  type InitializeResult,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol';
import { runCli } from '../support/cli.js';
import { ROOT, createTempProject, type Files, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const CLI = join(ROOT, 'dist', 'bundle', 'cli.js');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

/** Writes its process id, and never ends. */
const ENDLESS = `
import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./ran.txt', import.meta.url), String(process.pid));
await new Promise((done) => setTimeout(done, 60000));
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('language server: its process', function () {
  const projects: TempProject[] = [];
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const project of projects.splice(0)) await project.dispose();
  });

  async function start(files: Files) {
    const project = await createTempProject(files);
    projects.push(project);
    const child = spawn(process.execPath, [CLI, 'lsp', '--stdio'], { cwd: project.folder });
    children.push(child);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const client = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    client.listen();
    const uri = pathToFileURL(project.folder).href;
    const initialized: InitializeResult = await client.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'test' }],
      initializationOptions: { trusted: true },
      capabilities: {},
    });
    return { project, child, client, uri, initialized, output: () => output };
  }

  async function leave(client: ProtocolConnection, child: ChildProcess): Promise<unknown> {
    const ended = once(child, 'exit');
    await client.sendRequest(ShutdownRequest.type);
    await client.sendNotification(ExitNotification.type);
    const [code] = (await ended) as unknown[];
    client.dispose();
    return code;
  }

  it('responds, checks a file, and ends with the editor', async () => {
    const { child, client, uri, initialized, output } = await start({ 'definitions/a.json': {} });
    expect(initialized.serverInfo).to.deep.equal({ name: 'lintel', version });
    const file = `${uri}/definitions/a.json`;
    const published = new Promise<PublishDiagnosticsParams>((resolve) =>
      client.onNotification(PublishDiagnosticsNotification.type, (params) => {
        if (params.uri === file && params.diagnostics.length > 0) resolve(params);
      }),
    );
    void client.sendNotification(InitializedNotification.type, {});
    const text = '{ "id": "a", "resorce": "a", "actionables": [] }';
    const textDocument = { uri: file, languageId: 'lintel', version: 1, text };
    void client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    expect((await published).diagnostics.map(({ code }) => code)).to.include('DEF_UNKNOWN_KEY');
    expect(await leave(client, child)).to.equal(0);
    expect(output()).to.equal('');
  });

  it('stops the process that reads specs', async () => {
    const { project, child, client } = await start({
      'lintel.config.json': { plugins: ['builtin:*', './own'] },
      'own/spec.mjs': ENDLESS,
    });
    void client.sendNotification(InitializedNotification.type, {});
    let pid = 0;
    await waitUntil(async () => {
      pid = Number(await readFile(join(project.folder, 'own/ran.txt'), 'utf8').catch(() => '0'));
      return pid > 0;
    }, 'the specs run');
    expect(await leave(client, child)).to.equal(0);
    await waitUntil(() => !isAlive(pid), 'they are over');
  });

  it('is started by editors only, and prints that', async () => {
    const { code, stdout, stderr } = await runCli(['lsp'], { cwd: ROOT });
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.contain('--stdio');
  });
});
