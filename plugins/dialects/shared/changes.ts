/** The changes of a migration, and their order. */
import type { ModelColumn } from '../../../contract/model.js';

export interface TypedColumn {
  readonly column: ModelColumn;
  readonly type: string;
}

interface NamedChange {
  readonly table: string;
  readonly column: string;
  readonly name: string;
}

/** `apart`: made outside the transaction, after everything else. */
export type TableChange = Kind & { readonly separate?: true };

type Kind =
  | { readonly change: 'create-table'; readonly table: string; readonly columns: readonly TypedColumn[] }
  | ({ readonly change: 'add-column'; readonly table: string } & TypedColumn)
  | ({ readonly change: 'add-index' } & NamedChange)
  | ({ readonly change: 'add-unique'; readonly columns: readonly string[] } & NamedChange)
  | ({ readonly change: 'add-search' } & NamedChange)
  | ({ readonly change: 'add-length'; readonly length: number } & NamedChange)
  | ({
      readonly change: 'add-foreign';
      readonly target: { readonly table: string; readonly column: string };
    } & NamedChange)
  | ({
      readonly change: 'set-type';
      readonly table: string;
      readonly from: string;
      /** The conversion loses nothing and cannot fail. */
      readonly exact: boolean;
      readonly nullable: boolean;
    } & TypedColumn)
  | ({ readonly change: 'set-nullable'; readonly table: string; readonly nullable: boolean } & TypedColumn)
  | ({ readonly change: 'drop-unique'; readonly constraint: boolean } & NamedChange)
  | ({ readonly change: 'drop-foreign' } & NamedChange)
  | ({ readonly change: 'drop-length' } & NamedChange)
  | { readonly change: 'drop-column'; readonly table: string; readonly column: string };

export interface PlanWarning {
  readonly table: string;
  readonly column: string | undefined;
  readonly message: string;
  /** Requests fail or return wrong results: logged at every start. */
  readonly serious: boolean;
}

export interface MigrationPlan {
  readonly changes: readonly TableChange[];
  readonly warnings: readonly PlanWarning[];
}

/** Foreign keys come after everything they refer to, so that cycles are possible; data is dropped last. */
const ORDER: readonly TableChange['change'][] = [
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

export const sortChanges = (changes: readonly TableChange[]): TableChange[] =>
  [...changes].sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));

const DESTRUCTIVE: ReadonlySet<TableChange['change']> = new Set([
  'drop-length',
  'drop-foreign',
  'drop-unique',
  'set-type',
  'set-nullable',
  'drop-column',
] as const);

/** Removes data or a constraint, or rejects existing rows. */
export const isDestructive = ({ change }: TableChange): boolean => DESTRUCTIVE.has(change);
