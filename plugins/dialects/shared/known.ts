/** Describes existing tables independently of the SQL database, and what a migration needs of a dialect. Types only. */
import type { ModelColumn, ModelTable } from '../../../kernel/contract/model.js';
import type { Change, MigrationPlan } from './changes.js';
import type { Session } from './session.js';

export interface KnownColumn {
  /** The name of the type without its length: `int8`, `varchar`. */
  readonly type: string;
  /** The type as written in SQL, with its length. */
  readonly written: string;
  readonly nullable: boolean;
  /** An INSERT may omit it: it has a default, an identity or an expression. */
  readonly filled: boolean;
  /** In characters, if the type itself is bounded. */
  readonly length: number | null;
  readonly collation: string | null;
}

export interface KnownIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly primary: boolean;
  /** Created by a constraint of the same name, and to be dropped as one. */
  readonly constraint: boolean;
  /** Key columns; empty for indexes on expressions or prefixes and for partial indexes, which are ignored. */
  readonly columns: readonly string[];
}

export interface KnownConstraint {
  readonly name: string;
  readonly type: 'check' | 'foreign' | 'other';
  readonly columns: readonly string[];
  readonly target: string | null;
  readonly definition: string;
}

export interface KnownTable {
  /** False for views and similar objects, which are left unchanged. */
  readonly table: boolean;
  readonly columns: ReadonlyMap<string, KnownColumn>;
  readonly indexes: readonly KnownIndex[];
  readonly constraints: readonly KnownConstraint[];
}

export type KnownTables = ReadonlyMap<string, KnownTable>;

export interface Misfit {
  readonly message: string;
  /** What cannot be built on the column: nothing, or no reference. */
  readonly blocks: 'all' | 'references' | 'nothing';
  /** Requests fail or return wrong results because of it. */
  readonly serious: boolean;
}

/** Maps a model to the types of a database. */
export interface Shape {
  /** The SQL type of a column. */
  typeOf(table: ModelTable, column: ModelColumn): string;
  /** Why an existing column does not fit; null: it fits. */
  misfit(table: ModelTable, column: ModelColumn, known: KnownColumn): Misfit | null;
  /** The most characters that the check constraint allows; null: there is no check. */
  bound(table: ModelTable, column: ModelColumn): number | null;
  /** Why this database does not support such an index; null: it does. */
  cannot(column: ModelColumn, what: 'unique' | 'index' | 'search'): string | null;
}

export interface Ddl {
  readonly table: string;
  readonly sql: string;
}

/** The part of a migration that depends on the database. */
export interface Flavour {
  /** Table changes are transactional: a failed change undoes all. */
  readonly transactional: boolean;
  introspect(session: Session, tables: readonly ModelTable[]): Promise<KnownTables>;
  shape(tables: readonly ModelTable[], known: KnownTables): Shape;
  /** Removes changes that existing rows violate, in databases that validate all rows at once. */
  settle(session: Session, plan: MigrationPlan): Promise<MigrationPlan>;
  write(changes: readonly Change[]): Promise<readonly Ddl[]>;
  readonly quote: (name: string) => string;
  /** Waits for other processes that migrate; the returned function releases the lock. */
  lock(session: Session): Promise<() => Promise<void>>;
  /** Makes a change marked `apart`, in a session without a transaction. */
  apart?(session: Session, change: Change, said: (sql: string) => void): Promise<void>;
  /** Whether existing rows violate such a change. */
  isRefusedByRows?(session: Session, change: Change): Promise<boolean>;
  /** The lock timeout expired because another session holds a lock. */
  isLocked?(cause: unknown): boolean;
  isDuplicate(cause: unknown): boolean;
  /** The database is unavailable; the tables are not the cause. */
  isAway(cause: unknown): boolean;
  /** The error for the log, without values. */
  clean(cause: unknown): unknown;
}
