/**
 * An editor and the language server, in one process and joined by two streams, or in a separate process like in an
 * editor: requests and notifications of a client, over the real protocol, in a separate project folder. Waits for
 * notifications, never for time.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createConnection,
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver/node';
import {
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  LogMessageNotification,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  type CompletionItem,
  type Diagnostic,
  type InitializeResult,
  type Position,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol';
import { serve } from '../../language-server/server.js';
import { ROOT } from './project.js';
import { applyTextEdits, parseMarked, renderSnippet, type MarkedSource } from './marked-source.js';

export interface Editor {
  readonly folder: string;
  readonly client: ProtocolConnection;
  readonly initialized: InitializeResult;
  /** Errors that the server has logged; a test with any has failed (`close`). */
  readonly errors: string[];
  /** Warnings that it has logged. */
  readonly warnings: string[];
  /** The process id of a server of its own; null: it is in this process. */
  readonly pid: number | null;
  toUri(name: string): string;
  /** Opens a file of the project, with the text on disk or this one; marks are removed. `language`: its language id. */
  open(name: string, source: string, language?: string): MarkedSource & { readonly uri: string };
  /** Types: the whole text is replaced. */
  changeDocument(name: string, source: string): MarkedSource & { readonly uri: string };
  closeDocument(name: string): void;
  /** Writes files of the project and notifies the server. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Diagnostics of the version of the file that is open now. */
  diagnostics(name: string): Promise<readonly Diagnostic[]>;
  /** The next diagnostics of a file that satisfy a condition; the latest ones count too. */
  waitForDiagnostics(
    name: string,
    meets: (diagnostics: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]>;
  /** Completion at the caret of a marked text. */
  requestCompletion(name: string, source: string): Promise<CompletionResult>;
  close(): Promise<void>;
}

export interface CompletionResult {
  readonly items: readonly CompletionItem[];
  readonly labels: readonly string[];
  /** The text of the file after an item was accepted, with `‸` where the caret may stop. */
  readonly accept: (label: string) => string;
}

interface Options {
  /** Files of the project, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly trusted?: boolean;
  /** A database checks statements while they are written; false where a test is not about that. */
  readonly database?: boolean;
  /** Starts `lintel lsp --stdio`. */
  readonly isSpawned?: boolean;
  /** Milliseconds without a keystroke before diagnostics are published. */
  readonly pause?: number;
  readonly capabilities?: object;
  /** False: a client that leaves out the notification `initialized`. */
  readonly notifies?: boolean;
  /** The folder that will contain the project folder. */
  readonly under?: string;
  /** False: a window in which no folder is open. */
  readonly hasFolder?: boolean;
  /** Called when the files exist and the server has not read them yet. */
  readonly before?: (project: { readonly folder: string }) => Promise<void>;
}

