/** The interface of the SQL parser, which the host provides. The tree is PostgreSQL's. */
import type { JsonObject } from './json.js';

/** `at`: offset in UTF-16 code units. */
export interface SqlSyntaxFault {
  readonly message: string;
  readonly at: number;
}

export type SqlParsed =
  | { readonly statements: readonly JsonObject[]; readonly fault: null }
  | { readonly statements: null; readonly fault: SqlSyntaxFault };

export interface SqlParser {
  /** The dialect, in the form that stores declare. */
  readonly syntax: string;
  /** Never throws. */
  parse(text: string): SqlParsed;
}
