/**
 * Scans SQL text by PostgreSQL's lexical rules, so that placeholders and casts inside strings, comments and quoted names are not
 * confused with real ones. Accepts any text (invalid text has faults) and rewrites nothing.
 */
import { readPlaceholders, readQuotedPlaceholders } from './sql-placeholders.js';
import { readStatement, significant } from './sql-read.js';
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

/** Offsets are UTF-16 code units of the decoded SQL text; `end` is exclusive. Square brackets are `open` and `close` too. */
export interface SqlToken {
  readonly type: SqlTokenType;
  readonly start: number;
  readonly end: number;
}

export interface SqlPlaceholder {
  readonly n: number;
  readonly start: number;
  readonly end: number;
  /** The lower-case type of the cast directly after it, such as `jsonb` or `numeric(10,2)`, or of `CAST($1 AS …)`. */
  readonly cast: string | null;
  /** The column (lower case, without table) that the value is certainly written to or compared with. */
  readonly column: string | null;
  /** The same column, or one matched in another way (`tags ?| $1`, `id = ANY($1)`); the value may have another type. */
  readonly stands: string | null;
}

export interface SqlTable {
  /** The last part of the name: unquoted names in lower case, quoted names without their quotes. */
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
  /** `SELECT`, `INSERT`, ...: the verb of the main statement, after a WITH list; `''` for empty text. */
  readonly verb: string;
  readonly placeholders: readonly SqlPlaceholder[];
  /** Placeholders inside strings, which are probably mistakes. */
  readonly quotedPlaceholders: readonly SqlTable[];
  /** Names after FROM, JOIN, INTO, UPDATE and USING, except names of WITH entries. */
  readonly tables: readonly SqlTable[];
  /** The table that the main statement writes; null if it writes none. */
  readonly target: SqlTable | null;
  /** The number of non-empty statements. */
  readonly statements: number;
  /** True if the main statement has a RETURNING list. */
  readonly returning: boolean;
  readonly faults: readonly SqlFault[];
}

/** Scans SQL text; if it has several statements, `verb` and `returning` belong to the first. */
export function scanSql(text: string): SqlScan {
  const { tokens, faults } = tokenizeSql(text);
  const words = significant(text, tokens);
  const statement = readStatement(words);
  return Object.freeze({
    text,
    tokens,
    ...statement,
    placeholders: readPlaceholders(text, words),
    quotedPlaceholders: readQuotedPlaceholders(text, tokens),
    faults,
  });
}