export async function openEditor({
  files = {},
  trusted = true,
  database = false,
  isSpawned = false,
  pause,
  capabilities = {},
  notifies = true,
  under = tmpdir(),
  hasFolder = true,
  before,
}: Options = {}): Promise<Editor> {
  const folder = await realpath(await mkdtemp(join(under, 'lintel-editor-')));
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries({ 'lintel.config.json': '{}', ...files })) await put(name, text);

  await before?.({ folder });
  const server = isSpawned ? spawnServer(folder) : startServer();
  const client = createProtocolConnection(
    new StreamMessageReader(server.output),
    new StreamMessageWriter(server.input),
  );
  const errors: string[] = [];
  const warnings: string[] = [];
  const reported = new Map<string, PublishDiagnosticsParams>();
  const waiting = new Set<() => void>();
  /** Folders of projects for which further diagnostics follow without an edit. */
  const unfinished = new Set<string>();
  client.onNotification(LogMessageNotification.type, ({ type, message }) => {
    if (type === 1) errors.push(message);
    if (type === 2) warnings.push(message);
  });
  client.onNotification(PublishDiagnosticsNotification.type, (params) => {
    reported.set(params.uri, params);
    for (const look of [...waiting]) look();
  });
  client.onNotification('lintel/reading', ({ root }: { readonly root: string }) => void unfinished.add(root));
  client.onNotification('lintel/status', ({ root }: { readonly root: string }) => {
    unfinished.delete(root);
    for (const look of [...waiting]) look();
  });
  client.onRequest(RegistrationRequest.type, () => undefined);
  client.listen();
  const toUri = (name: string): string => pathToFileURL(join(folder, name)).href;
  const initialized = await client.sendRequest(InitializeRequest.type, {
    // The server runs in this process: there is no other one to watch.
    processId: null,
    rootUri: hasFolder ? pathToFileURL(folder).href : null,
    workspaceFolders: hasFolder ? [{ uri: pathToFileURL(folder).href, name: 'test' }] : null,
    // A busy machine must not shorten a list of completions.
    initializationOptions: { trusted, database, offerTime: 60_000, ...(pause !== undefined && { pause }) },
    capabilities: {
      textDocument: {
        completion: { completionItem: { snippetSupport: true } },
        publishDiagnostics: { versionSupport: true, relatedInformation: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      },
      workspace: { workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
      ...capabilities,
    },
  });
  if (notifies) void client.sendNotification(InitializedNotification.type, {});

  const versions = new Map<string, number>();
  const wait = (name: string, meets: (params: PublishDiagnosticsParams) => boolean): Promise<readonly Diagnostic[]> =>
    new Promise((resolve) => {
      const checkDiagnostics = (): void => {
        const params = reported.get(toUri(name));
        if (params === undefined || !meets(params)) return;
        waiting.delete(checkDiagnostics);
        resolve(params.diagnostics);
      };
      waiting.add(checkDiagnostics);
      checkDiagnostics();
    });

  const editor: Editor = {
    folder,
    client,
    initialized,
    errors,
    warnings,
    pid: server.pid,
    toUri,
    open(name, source, language = 'lintel') {
      if (versions.has(name)) return editor.changeDocument(name, source);
      const found = parseMarked(source);
      versions.set(name, 1);
      const textDocument = { uri: toUri(name), languageId: language, version: 1, text: found.text };
      void client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
      return { ...found, uri: toUri(name) };
    },
    changeDocument(name, source) {
      const found = parseMarked(source);
      const version = (versions.get(name) ?? 0) + 1;
      versions.set(name, version);
      void client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: toUri(name), version },
        contentChanges: [{ text: found.text }],
      });
      return { ...found, uri: toUri(name) };
    },
    closeDocument(name) {
      versions.delete(name);
      void client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: toUri(name) } });
    },
    async write(changed) {
      for (const [name, text] of Object.entries(changed)) await put(name, text);
      const changes = Object.keys(changed).map((name) => ({ uri: toUri(name), type: 2 as const }));
      void client.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    },
    diagnostics: (name) =>
      wait(name, ({ version }) => {
        const isFinished = ![...unfinished].some((root) => toUri(name).startsWith(`${root}/`));
        return isFinished && version === versions.get(name);
      }),
    waitForDiagnostics: (name, meets) => wait(name, ({ diagnostics }) => meets(diagnostics)),
    async requestCompletion(name, source) {
      const { text, caret } = editor.open(name, source);
      const position = caret as Position;
      const answer = await client.sendRequest(CompletionRequest.type, { textDocument: { uri: toUri(name) }, position });
      const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
      return { items, labels: items.map(({ label }) => label), accept: (label) => acceptItem(text, items, label) };
    },
    async close() {
      await client.sendRequest(ShutdownRequest.type);
      await server.leave(client);
      client.dispose();
      await rm(folder, { recursive: true, force: true });
      if (errors.length > 0) throw new Error(`the server logged errors:\n${errors.join('\n')}`);
    },
  };
  return editor;
}

interface StartedServer {
  readonly input: NodeJS.WritableStream;
  readonly output: NodeJS.ReadableStream;
  readonly pid: number | null;
  /** After `shutdown`. */
  leave(client: ProtocolConnection): Promise<void>;
}

function startServer(): StartedServer {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  serve(server, '0.0.0-test');
  // No `exit`: it would end this process.
  return { input, output, pid: null, leave: async () => server.dispose() };
}

function spawnServer(folder: string): StartedServer {
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, 'dist/cli/bin.js'), 'lsp', '--stdio'], {
    cwd: folder,
    stdio: [...stdio],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the server has no streams');
  return {
    input: stdin,
    output: stdout,
    pid: child.pid ?? null,
    async leave(client) {
      const ended = once(child, 'exit');
      await client.sendNotification(ExitNotification.type);
      await ended;
    },
  };
}

function acceptItem(text: string, items: readonly CompletionItem[], label: string): string {
  const item = items.find((one) => one.label === label);
  if (item === undefined) {
    throw new Error(`"${label}" is not offered, but ${items.map((one) => one.label).join(', ') || 'nothing'}`);
  }
  const edit = item.textEdit;
  if (edit === undefined || !('range' in edit)) throw new Error(`"${label}" has no edit`);
  const newText = item.insertTextFormat === 2 ? renderSnippet(edit.newText) : edit.newText;
  return applyTextEdits(text, [{ range: edit.range, newText }, ...(item.additionalTextEdits ?? [])]);
}
