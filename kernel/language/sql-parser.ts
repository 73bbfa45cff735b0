/** The interface of the SQL parser, which the host program provides. The parse tree is that of PostgreSQL in its JSON form. */
import type { JsonObject } from '../contract/json.js';

/** `at`: offset in the text, in UTF-16 code units. */
export interface SqlSyntaxFault {
  readonly message: string;
  readonly at: number;
}

export type SqlParsed =
  | { readonly statements: readonly JsonObject[]; readonly fault: null }
  | { readonly statements: null; readonly fault: SqlSyntaxFault };

export interface SqlParser {
  /** The SQL dialect, in the same form as stores declare theirs. */
  readonly syntax: string;
  /** Never throws. */
  parse(text: string): SqlParsed;
}
