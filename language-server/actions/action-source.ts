/** Input and output of code action sources. */
import type { Range, WorkspaceEdit } from 'vscode-languageserver';
import type { Problem } from '../../contract/problem.js';
import type { ServerContext } from '../server-context.js';
import type { DocumentContext } from '../document-context.js';

export interface ActionSourceInput {
  readonly server: ServerContext;
  readonly view: DocumentContext;
  readonly range: Range;
  readonly problems: readonly Problem[];
}

export interface CodeActionOffer {
  readonly title: string;
  /** A function makes it when the action is chosen. */
  readonly edit: WorkspaceEdit | (() => WorkspaceEdit);
  readonly fixes: readonly Problem[];
  /** Defaults to a quick fix. */
  readonly kind?: string;
  /** Needs review: never applied automatically. */
  readonly needsReview?: boolean;
}

export type ActionSource = (
  asked: ActionSourceInput,
) => readonly CodeActionOffer[] | Promise<readonly CodeActionOffer[]>;
