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
  /** What is stored in it differs each time; the column with this name holds its index: a keyed digest of the value. */
  readonly blind?: string;
  /** It is such an index, of the column with this name. */
  readonly blindOf?: string;
  /** Of a `json` column, as far as the model says: what stands in it. Stores of documents hold to it. */
  readonly holds?: HeldJson;
}

/** What the name of an index column ends in, and the form of its values, which never leave. */
export const BLIND = '__blind';
export const BLIND_FORM = 'blind1:[0-9a-f]{64}';

export type HeldJson =
  | { readonly form: 'object'; readonly fields: readonly ModelColumn[] }
  | { readonly form: 'array'; readonly items: Pick<ModelColumn, 'type' | 'holds'> | null };

export interface ModelTable {
  /** The model's own name, `_user`. */
  readonly model: string;
  /** The name that queries use. */
  readonly table: string;
  /** Where it is kept: every store that a query finds it in. */
  readonly stores: readonly StorePlace[];
  readonly columns: readonly ModelColumn[];
  /** Names of what is hashed or encrypted in it, at any depth. Absent: nothing is. */
  readonly secrets?: ReadonlySet<string>;
  /** Columns and combinations of columns of which no two rows may have the same values. */
  readonly uniques: readonly (readonly string[])[];
}

/** A configured store: which kind of store, and under which name the config has it. */
export interface StorePlace {
  readonly kind: string;
  /** The configured instance, `main`. */
  readonly instance: string;
}
