/** A database model as stores see it, frozen. */

export type ColumnType = 'integer' | 'float' | 'text' | 'boolean' | 'timestamp' | 'json';

export interface ModelColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  readonly autoIncrement: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  /** The column supports full-text search. */
  readonly search: boolean;
  /** Maximum number of characters. */
  readonly maxLength: number | null;
  readonly references: { readonly table: string; readonly column: string } | null;
  /** Omitted from responses unless `returnables` names it. */
  readonly secret: boolean;
  /** The column with the blind index (a keyed digest), because each ciphertext differs. */
  readonly blind?: string;
  /** The column of this blind index. */
  readonly blindOf?: string;
  /** Declared content of a `json` column, which document stores enforce. */
  readonly holds?: HeldJson;
}

/** Columns that models have without a definition where statements use them. */
export const CREATED = 'created_at';
export const UPDATED = 'updated_at';
export const DELETED = 'deleted_at';
export const TIMESTAMPS: readonly string[] = [CREATED, UPDATED, DELETED];

/** Suffix of index columns, and the pattern of their values. */
export const BLIND = '__blind';
export const BLIND_FORM = 'blind1:[0-9a-f]{64}';

export type HeldJson =
  | { readonly form: 'object'; readonly fields: readonly ModelColumn[] }
  | { readonly form: 'array'; readonly items: Pick<ModelColumn, 'type' | 'holds'> | null };

export interface ModelTable {
  /** `_user` */
  readonly model: string;
  /** As in queries. */
  readonly table: string;
  /** All stores in which queries use the table. */
  readonly stores: readonly StorePlace[];
  readonly columns: readonly ModelColumn[];
  /** Hashed or encrypted fields, at any depth. */
  readonly secrets?: ReadonlySet<string>;
  /** Unique columns and combinations. */
  readonly uniques: readonly (readonly string[])[];
}

export interface StorePlace {
  readonly kind: string;
  /** `main` */
  readonly instance: string;
}
