/**
 * What every feature of the server works with: the view of a file, the projects, the settings. A feature is a list entry
 * with its capabilities and its handlers; it answers from a view and never keeps state of its own.
 */
import type { CancellationToken, ClientCapabilities, Connection, ServerCapabilities } from 'vscode-languageserver';
import { tellFailure } from './failure.js';
import type { Project } from './project.js';
import type { View } from './view.js';

export interface Desk {
  readonly connection: Connection;
  readonly client: ClientCapabilities;
  /** Null for a file that is no part of a project. Waits until the project has been read. */
  view(uri: string): Promise<View | null>;
  /** Those that are open. */
  projects(): Promise<readonly Project[]>;
  /** The address under which the client knows a file. */
  readonly uriOf: (name: string) => string;
}

export interface Feature {
  readonly capabilities: (client: ClientCapabilities) => Partial<ServerCapabilities>;
  attach(desk: Desk): void;
}

/**
 * A handler that answers from the view of the document it is asked about. What it throws is logged, and answered with
 * `nothing`: an editor that shows less is better than one that shows errors while people type.
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

/** The same for a request that is about no document. */
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
