/**
 * Scans SQL by PostgreSQL's lexical rules, so that placeholders inside strings, comments and quoted names are not taken for real
 * ones. Accepts any text (invalid text has faults) and rewrites nothing.
 */
import { readPlaceholders, readQuotedPlaceholders } from './sql-placeholders.js';
import { readStatement, toLexemes } from './sql-read.js';
import { tokenizeSql } from './sql-tokens.js';

export type SqlTokenType =
  | 'word'
  | 'quoted-identifier'
  | 'string'
  | 'dollar-string'
  | 'number'
  | 'comment'
  | 'placeholder'
  | 'cast'
  | 'operator'
  | 'open'
  | 'close'
  | 'comma'
  | 'semicolon'
  | 'dot';

/** Offsets are UTF-16 code units. Square brackets are `open` and `close` too. */
export interface SqlToken {
  readonly type: SqlTokenType;
  readonly start: number;
  readonly end: number;
}

export interface SqlPlaceholder {
  readonly n: number;
  readonly start: number;
  readonly end: number;
  /** Lower-case type of a direct cast or of `CAST($1 AS …)`, such as `jsonb` or `numeric(10,2)`. */
  readonly cast: string | null;
  /** The column (lower case, without table) that the value is certainly written to or compared with. */
  readonly column: string | null;
  /** `column`, or one of possibly another type (`tags ?| $1`, `id = ANY($1)`). */
  readonly stands: string | null;
}

export interface SqlTable {
  /** The last part of the name: lower case if unquoted, else without its quotes. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface SqlFault {
  readonly code: 'SQL_UNTERMINATED' | 'SQL_UNBALANCED';
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

export interface SqlScan {
  readonly text: string;
  readonly tokens: readonly SqlToken[];
  /** The verb of the main statement, after a WITH list; `''` for empty text. */
  readonly verb: string;
  readonly placeholders: readonly SqlPlaceholder[];
  /** Inside strings they are probably mistakes. */
  readonly quotedPlaceholders: readonly SqlTable[];
  /** Without names of WITH entries. */
  readonly tables: readonly SqlTable[];
  /** The table that the main statement writes. */
  readonly target: SqlTable | null;
  /** Empty statements are not counted. */
  readonly statements: number;
  readonly returning: boolean;
  readonly faults: readonly SqlFault[];
}

/** If there are several statements, `verb` and `returning` belong to the first. */
export function scanSql(text: string): SqlScan {
  const { tokens, faults } = tokenizeSql(text);
  const words = toLexemes(text, tokens);
  const statement = readStatement(words);
  // Slices, because a list that was pushed to has room to grow, and an editor holds thousands of scans.
  return Object.freeze({
    text,
    tokens: tokens.slice(),
    ...statement,
    tables: statement.tables.slice(),
    placeholders: readPlaceholders(text, words).slice(),
    quotedPlaceholders: readQuotedPlaceholders(text, tokens).slice(),
    faults,
  });
}
