/** Serves one editor: opens projects, tracks open documents, attaches the features. Knows nothing of the language. */
import type { ClientCapabilities, Connection, InitializeParams, InitializeResult } from 'vscode-languageserver';
import { DidChangeWatchedFilesNotification, TextDocumentSyncKind, TextDocuments } from './protocol.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { afterQuestions } from './after-questions.js';
import type { Desk } from './desk.js';
import { tellFailure } from './failure.js';
import { FEATURES } from './features/index.js';
import { createPublisher } from './publisher.js';
import { createWorkspace } from './workspace.js';
import { nameOfUri, uriOf } from './uri.js';
import { viewOf } from './view.js';

/** Sent by the client at startup and when trust is granted. */
export interface Trust {
  readonly trusted: boolean;
}

/** Language id in editors that support Lintel; other editors use JSON. */
const LANGUAGE = 'lintel';

interface Wishes extends Trust {
  /** Milliseconds without a keystroke before diagnostics are published. */
  readonly pause: number;
}

export function serve(connection: Connection, version: string): void {
  const documents = new TextDocuments(TextDocument);
  let client: ClientCapabilities = {};
  let trusted = false;
  let pause: number | undefined;
  let isQuiet: () => void = () => undefined;
  const workspace = createWorkspace({
    trusted: () => trusted,
    quiet: new Promise((resolve) => (isQuiet = resolve)),
    glimpsed: (project) => publisher.early(project),
  });
  /** URIs as the client spells them. */
  const uris = new Map<string, string>();
  const publisher = createPublisher({
    connection,
    workspace,
    documents,
    uriOf: (name) => desk.uriOf(name),
    pause: () => pause,
  });

  const desk: Desk = {
    connection,
    get client() {
      return client;
    },
    async view(uri) {
      const name = nameOfUri(uri);
      const project = name === null ? null : await workspace.projectOf(name);
      await project?.prepare();
      return name === null || project === null ? null : viewOf(project, name);
    },
    projects: () => workspace.projects(),
    uriOf: (name) => uris.get(name) ?? uriOf(name),
  };

  /** Logs errors; the next change retries. */
  const tried = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => tellFailure(connection, error));
  };

  connection.onInitialize((params: InitializeParams): InitializeResult => {
    client = params.capabilities;
    const wishes = params.initializationOptions as Partial<Wishes> | null | undefined;
    trusted = wishes?.trusted === true;
    if (typeof wishes?.pause === 'number') pause = wishes.pause;
    const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    workspace.addFolders(folders.flatMap((uri) => nameOfUri(uri) ?? []));
    // After the response, because `didOpen` notifications follow soon.
    afterQuestions(() => workspace.begin());
    const capabilities = FEATURES.map((feature) => feature.capabilities(client));
    return {
      capabilities: Object.assign(
        {
          textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
          workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
        },
        ...capabilities,
      ) as InitializeResult['capabilities'],
      serverInfo: { name: 'lintel', version },
    };
  });

  connection.onInitialized(() => {
    if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration === true) {
      const watchers = ['**/*.{json,jsonc}', '**/{.env,.env.example}', '**/{spec,kind}.{js,mjs,ts,mts}'].map(
        (globPattern) => ({ globPattern }),
      );
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    if (client.workspace?.workspaceFolders === true) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        workspace.removeFolders(removed.flatMap(({ uri }) => nameOfUri(uri) ?? []));
        workspace.addFolders(added.flatMap(({ uri }) => nameOfUri(uri) ?? []));
        publisher.all();
      });
    }
    publisher.all();
    // `didOpen` notifications follow directly.
    afterQuestions(isQuiet);
  });

  documents.onDidChangeContent(({ document }) => {
    const name = nameOfUri(document.uri);
    if (name === null) return;
    uris.set(name, document.uri);
    // For clients that open a document before `initialized`.
    afterQuestions(isQuiet);
    const isPlain = document.languageId !== LANGUAGE;
    tried(workspace.type(name, document.getText(), isPlain).then((project) => project && publisher.soon(project)));
  });
  documents.onDidClose(({ document }) => {
    const name = nameOfUri(document.uri);
    if (name !== null) tried(workspace.type(name, null).then((project) => project && publisher.soon(project)));
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const names = changes.flatMap(({ uri }) => nameOfUri(uri) ?? []);
    tried(workspace.refresh(names).then((projects) => projects.forEach((project) => publisher.soon(project))));
  });
  connection.onNotification('lintel/trust', (given: Trust) => {
    trusted = given.trusted;
    tried(workspace.refresh(null).then(() => publisher.all()));
  });

  for (const feature of FEATURES) feature.attach(desk);
  documents.listen(connection);
  connection.listen();
}
