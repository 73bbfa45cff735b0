/** A headless LSP client: starts a language server as a process, edits one file, and waits for its messages. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import {
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  FileChangeType,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  LogMessageNotification,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  type Diagnostic,
  type Position,
  type PublishDiagnosticsParams,
  type ServerCapabilities,
} from 'vscode-languageserver-protocol';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { onCleanup } from '../cleanup.js';

/** Milliseconds until a missing message ends the run. */
const TIMEOUT = 60_000;

export interface Client {
  readonly pid: number;
  /** Milliseconds from the start of the process to the response to `initialize`. */
  readonly startMs: number;
  readonly capabilities: ServerCapabilities;
  /** Milliseconds since the start of the process. */
  sinceStart(): number;
  open(text: string): void;
  /** Replaces the range `[start, end)`. */
  edit(start: number, end: number, text: string): void;
  /** Replaces the whole text. */
  replace(text: string): void;
  /** The first diagnostics of the current version. */
  waitForDiagnostics(): Promise<readonly Diagnostic[]>;
  /** Diagnostics of the current version, after the analysis of the whole project (Lintel only). */
  waitForAllDiagnostics(): Promise<readonly Diagnostic[]>;
  /** Labels and inserted texts. */
  fetchCompletions(offset: number): Promise<readonly string[]>;
  fetchHover(offset: number): Promise<string>;
  /** Sends `workspace/didChangeWatchedFiles`. */
  noteChange(...files: readonly string[]): void;
  /** Resolves with the next diagnostics of the open file. */
  waitForNext(): Promise<unknown>;
  /** Resolves when all diagnostics are published after `work` (Lintel only). */
  waitForPublication(work: () => void): Promise<void>;
  /** Resolves when Lintel has reported this number of resources. */
  waitForIndex(resources: number): Promise<void>;
  close(): Promise<void>;
}

export interface EditorClientOptions {
  readonly command: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The opened file, relative to the folder. */
  readonly file: string;
}

export async function startClient({ command, env, folder, file }: EditorClientOptions): Promise<Client> {
  const started = performance.now();
  const [program = '', ...words] = command;
  const child = spawn(program, words, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const forget = onCleanup(async () => void child.kill('SIGKILL'));
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const uri = pathToFileURL(join(folder, file)).href;
  const checks = new Set<() => void>();
  const recheckAll = (): void => [...checks].forEach((check) => check());
  let reported: PublishDiagnosticsParams | null = null;
  let indexed = -1;
  let [whole, published] = [false, 0];
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    if (params.uri !== uri) return;
    reported = params;
    recheckAll();
  });
  connection.onNotification('lintel/status', ({ resources }: { readonly resources: number }) => {
    indexed = resources;
    whole = true;
    published++;
    recheckAll();
  });
  connection.onNotification(LogMessageNotification.type, ({ type, message }) => {
    if (type === 1) process.stderr.write(`server: ${message}\n`);
  });
  connection.onRequest(RegistrationRequest.type, () => undefined);
  connection.listen();

  const waitUntil = <T>(what: string, find: () => T | null): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within ${TIMEOUT} ms`)), TIMEOUT);
      const check = (): void => {
        const found = find();
        if (found === null) return;
        clearTimeout(timer);
        checks.delete(check);
        resolve(found);
      };
      checks.add(check);
      check();
    });

  const folderUri = pathToFileURL(folder).href;
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: folderUri,
    workspaceFolders: [{ uri: folderUri, name: 'bench' }],
    // Measures computation: without the delay before diagnostics, and without the process that checks statements.
    initializationOptions: { trusted: true, database: false, pause: 0 },
    capabilities: {
      textDocument: {
        completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
        hover: { contentFormat: ['markdown'] },
        publishDiagnostics: { versionSupport: true },
      },
      workspace: { workspaceFolders: true },
    },
  });
  const startMs = performance.now() - started;
  void connection.sendNotification(InitializedNotification.type, {});

  let document = TextDocument.create(uri, 'lintel', 0, '');
  const send = (changes: readonly { range?: { start: Position; end: Position }; text: string }[]): void => {
    document = TextDocument.update(document, [...changes], document.version + 1);
    void connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: document.version },
      contentChanges: changes.map(({ range, text }) => (range === undefined ? { text } : { range, text })),
    });
  };
  const at = (offset: number): { textDocument: { uri: string }; position: Position } => ({
    textDocument: { uri },
    position: document.positionAt(offset),
  });

  return {
    pid: child.pid ?? 0,
    startMs,
    capabilities,
    sinceStart: () => performance.now() - started,
    open(text) {
      document = TextDocument.create(uri, 'lintel', 1, text);
      const textDocument = { uri, languageId: 'lintel', version: 1, text };
      whole = false;
      void connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    },
    edit: (start, end, text) =>
      send([{ range: { start: document.positionAt(start), end: document.positionAt(end) }, text }]),
    replace: (text) => send([{ text }]),
    waitForDiagnostics: () =>
      waitUntil('diagnostics', () => (reported?.version === document.version ? reported.diagnostics : null)),
    waitForAllDiagnostics: () =>
      waitUntil('all diagnostics', () =>
        whole && reported?.version === document.version ? reported.diagnostics : null,
      ),
    async fetchCompletions(offset) {
      const answer = await connection.sendRequest(CompletionRequest.type, at(offset));
      const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
      return items.map((item) => `${item.label} ${item.insertText ?? item.textEdit?.newText ?? ''}`);
    },
    async fetchHover(offset) {
      if (capabilities.hoverProvider === undefined) return '';
      return JSON.stringify(await connection.sendRequest(HoverRequest.type, at(offset)));
    },
    noteChange(...names) {
      const type = FileChangeType.Changed;
      const changes = names.map((name) => ({ uri: pathToFileURL(join(folder, name)).href, type }));
      void connection.sendNotification(DidChangeWatchedFilesNotification.method, { changes });
    },
    waitForNext() {
      const before = reported;
      return waitUntil('next diagnostics', () => (reported !== before ? reported : null));
    },
    async waitForPublication(work) {
      const before = published;
      work();
      await waitUntil('publication', () => (published > before ? true : null));
    },
    waitForIndex: (resources) => waitUntil('index', () => (indexed === resources ? true : null)).then(() => undefined),
    async close() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      connection.dispose();
      await ended;
      forget();
    },
  };
}
