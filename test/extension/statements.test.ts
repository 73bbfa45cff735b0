/**
 * Statements in their own editors, in a fake editor: files that write into definitions, and runs that require trust.
 */
import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTempProject, type TempProject } from '../support/project.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Files {
  readonly stat: (uri: object) => Promise<{ readonly size: number }>;
  readonly readFile: (uri: object) => Promise<Uint8Array>;
  readonly writeFile: (uri: object, bytes: Uint8Array) => Promise<void>;
  readonly delete: (uri: object) => void;
}
interface Runner {
  readonly run: (explains: boolean) => Promise<void>;
}

const CONTENT = { sql: 'SELECT 1', parameters: ['email', 5] };
const TEXT = '-- $1 = "email"\n-- $2 = 5\n\nSELECT 1';
const EDIT = { range: { start: { line: 0, character: 1 }, end: { line: 0, character: 9 } }, newText: '"SELECT 2"' };

describe('extension: statements', () => {
  let project: TempProject;
  let kernel: Server;
  let files: Files;
  let runner: Runner;
  let isTrusted = true;
  let written: object = { edits: [EDIT], content: { sql: 'SELECT 2', parameters: [] }, message: null };
  let typed: string | undefined = '"a@b.c"';
  let picked: string | undefined = 'Run and roll back';
  const asked: (readonly [string, object])[] = [];
  const replaced: unknown[] = [];
  const saved: string[] = [];
  const shown: string[] = [];
  const errors: string[] = [];
  const received: { readonly authorization: string | undefined; readonly body: Record<string, unknown> }[] = [];
  const address = { uri: 'file:///p/definitions/a.json', pointer: '/0' };
  const uri = {
    scheme: 'lintel-sql',
    path: '/a 1.sql',
    query: JSON.stringify(address),
    toString: () => `lintel-sql:/a?${encodeURIComponent(JSON.stringify(address))}`,
  };

  before(async () => {
    project = await createTempProject({ 'lintel.config.json': {} });
    kernel = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const body = JSON.parse(text) as Record<string, unknown>;
        received.push({ authorization: request.headers.authorization, body });
        const refusal = { message: 'It writes.', needsConfirmation: true };
        const rows = { rows: [{ id: 1, name: null, at: { b: 'x' } }], hasMore: false, took: 1.5, isWrite: true };
        response.end(JSON.stringify(body['confirmed'] === true ? rows : refusal));
      });
    });
    await new Promise<void>((done) => kernel.listen(0, '127.0.0.1', done));
    class FileSystemError extends Error {
      static FileNotFound = (text: unknown): Error => new Error(`not found: ${String(text)}`);
      static Unavailable = (text: string): Error => new Error(text);
      static NoPermissions = (text: string): Error => new Error(text);
    }
    const vscode = {
      EventEmitter: class {
        readonly event = (): void => undefined;
      },
      FileSystemError,
      FileType: { File: 1 },
      ViewColumn: { Beside: -2 },
      Range: class {
        readonly given: readonly number[];
        constructor(...given: readonly number[]) {
          this.given = given;
        }
      },
      WorkspaceEdit: class {
        replace(...change: readonly unknown[]): void {
          replaced.push(change);
        }
      },
      Uri: {
        parse: (text: string) => ({ text, fsPath: new URL(text).pathname }),
        joinPath: ({ fsPath }: { readonly fsPath: string }, ...parts: readonly string[]) => ({
          fsPath: join(fsPath, ...parts),
        }),
      },
      window: {
        activeTextEditor: { document: { uri, getText: () => TEXT } },
        createOutputChannel: () => ({ appendLine: (text: string) => shown.push(text), show: () => undefined }),
        showErrorMessage: (text: string) => errors.push(text),
        showInputBox: async () => typed,
        showWarningMessage: async () => picked,
      },
      workspace: {
        get isTrusted() {
          return isTrusted;
        },
        applyEdit: async () => true,
        openTextDocument: async ({ text }: { readonly text: string }) => ({ save: async () => saved.push(text) > 0 }),
        registerFileSystemProvider: (_scheme: string, given: Files) => ((files = given), { dispose: () => undefined }),
      },
    };
    const answers: Readonly<Record<string, () => unknown>> = {
      'lintel/statement': () => ({
        ...{ statementUri: '', pointer: '/0', text: TEXT, content: CONTENT },
        ...{ folder: pathToFileURL(project.folder).href, connection: 'main' },
      }),
      'lintel/writeStatement': () => written,
      'lintel/readStatement': () => ({ content: CONTENT, message: null }),
    };
    const sendRequest = async (method: string, params: object): Promise<unknown> => {
      asked.push([method, params]);
      return answers[method]?.();
    };
    const session = { client: () => ({ sendRequest }) };
    const load = (name: string): Promise<object> => loadExtensionModule(`statements/${name}`, vscode);
    ((await load('statement-files')) as { serveStatements: (given: object) => void }).serveStatements(session);
    const { createStatementRunner } = (await load('run-statement')) as {
      createStatementRunner: (given: object) => Runner;
    };
    runner = createStatementRunner(session);
  });
  after(async () => {
    kernel.close();
    await project.dispose();
  });

  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

  it('are files that the server reads', async () => {
    expect(new TextDecoder().decode(await files.readFile(uri))).to.equal(TEXT);
    expect(asked.at(-1)).to.deep.equal(['lintel/statement', address]);
    expect((await files.stat(uri)).size).to.equal(TEXT.length);
    expect(() => files.delete(uri)).to.throw('part of a definition');
  });

  it('are written into the definition, which is saved', async () => {
    await files.writeFile(uri, encode('SELECT 2'));
    expect(asked.at(-1)).to.deep.equal(['lintel/writeStatement', { ...address, before: CONTENT, text: 'SELECT 2' }]);
    expect(replaced).to.have.length(1);
    expect(saved).to.deep.equal([address.uri]);
    expect((await files.stat(uri)).size).to.equal('SELECT 2'.length);
  });

  it('are not written if the server rejects them', async () => {
    written = { edits: [], content: null, message: 'The definition has another statement here.' };
    const refused = await files.writeFile(uri, encode('SELECT 3')).catch((error: Error) => error.message);
    expect(refused).to.equal('The definition has another statement here.');
    expect(saved).to.have.length(1);
  });

  it('do not run without trust, nor without a server', async () => {
    isTrusted = false;
    await runner.run(false);
    expect(errors.pop()).to.include('not trusted');
    isTrusted = true;
    await runner.run(false);
    expect(errors.pop()).to.include('No `lintel dev` of this project runs');
    expect(received).to.deep.equal([]);
  });

  it('run with values that the user enters, and write after a confirmation', async () => {
    const { port } = kernel.address() as AddressInfo;
    await mkdir(join(project.folder, '.lintel'), { recursive: true });
    await writeFile(join(project.folder, '.lintel/dev.json'), JSON.stringify({ port, token: 'the-token' }));
    await runner.run(false);
    expect(errors).to.deep.equal([]);
    expect(received.map(({ body }) => body['confirmed'])).to.deep.equal([false, true]);
    expect(received[1]?.authorization).to.equal('Bearer the-token');
    expect(received[1]?.body).to.deep.include({
      sql: 'SELECT 1',
      parameters: ['a@b.c', 5],
      connection: 'main',
      explain: false,
    });
    expect(shown[0]).to.include('1 row · rolled back').and.to.include('1  | NULL | {"b":"x"}');
    picked = undefined;
    await runner.run(true);
    expect(received.at(-1)?.body).to.deep.include({ explain: true, confirmed: false });
    expect(received).to.have.length(3);
    typed = undefined;
    await runner.run(false);
    expect(received).to.have.length(3);
  });
});
