/**
 * What the front end wants of a parser for SQL: the statement as a tree, or the place where it stops being one. Whoever
 * runs the front end brings the parser; the tree is PostgreSQL's own, in its JSON form.
 */
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
  /** The syntax that it reads, as stores say theirs. */
  readonly syntax: string;
  /** Never throws. */
  parse(text: string): SqlParsed;
}
