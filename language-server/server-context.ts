/** The context that all features share. A feature declares capabilities and handlers; it answers from a view and has no state. */
import type { CancellationToken, ClientCapabilities, Connection, ServerCapabilities } from 'vscode-languageserver';
import { logError } from './log-error.js';
import type { Project } from './project.js';
import type { DocumentContext } from './document-context.js';

export interface ServerContext {
  readonly connection: Connection;
  readonly client: ClientCapabilities;
  /** Milliseconds to find out which completions check clean, if the client sets them. */
  readonly offerTime: number | null;
  /** Null for a file outside of all projects. Waits until the project is loaded. */
  loadDocument(uri: string): Promise<DocumentContext | null>;
  getOpenText(uri: string): string | null;
  listProjects(): Promise<readonly Project[]>;
  /** The URI under which the client knows a file. */
  readonly toClientUri: (name: string) => string;
}

export interface Feature {
  readonly capabilities: (client: ClientCapabilities) => Partial<ServerCapabilities>;
  attach(server: ServerContext): void;
}

/**
 * Answers from the document's view. Errors are logged and answered with `nothing`, because an editor should not show errors while
 * the user types.
 */
export function createDocumentHandler<P extends { readonly textDocument: { readonly uri: string } }, R>(
  server: ServerContext,
  nothing: R,
  answer: (view: DocumentContext, params: P) => R | Promise<R>,
): (params: P, token: CancellationToken) => Promise<R> {
  return async (params, token) => {
    try {
      const view = await server.loadDocument(params.textDocument.uri);
      return view === null || token.isCancellationRequested ? nothing : await answer(view, params);
    } catch (error) {
      logError(server.connection, error);
      return nothing;
    }
  };
}

/** The same for requests without a document. */
export function createRequestHandler<P, R>(
  server: ServerContext,
  nothing: R,
  answer: (params: P) => R | Promise<R>,
): (params: P) => Promise<R> {
  return async (params) => {
    try {
      return await answer(params);
    } catch (error) {
      logError(server.connection, error);
      return nothing;
    }
  };
}
