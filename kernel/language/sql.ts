/**
 * A real scanner for SQL text: strings, comments, dollar quotes and quoted identifiers are seen for what they are, so
 * placeholders and casts are found by their place in the language and never by a pattern.
 */
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

/** Offsets are UTF-16 code units of the decoded SQL text; `end` is exclusive. */
export interface SqlToken {
  readonly type: SqlTokenType;
  readonly start: number;
  readonly end: number;
}

export interface SqlPlaceholder {
  readonly n: number;
  readonly start: number;
  readonly end: number;
  /** Lower-case type of the cast that follows directly, such as `jsonb`. */
  readonly cast: string | null;
  /** Column (lower case, without table) the value is written to or compared with, where the text shows it plainly. */
  readonly column: string | null;
}

export interface SqlTable {
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
  /** Names behind FROM, JOIN, INTO and UPDATE, without names that a WITH list defines. */
  readonly tables: readonly SqlTable[];
  /** Number of statements that hold at least one token. */
  readonly statements: number;
  /** True when the main statement ends in a RETURNING list. */
  readonly returning: boolean;
  readonly faults: readonly SqlFault[];
}
