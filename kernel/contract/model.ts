/** A database model as stores see it: neutral column types and resolved names. The compiler creates and freezes it. */

/** Column types that every store supports. */
export type ColumnType = 'integer' | 'float' | 'text' | 'boolean' | 'timestamp' | 'json';

export interface ModelColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  readonly autoIncrement: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  /** The text is searchable by words. */
  readonly search: boolean;
  /** Maximum number of characters. */
  readonly maxLength: number | null;
  readonly references: { readonly table: string; readonly column: string } | null;
  /** Omitted from responses unless `returnables` names it. */
  readonly secret: boolean;
  /** The name of the column with the blind index (a keyed digest) of this column, whose stored ciphertext differs each time. */
  readonly blind?: string;
  /** The column that this blind index belongs to. */
  readonly blindOf?: string;
  /** For a `json` column: its declared content, which document stores enforce. */
  readonly holds?: HeldJson;
}

/** The suffix of index columns and the pattern of their values, which responses never contain. */
export const BLIND = '__blind';
export const BLIND_FORM = 'blind1:[0-9a-f]{64}';

export type HeldJson =
  | { readonly form: 'object'; readonly fields: readonly ModelColumn[] }
  | { readonly form: 'array'; readonly items: Pick<ModelColumn, 'type' | 'holds'> | null };

export interface ModelTable {
  /** The model's name, `_user`. */
  readonly model: string;
  /** The table name in queries. */
  readonly table: string;
  /** All stores in which queries use the table. */
  readonly stores: readonly StorePlace[];
  readonly columns: readonly ModelColumn[];
  /** Names of hashed or encrypted fields, at any depth. */
  readonly secrets?: ReadonlySet<string>;
  /** Unique columns and combinations of columns. */
  readonly uniques: readonly (readonly string[])[];
}

/** A configured store: its kind and its name in the config. */
export interface StorePlace {
  readonly kind: string;
  /** The configured instance, `main`. */
  readonly instance: string;
}
