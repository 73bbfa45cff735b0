/** The requests of the language server for statements in editors of their own. */
import type { Uri } from 'vscode';
import type { Position, TextEdit } from 'vscode-languageclient/node';

export const STATEMENT_SCHEME = 'lintel-sql';

export interface StatementContent {
  readonly sql: string;
  readonly parameters: readonly unknown[] | null;
}

/** Of `lintel/statement`; null where there is no statement. */
export interface StatementResult {
  readonly statementUri: string;
  readonly pointer: string;
  readonly text: string;
  readonly content: StatementContent;
  readonly folder: string;
  readonly connection: string | null;
}

export interface StatementParams {
  readonly uri: string;
  readonly position?: Position;
  readonly pointer?: string;
}

/** Of `lintel/writeStatement`. */
export interface WriteStatementResult {
  readonly edits: readonly TextEdit[];
  readonly content: StatementContent | null;
  /** Why nothing can be written. */
  readonly message: string | null;
}

/** Of `lintel/readStatement`. */
export interface ReadStatementResult {
  readonly content: StatementContent | null;
  readonly message: string | null;
}

export interface StatementAddress {
  readonly uri: string;
  readonly pointer: string;
}

/** Null for a URI that the server has not made. */
export function readAddress({ scheme, query }: Uri): StatementAddress | null {
  if (scheme !== STATEMENT_SCHEME) return null;
  try {
    const { uri, pointer } = JSON.parse(query) as Partial<StatementAddress>;
    return typeof uri === 'string' && typeof pointer === 'string' ? { uri, pointer } : null;
  } catch {
    return null;
  }
}
