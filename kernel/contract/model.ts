/** A database model as stores see it: neutral column types, resolved names. Made by the compiler, frozen. */

/** Column types every store must be able to keep. */
export type ColumnType = 'integer' | 'float' | 'text' | 'boolean' | 'timestamp' | 'json';

export interface ModelColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  readonly autoIncrement: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  /** Words in the text are searched for. */
  readonly search: boolean;
  /** Upper bound in characters for text. */
  readonly maxLength: number | null;
  readonly references: { readonly table: string; readonly column: string } | null;
  /** Never leaves in an answer unless `returnables` names it. */
  readonly secret: boolean;
}

export interface ModelTable {
  /** The model's own name, `_user`. */
  readonly model: string;
  /** The name that queries use. */
  readonly table: string;
  readonly columns: readonly ModelColumn[];
  /** Columns and combinations of columns of which no two rows may have the same values. */
  readonly uniques: readonly (readonly string[])[];
}
