/**
 * Everything that a migration can do to a table, as data, and the order in which it is done. What loses data or refuses rows
 * that are there is marked, and is planned only where it was asked for.
 */
import type { ModelColumn } from '../../../kernel/contract/model.js';

/** A column with the type that the database keeps it in. */
export interface TypedColumn {
  readonly column: ModelColumn;
  readonly type: string;
}

interface Named {
  readonly table: string;
  /** The column, or the names of all columns, for people. */
  readonly column: string;
  readonly name: string;
}

/** `apart`: outside of the transaction, behind everything else. */
export type Change = Kind & { readonly apart?: true };

type Kind =
  | { readonly change: 'create-table'; readonly table: string; readonly columns: readonly TypedColumn[] }
  | ({ readonly change: 'add-column'; readonly table: string } & TypedColumn)
  | ({ readonly change: 'add-index' } & Named)
  | ({ readonly change: 'add-unique'; readonly columns: readonly string[] } & Named)
  | ({ readonly change: 'add-search' } & Named)
  | ({ readonly change: 'add-length'; readonly length: number } & Named)
  | ({ readonly change: 'add-foreign'; readonly target: { readonly table: string; readonly column: string } } & Named)
  | ({
      readonly change: 'set-type';
      readonly table: string;
      readonly from: string;
      /** It cannot fail on a value and loses none. */
      readonly exact: boolean;
      readonly nullable: boolean;
    } & TypedColumn)
  | ({ readonly change: 'set-nullable'; readonly table: string; readonly nullable: boolean } & TypedColumn)
  | ({ readonly change: 'drop-unique'; readonly constraint: boolean } & Named)
  | ({ readonly change: 'drop-foreign' } & Named)
  | ({ readonly change: 'drop-length' } & Named)
  | { readonly change: 'drop-column'; readonly table: string; readonly column: string };

export interface PlanWarning {
  readonly table: string;
  readonly column: string | undefined;
  readonly message: string;
  /** Requests fail or go wrong because of it: said at every start, not only by `lintel migrate`. */
  readonly serious: boolean;
}

export interface MigrationPlan {
  readonly changes: readonly Change[];
  readonly warnings: readonly PlanWarning[];
}

/** Foreign keys after all that they may lean on, so that circles are no problem; what loses data comes last of all. */
const ORDER: readonly Change['change'][] = [
  'create-table',
  'add-column',
  'drop-length',
  'drop-foreign',
  'drop-unique',
  'set-type',
  'add-unique',
  'add-length',
  'add-index',
  'add-search',
  'add-foreign',
  'set-nullable',
  'drop-column',
];

export const inOrder = (changes: readonly Change[]): Change[] =>
  [...changes].sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));

const DESTRUCTIVE: ReadonlySet<Change['change']> = new Set([
  'drop-length',
  'drop-foreign',
  'drop-unique',
  'set-type',
  'set-nullable',
  'drop-column',
] as const);

/** It takes something away from a table: data, a promise, or rows that do not fit. */
export const isDestructive = ({ change }: Change): boolean => DESTRUCTIVE.has(change);
