/** The tables of a database as models, for `lintel import`. */
import type { MigrationOutline } from './migration.js';
import type { ModelTable } from './model.js';

export interface FoundTable {
  /** Its model is named `_` and the table. */
  readonly table: ModelTable;
  readonly comment: string | null;
  /** By column. */
  readonly columnComments: ReadonlyMap<string, string>;
}

/** What a model cannot say. */
export interface FoundDifference {
  readonly table: string;
  readonly column: string | null;
  readonly message: string;
}

export interface FoundTables {
  readonly tables: readonly FoundTable[];
  readonly differences: readonly FoundDifference[];
  /** What a migration to the given models would change. */
  readonly outline: MigrationOutline;
}
