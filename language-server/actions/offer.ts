/** What a source of code actions is asked, and what it answers. */
import type { Range, WorkspaceEdit } from 'vscode-languageserver';
import type { Problem } from '../../kernel/contract/problem.js';
import type { Desk } from '../desk.js';
import type { View } from '../view.js';

export interface Asked {
  readonly desk: Desk;
  readonly view: View;
  readonly range: Range;
  /** Those that the range touches. */
  readonly problems: readonly Problem[];
}

export interface Offer {
  readonly title: string;
  readonly edit: WorkspaceEdit;
  /** The problems that are gone with it. */
  readonly mends: readonly Problem[];
  /** A quick fix unless it says otherwise. */
  readonly kind?: string;
  /** Somebody has to look at it: it is never taken without being asked for. */
  readonly asks?: boolean;
}

export type ActionSource = (asked: Asked) => readonly Offer[] | Promise<readonly Offer[]>;
