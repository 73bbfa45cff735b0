/** Input and output of code action sources. */
import type { Range, WorkspaceEdit } from 'vscode-languageserver';
import type { Problem } from '../../contract/problem.js';
import type { Desk } from '../desk.js';
import type { View } from '../view.js';

export interface Asked {
  readonly desk: Desk;
  readonly view: View;
  readonly range: Range;
  readonly problems: readonly Problem[];
}

export interface Offer {
  readonly title: string;
  readonly edit: WorkspaceEdit;
  readonly mends: readonly Problem[];
  /** Defaults to a quick fix. */
  readonly kind?: string;
  /** Needs review: never applied automatically. */
  readonly asks?: boolean;
}

export type ActionSource = (asked: Asked) => readonly Offer[] | Promise<readonly Offer[]>;
