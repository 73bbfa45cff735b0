/**
 * A real scanner for SQL text: strings, comments, dollar quotes and quoted identifiers are seen for what they are, so
 * placeholders and casts are found by their place in the language and never by a pattern. Lexical rules are those of
 * PostgreSQL. Total: any text gives a scan, broken text gives a scan with faults. Nothing here rewrites SQL.
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

/** Offsets are UTF-16 code units of the decoded SQL text; `end` is exclusive. Brackets are `open` and `close` too. */
export interface SqlToken {
  readonly type: SqlTokenType;
  readonly start: number;
  readonly end: number;
}

export interface SqlPlaceholder {
  readonly n: number;
  readonly start: number;
  readonly end: number;
  /** Lower-case type of the cast that follows directly, such as `jsonb` or `numeric(10,2)`; also of `CAST($1 AS …)`. */
  readonly cast: string | null;
  /** Column (lower case, without table) the value is written to or compared with, where the text shows it plainly. */
  readonly column: string | null;
  /** That column, or the one that it is held against in another way (`tags ?| $1`, `id = ANY($1)`): what a name may stand for. */
  readonly stands: string | null;
}

export interface SqlTable {
  /** Last part of the name: unquoted names in lower case, quoted ones as they stand inside the quotes. */
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
  /** `SELECT`, `INSERT`, ...; of the main statement behind a WITH list; `''` for empty text. */
  readonly verb: string;
  readonly placeholders: readonly SqlPlaceholder[];
  /** Placeholders written inside strings: a likely mistake. */
  readonly quotedPlaceholders: readonly SqlTable[];
  /** Names behind FROM, JOIN, INTO, UPDATE and USING, without names that a WITH list defines. */
  readonly tables: readonly SqlTable[];
  /** The table that the main statement writes to; null for statements that write nothing themselves. */
  readonly target: SqlTable | null;
  /** Number of statements that hold at least one token. */
  readonly statements: number;
  /** True when the main statement ends in a RETURNING list. */
  readonly returning: boolean;
  readonly faults: readonly SqlFault[];
}

/** Scans SQL text; of several statements, `verb` and `returning` belong to the first. */
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
