/** Serves one editor: opens projects, tracks open documents, attaches the features. Knows nothing of the language. */
import type { ClientCapabilities, Connection, InitializeParams, InitializeResult } from 'vscode-languageserver';
import { DidChangeWatchedFilesNotification, TextDocumentSyncKind, TextDocuments } from './protocol.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { deferUntilIdle } from './defer-until-idle.js';
import type { ServerContext } from './server-context.js';
import { logError } from './log-error.js';
import { createRefresher } from './refresh.js';
import { FEATURES } from './features/index.js';
import { createPublisher } from './publisher.js';
import { createPushedReports, type DiagnosticReports } from './diagnostic-reports.js';
import { createPulledReports, requestsDiagnostics } from './pulled-diagnostics.js';
import { createStatementChecks } from './statement-checks.js';
import { createStatementProblems } from './statements/statement-problems.js';
import { isStatementUri } from './statements/statement-uri.js';
import { createWorkspace } from './workspace.js';
import { toFilePath, toFileUri, toUntitledName } from './uri.js';
import { createDocumentContext } from './document-context.js';

/** Sent by the client at startup and when trust is granted. */
export interface Trust {
  readonly trusted: boolean;
}

/** Language id in editors that support Lintel; other editors use JSON. */
const LANGUAGE = 'lintel';

const OFFER_TIME = 25;

const DIAGNOSTICS = { identifier: 'lintel', interFileDependencies: true, workspaceDiagnostics: true };

/** A test may name a file of any type, and a folder may contain one that is named. */
const ANY_FILE = [{ scheme: 'file', pattern: { glob: '**/*' } }];

interface InitializationOptions extends Trust {
  /** False: no database checks statements while they are written. */
  readonly database: boolean;
  /** Milliseconds without a keystroke before diagnostics are published. */
  readonly pause: number;
  /** Milliseconds to find out which completions check clean. */
  readonly offerTime: number;
}

