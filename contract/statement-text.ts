/** What a query language reads in a statement. Offsets are UTF-16 code units. */
import type { Json } from './json.js';

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface NameInText extends TextSpan {
  /** Lower case if the language ignores case there, else as written, without quotes. */
  readonly name: string;
}

export type TokenType =
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

/** Square brackets are `open` and `close` too. */
export interface StatementToken extends TextSpan {
  readonly type: TokenType;
}

export interface StatementPlaceholder extends TextSpan {
  readonly n: number;
  /** Lower-case type of a direct cast, such as `jsonb` or `numeric(10,2)`. */
  readonly cast: string | null;
  /** The column (lower case, without table) that the value is certainly written to or compared with. */
  readonly column: string | null;
  /** `column`, or one of possibly another type (`tags ?| $1`, `id = ANY($1)`). */
  readonly stands: string | null;
}

export interface LexicalFault extends TextSpan {
  readonly code: string;
  readonly what: string;
}

export interface StatementText {
  readonly text: string;
  readonly tokens: readonly StatementToken[];
  /** `INSERT`, `UPDATE`, `DELETE`, `SELECT` or another verb of the main statement; `''` for empty text. */
  readonly verb: string;
  readonly placeholders: readonly StatementPlaceholder[];
  /** Inside strings they are probably mistakes. */
  readonly quotedPlaceholders: readonly NameInText[];
  /** Without names that the statement itself defines. */
  readonly tables: readonly NameInText[];
  /** The table that the main statement writes. */
  readonly target: NameInText | null;
  /** Empty statements are not counted. */
  readonly statements: number;
  readonly returning: boolean;
  readonly faults: readonly LexicalFault[];
}

export interface SelectedRow {
  readonly table: string;
  /** Key columns in order, each with its operand: `$1` or a literal as written. */
  readonly key: readonly (readonly [column: string, operand: string])[];
}

export interface StatementAccess {
  readonly tables: readonly string[];
  /** Changed tables; `''` for one that the text does not name. */
  readonly writes: readonly string[];
  /** A name that may access unknown tables, such as a function or a view. */
  readonly foreign: string | null;
  /**
   * `merge`: inserts rows, of which a key may exist. `row`: one row by its key. `range`: anything else.
   */
  readonly sort: 'nothing' | 'insert' | 'merge' | 'row' | 'range';
  readonly row: SelectedRow | null;
  /** `weak` does not prevent others from changing the rows. */
  readonly locks: 'strong' | 'weak' | null;
  /** A locking clause can be added. */
  readonly lockable: boolean;
}

/** The keys of a table; null if it is unknown. */
export type FindKeys = (table: string) => readonly (readonly string[])[] | null;

export interface WrittenPart extends TextSpan {
  /** Null if the text does not name it. */
  readonly table: string | null;
  readonly column: string;
  readonly text: string;
  /** A non-empty string literal, also inside a choice of the first value. */
  readonly literal: boolean;
  /** No value, or that of the table. */
  readonly isEmpty: boolean;
  /** A value in it is stored so that it can be read. */
  readonly isReadable: boolean;
  readonly mentions: readonly string[];
}

export interface StoredObject {
  /** Without its schema, in lower case unless quoted. */
  readonly name: string;
  readonly sort: 'view' | 'function';
  /** The query, or the body of a function. */
  readonly scan: StatementText;
  /** Columns without a known source in the query. */
  readonly unclear: readonly string[];
  /** Names before a parenthesis, which may be functions. */
  readonly calls: readonly string[];
  /** The user of the database may not read the definition. */
  readonly isAssumed: boolean;
}

export interface RevealContext {
  /** Secret names, in lower case; dotted paths are inside JSON columns. */
  readonly names: ReadonlySet<string>;
  /** Other columns of the tables: they are no rows, though a table has their name. */
  readonly columns: ReadonlySet<string>;
  /** The placeholder of a secret value. */
  readonly value?: string;
  /** Functions that return secrets, in lower case. */
  readonly calls?: ReadonlySet<string>;
  /** Whole rows are listed too. */
  readonly whole?: boolean;
}

export interface RevealedName {
  readonly name: string;
  /** An expression, and not the column itself under another name. */
  readonly derived: boolean;
  /** A column that the statement writes the secret to. */
  readonly written?: boolean;
}

export type Revealer = (context: RevealContext) => readonly RevealedName[];

export interface ColumnMention extends NameInText {
  /** Named as in `StatementText.tables`. */
  readonly tables: readonly string[];
}

/** `indexes`: index columns by blind-indexed column. */
export interface BlindTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly indexes: ReadonlyMap<string, string>;
}

export interface BlindColumn {
  readonly table: string;
  readonly column: string;
}

/** The value of the original parameter `n`, or its blind index. */
export interface BlindParameter {
  readonly n: number;
  readonly blind: BlindColumn | null;
  /** The value is stored, so it must be encrypted. */
  readonly written: boolean;
}

export interface BlindFault extends TextSpan {
  readonly column: string;
  readonly what: string;
}

export interface BlindUses {
  readonly parameters: readonly BlindParameter[];
  readonly faults: readonly BlindFault[];
}

/** A column that a value is written to or must equal, and the forms of the value. */
export interface MetColumn {
  readonly column: string;
  readonly forms: readonly string[];
}

export interface UnboundedChange extends TextSpan {
  readonly verb: string;
}

/** Null if they are unknown. */
export type Columns = readonly string[] | null;

export interface CatalogueTable {
  readonly model: string;
  readonly columns: readonly string[];
  /** Field definitions by column. */
  readonly fields: Pick<ReadonlyMap<string, Json>, 'get'>;
  /** Columns that an insertion must set. */
  readonly needed: readonly string[];
}

export interface Catalogue {
  table(name: string): CatalogueTable | undefined;
  readonly tables: readonly string[];
}

export interface ColumnUse {
  readonly n: number;
  readonly column: string;
  readonly field: Json;
  /** False if the placeholder is only compared. */
  readonly writes: boolean;
}

export interface StatementName {
  readonly sort: 'table' | 'column';
  readonly name: string;
  /** Null if any model may have the column. */
  readonly model: string | null;
  /** A position that only the language knows; see `locateNames`. */
  readonly at: number;
}

/** Null for an expression that reads no table. */
export type AliasedColumns = ReadonlyMap<string, Pick<StatementName, 'name' | 'model'> | null>;

export interface StatementNames {
  readonly names: readonly StatementName[];
  /** Null if they are not certain. */
  readonly columns: Columns;
  /** Models of the columns without an alias. */
  readonly origins: ReadonlyMap<string, string>;
  readonly aliased: AliasedColumns;
  /** True for set operations. */
  readonly mixed: boolean;
}
