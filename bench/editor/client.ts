/** An editor without a screen: starts a language server as a process, types into one file, and takes the time of answers. */
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

/** How long anything may take, in milliseconds, before the run is given up. */
const PATIENCE = 60_000;

export interface Client {
  readonly pid: number;
  /** Milliseconds from the start of the process to the answer to `initialize`. */
  readonly startMs: number;
  readonly capabilities: ServerCapabilities;
  /** When this was reached, in milliseconds since the start of the process. */
  sinceStart(): number;
  open(text: string): void;
  /** Puts text in place of `[start, end)`. */
  edit(start: number, end: number, text: string): void;
  /** Replaces the whole text, as when another file is looked at. */
  replace(text: string): void;
  /** Diagnostics of the version that is open now, the first that are told. */
  waitForDiagnostics(): Promise<readonly Diagnostic[]>;
  /** Until our server has told everything of what was opened. */
  waitForAllDiagnostics(): Promise<readonly Diagnostic[]>;
  /** Labels and inserted texts of completion. */
  fetchCompletions(offset: number): Promise<readonly string[]>;
  fetchHover(offset: number): Promise<string>;
  /** Tells the server that a file has changed on disk, as the editor does that watches it. */
  noteChange(...files: readonly string[]): void;
  /** The next diagnostics of the open file. */
  waitForNext(): Promise<unknown>;
  /** Until our server has published after `work`. */
  waitForPublication(work: () => void): Promise<void>;
  /** Until our server has told that it knows so many resources. */
  waitForIndex(resources: number): Promise<void>;
  close(): Promise<void>;
}

export interface EditorClientOptions {
  readonly command: readonly string[];
  /** Added to that of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Name of the file that is opened, relative to the folder. */
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
  const looks = new Set<() => void>();
  const recheckAll = (): void => [...looks].forEach((look) => look());
  let told: PublishDiagnosticsParams | null = null;
  let known = -1;
  let [whole, published] = [false, 0];
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    if (params.uri !== uri) return;
    told = params;
    recheckAll();
  });
  connection.onNotification('lintel/status', ({ resources }: { readonly resources: number }) => {
    known = resources;
    whole = true;
    published++;
    recheckAll();
  });
  connection.onNotification(LogMessageNotification.type, ({ type, message }) => {
    if (type === 1) process.stderr.write(`the server said: ${message}\n`);
  });
  connection.onRequest(RegistrationRequest.type, () => undefined);
  connection.listen();

  const waitUntil = <T>(what: string, look: () => T | null): Promise<T> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what} did not come`)), PATIENCE);
      const check = (): void => {
        const found = look();
        if (found === null) return;
        clearTimeout(late);
        looks.delete(check);
        resolve(found);
      };
      looks.add(check);
      check();
    });

  const folderUri = pathToFileURL(folder).href;
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: folderUri,
    workspaceFolders: [{ uri: folderUri, name: 'bench' }],
    // No pause between a letter and its diagnostics: what is computed is measured, not what is waited.
    // Only the server is measured, not the process that checks statements.
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
      waitUntil('diagnostics', () => (told?.version === document.version ? told.diagnostics : null)),
    waitForAllDiagnostics: () =>
      waitUntil('all diagnostics', () => (whole && told?.version === document.version ? told.diagnostics : null)),
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
      const before = told;
      return waitUntil('the next diagnostics', () => (told !== before ? told : null));
    },
    async waitForPublication(work) {
      const before = published;
      work();
      await waitUntil('a publication', () => (published > before ? true : null));
    },
    waitForIndex: (resources) =>
      waitUntil('the index', () => (known === resources ? true : null)).then(() => undefined),
    async close() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      connection.dispose();
      await ended;
      forget();
    },
  };
}