/** `onWork`: called in each turn of an analysis. */
export function serve(connection: Connection, version: string, onWork?: () => void): void {
  const documents = new TextDocuments(TextDocument);
  let client: ClientCapabilities = {};
  let trusted = false;
  let pause: number | undefined;
  let offerTime = OFFER_TIME;
  let isDatabaseWanted = true;
  let isQuiet: () => void = () => undefined;
  const workspace = createWorkspace({
    trusted: () => trusted,
    quiet: new Promise((resolve) => (isQuiet = resolve)),
    onPreloaded: (project) => publisher.publishInitial(project),
  });
  /** URIs as the client spells them. */
  const uris = new Map<string, string>();
  /** Names of unsaved documents, by their URI. */
  const untitled = new Map<string, string>();
  const toName = (uri: string): string | null => untitled.get(uri) ?? toFilePath(uri);
  const listOpenNames = (): string[] => documents.keys().flatMap((uri) => toName(uri) ?? []);
  const getVersion = (uri: string): number | undefined => documents.get(uri)?.version;
  let reports = createPushedReports(connection, getVersion);
  const publisher = createPublisher({
    connection,
    workspace,
    onWork,
    getReports: () => reports,
    listOpenNames,
    toClientUri: (name) => server.toClientUri(name),
    pause: () => pause,
    onPublished: (project) => {
      for (const uri of documents.keys()) if (isStatementUri(uri)) statementProblems.scheduleCheck(uri);
      refresher.refresh(listOpenNames());
      statements.check(project);
    },
  });
  const refresher = createRefresher(connection, () => client);
  const statements = createStatementChecks({
    connection,
    isAllowed: () => trusted && isDatabaseWanted,
    publish: (project) => publisher.publishNow(project),
  });

  const server: ServerContext = {
    connection,
    get client() {
      return client;
    },
    get offerTime() {
      return offerTime;
    },
    async loadDocument(uri) {
      const name = toName(uri);
      const project = name === null ? null : await workspace.findProject(name);
      await project?.waitForParser();
      return name === null || project === null ? null : createDocumentContext(project, name);
    },
    getOpenText: (uri) => documents.get(uri)?.getText() ?? null,
    listProjects: () => workspace.listProjects(),
    toClientUri: (name) => uris.get(name) ?? toFileUri(name),
  };

  const statementProblems = createStatementProblems({
    server,
    getReports: () => reports,
    pause: () => pause,
    findRejections: (project, trial) => statements.findRejections(project, trial),
  });

  const openPulledReports = (): DiagnosticReports =>
    createPulledReports({
      connection,
      getClient: () => client,
      getVersion,
      normalizeUri(uri) {
        const name = toName(uri);
        return name === null ? uri : server.toClientUri(name);
      },
      async findOwner(uri) {
        // The problems of an open statement are reported by its URI.
        if (isStatementUri(uri)) return documents.get(uri) === undefined ? null : uri;
        const name = toName(uri);
        const project = name === null ? null : await workspace.findProject(name);
        return project !== null && name !== null && project.hasFile(name) ? project : null;
      },
      listOwners: () => workspace.listProjects(),
    });

  /** Logs errors; the next change retries. */
  const logRejection = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => logError(connection, error));
  };

  connection.onInitialize((params: InitializeParams): InitializeResult => {
    client = params.capabilities;
    const wishes = params.initializationOptions as Partial<InitializationOptions> | null | undefined;
    trusted = wishes?.trusted === true;
    if (typeof wishes?.pause === 'number') pause = wishes.pause;
    if (typeof wishes?.offerTime === 'number') offerTime = wishes.offerTime;
    isDatabaseWanted = wishes?.database !== false;
    const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    workspace.addFolders(folders.flatMap((uri) => toFilePath(uri) ?? []));
    // After the response, because `didOpen` notifications follow soon.
    deferUntilIdle(() => workspace.begin());
    if (requestsDiagnostics(client)) reports = openPulledReports();
    const capabilities = FEATURES.map((feature) => feature.capabilities(client));
    return {
      capabilities: Object.assign(
        {
          textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
          workspace: {
            workspaceFolders: { supported: true, changeNotifications: true },
            fileOperations: { willRename: { filters: ANY_FILE }, didRename: { filters: ANY_FILE } },
          },
          ...(requestsDiagnostics(client) && { diagnosticProvider: DIAGNOSTICS }),
        },
        ...capabilities,
      ) as InitializeResult['capabilities'],
      serverInfo: { name: 'lintel', version },
    };
  });

  connection.onInitialized(() => {
    if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration === true) {
      const watchers = [
        '**/*.{json,jsonc}',
        '**/{.env,.env.example}',
        '**/migrations/**/*.sql',
        '**/{spec,kind}.{js,mjs,ts,mts}',
      ].map((globPattern) => ({ globPattern }));
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    if (client.workspace?.workspaceFolders === true) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        workspace.removeFolders(removed.flatMap(({ uri }) => toFilePath(uri) ?? []));
        workspace.addFolders(added.flatMap(({ uri }) => toFilePath(uri) ?? []));
        publisher.publishAll();
      });
    }
    publisher.publishAll();
    // `didOpen` notifications follow directly.
    deferUntilIdle(isQuiet);
  });

  documents.onDidChangeContent(({ document }) => {
    if (isStatementUri(document.uri)) statementProblems.scheduleCheck(document.uri);
    const untitledName = toUntitledName(document.uri, workspace.getFirstFolder());
    if (untitledName !== null && !untitled.has(document.uri)) untitled.set(document.uri, untitledName);
    const name = toName(document.uri);
    if (name === null) return;
    uris.set(name, document.uri);
    refresher.noteChange(name);
    // For clients that open a document before `initialized`.
    deferUntilIdle(isQuiet);
    const isPlain = document.languageId !== LANGUAGE;
    logRejection(
      workspace
        .setText(name, document.getText(), isPlain)
        .then((project) => project && publisher.schedulePublish(project)),
    );
  });
  documents.onDidClose(({ document }) => {
    if (isStatementUri(document.uri)) statementProblems.clear(document.uri);
    const name = toName(document.uri);
    untitled.delete(document.uri);
    if (name !== null)
      logRejection(workspace.setText(name, null).then((project) => project && publisher.schedulePublish(project)));
  });
  const noteFiles = (uris: readonly string[]): void => {
    const names = uris.flatMap((uri) => toFilePath(uri) ?? []);
    for (const name of names) refresher.noteChange(name);
    logRejection(
      workspace.refresh(names).then((projects) => projects.forEach((project) => publisher.schedulePublish(project))),
    );
  };
  connection.onDidChangeWatchedFiles(({ changes }) => noteFiles(changes.map(({ uri }) => uri)));
  // For clients that watch no files.
  connection.workspace.onDidRenameFiles(({ files }) => noteFiles(files.flatMap((one) => [one.oldUri, one.newUri])));
  connection.onNotification('lintel/trust', (given: Trust) => {
    trusted = given.trusted;
    refresher.noteChange(null);
    logRejection(workspace.refresh(null).then(() => publisher.publishAll()));
  });

  connection.onShutdown(() => {
    publisher.stop();
    reports.stop();
    statementProblems.stop();
    statements.close();
  });
  for (const feature of FEATURES) feature.attach(server);
  documents.listen(connection);
  connection.listen();
}
