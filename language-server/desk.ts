/** The context that all features share. A feature declares capabilities and handlers; it answers from a view and has no state. */
import type { CancellationToken, ClientCapabilities, Connection, ServerCapabilities } from 'vscode-languageserver';
import { tellFailure } from './failure.js';
import type { Project } from './project.js';
import type { View } from './view.js';

export interface Desk {
  readonly connection: Connection;
  readonly client: ClientCapabilities;
  /** Null for a file outside of all projects. Waits until the project is loaded. */
  view(uri: string): Promise<View | null>;
  /** All open projects. */
  projects(): Promise<readonly Project[]>;
  /** The URI under which the client knows a file. */
  readonly uriOf: (name: string) => string;
}

export interface Feature {
  readonly capabilities: (client: ClientCapabilities) => Partial<ServerCapabilities>;
  attach(desk: Desk): void;
}

/**
 * Answers from the document's view. Errors are logged and answered with `nothing`, because an editor should not show errors while
 * the user types.
 */
export function answering<P extends { readonly textDocument: { readonly uri: string } }, R>(
  desk: Desk,
  nothing: R,
  answer: (view: View, params: P) => R | Promise<R>,
): (params: P, token: CancellationToken) => Promise<R> {
  return async (params, token) => {
    try {
      const view = await desk.view(params.textDocument.uri);
      return view === null || token.isCancellationRequested ? nothing : await answer(view, params);
    } catch (error) {
      tellFailure(desk.connection, error);
      return nothing;
    }
  };
}

/** The same for requests without a document. */
export function logging<P, R>(
  desk: Desk,
  nothing: R,
  answer: (params: P) => R | Promise<R>,
): (params: P) => Promise<R> {
  return async (params) => {
    try {
      return await answer(params);
    } catch (error) {
      tellFailure(desk.connection, error);
      return nothing;
    }
  };
}
