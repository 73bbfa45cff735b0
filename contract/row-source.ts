/** Rows of a store, as the console shows and changes them. */
import type { Json, JsonObject } from './json.js';
import type { ColumnType, ModelTable } from './model.js';

export interface RowWindow {
  /** `contains`: part of the text of the value, in any case. Otherwise the value is equal. */
  readonly filter: { readonly column: string; readonly text: string; readonly contains: boolean } | null;
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  readonly skip: number;
  readonly limit: number;
}

export interface RowChange {
  readonly kind: 'insert' | 'update' | 'delete';
  /** As `read` returned it. Empty for a new row. */
  readonly key: Readonly<Record<string, Json>>;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RowSource {
  /** Columns that identify a row; empty: none do, and no row can be changed. */
  listKeys(table: ModelTable): readonly string[];
  /** The type of a column, also of one that the store adds. Null: there is no such column. */
  findType(table: ModelTable, column: string): ColumnType | null;
  read(table: ModelTable, window: RowWindow): Promise<readonly JsonObject[]>;
  /** Rows with this value. */
  count(table: ModelTable, column: string, value: string | number): Promise<number>;
  findObstacle(): Promise<string | null>;
  /** Changes rows in a transaction, which is committed only with `isKept` and for exactly one row. Returns the number of rows. */
  changeRows(table: ModelTable, change: RowChange, isKept: boolean): Promise<number>;
}

/** For `changeRows`. */
export async function endChange<T>(
  store: { commit(transaction: T): Promise<void>; rollback(transaction: T): Promise<void> },
  transaction: T,
  isKept: boolean,
  change: () => Promise<number>,
): Promise<number> {
  let isOpen = true;
  try {
    const count = await change();
    if (isKept && count === 1) {
      isOpen = false;
      await store.commit(transaction);
    }
    return count;
  } finally {
    if (isOpen) await store.rollback(transaction);
  }
}
