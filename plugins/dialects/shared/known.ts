/** Describes existing tables for all SQL databases, and what a migration needs of a dialect. Types only. */
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import type { Change, MigrationPlan } from './changes.js';
import type { Session } from './session.js';

export interface KnownColumn {
  /** Without its length: `int8`, `varchar`. */
  readonly type: string;
  /** As written in SQL, with its length. */
  readonly written: string;
  readonly nullable: boolean;
  /** An INSERT may omit it. */
  readonly filled: boolean;
  /** In characters, if the type is bounded. */
  readonly length: number | null;
  readonly collation: string | null;
}

export interface KnownIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly primary: boolean;
  /** To be dropped as a constraint. */
  readonly constraint: boolean;
  /** Empty for indexes on expressions or prefixes and for partial indexes, which are ignored. */
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
  /** What cannot be built on the column. */
  readonly blocks: 'all' | 'references' | 'nothing';
  readonly serious: boolean;
}

export interface Shape {
  typeOf(table: ModelTable, column: ModelColumn): string;
  /** Null: the column fits. */
  misfit(table: ModelTable, column: ModelColumn, known: KnownColumn): Misfit | null;
  /** The limit of the check constraint; null: there is none. */
  bound(table: ModelTable, column: ModelColumn): number | null;
  /** The reason; null: supported. */
  cannot(column: ModelColumn, what: 'unique' | 'index' | 'search'): string | null;
}

export interface Ddl {
  readonly table: string;
  readonly sql: string;
}

export interface Flavour {
  /** A failed change undoes all. */
  readonly transactional: boolean;
  introspect(session: Session, tables: readonly ModelTable[]): Promise<KnownTables>;
  shape(tables: readonly ModelTable[], known: KnownTables): Shape;
  /** Removes changes that existing rows violate, in databases that validate all rows immediately. */
  settle(session: Session, plan: MigrationPlan): Promise<MigrationPlan>;
  write(changes: readonly Change[]): Promise<readonly Ddl[]>;
  readonly quote: (name: string) => string;
  /** Waits for other processes that migrate; returns the release of the lock. */
  lock(session: Session): Promise<() => Promise<void>>;
  /** The session must be without a transaction. */
  apart?(session: Session, change: Change, said: (sql: string) => void): Promise<void>;
  isRefusedByRows?(session: Session, change: Change): Promise<boolean>;
  /** The lock timeout expired. */
  isLocked?(cause: unknown): boolean;
  isDuplicate(cause: unknown): boolean;
  /** The database is unavailable; the tables are not the cause. */
  isAway(cause: unknown): boolean;
  /** Removes values, for the log. */
  clean(cause: unknown): unknown;
}
