/**
 * What a database says of the tables that it has now, in words that fit every SQL database, and what a migration asks of
 * one. Types only: each dialect family brings its own readers and writers.
 */
import type { ModelColumn, ModelTable } from '../../../kernel/contract/model.js';
import type { Change, MigrationPlan } from './changes.js';
import type { Session } from './session.js';

export interface KnownColumn {
  /** The name of the type alone: `int8`, `varchar`. */
  readonly type: string;
  /** As people write it, with its length. */
  readonly written: string;
  readonly nullable: boolean;
  /** It gets a value where an INSERT names none: a default, a counter, an expression. */
  readonly filled: boolean;
  /** Characters, where the type itself has a bound. */
  readonly length: number | null;
  readonly collation: string | null;
}

export interface KnownIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly primary: boolean;
  /** Made by a constraint of the same name, and to be dropped as one. */
  readonly constraint: boolean;
  /** Key columns; empty for indexes on expressions, on parts or with a condition, which stand for nothing here. */
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
  /** False for views and the like: they are left as they are. */
  readonly table: boolean;
  readonly columns: ReadonlyMap<string, KnownColumn>;
  readonly indexes: readonly KnownIndex[];
  readonly constraints: readonly KnownConstraint[];
}

export type KnownTables = ReadonlyMap<string, KnownTable>;

export interface Misfit {
  readonly message: string;
  /** What cannot be built on the column while it is so: nothing at all, or no reference. */
  readonly blocks: 'all' | 'references' | 'nothing';
  /** Requests fail or go wrong because of it. */
  readonly serious: boolean;
}

/** How a database keeps what a model says. */
export interface Shape {
  /** The type that a column gets, in the words of the database. */
  typeOf(table: ModelTable, column: ModelColumn): string;
  /** Why a column that is there does not do; null: it does. */
  misfit(table: ModelTable, column: ModelColumn, known: KnownColumn): Misfit | null;
  /** The most characters that a check of the table lets pass; null: there is no check. */
  bound(table: ModelTable, column: ModelColumn): number | null;
  /** What this database has no index for, in words; null: it can. */
  cannot(column: ModelColumn, what: 'unique' | 'index' | 'search'): string | null;
}

export interface Ddl {
  readonly table: string;
  readonly sql: string;
}

/** What a family of databases brings to a migration. */
export interface Flavour {
  /** Everything that was begun is undone when one change fails. */
  readonly transactional: boolean;
  introspect(session: Session, tables: readonly ModelTable[]): Promise<KnownTables>;
  shape(tables: readonly ModelTable[], known: KnownTables): Shape;
  /** Takes out what rows that are there stand against, where the database judges them at once. */
  settle(session: Session, plan: MigrationPlan): Promise<MigrationPlan>;
  write(changes: readonly Change[]): Promise<readonly Ddl[]>;
  readonly quote: (name: string) => string;
  /** Waits for other processes that change tables; the answer lets the next one in. */
  lock(session: Session): Promise<() => Promise<void>>;
  /** Of a session that holds no transaction: makes a change that is marked as `apart`. */
  apart?(session: Session, change: Change, said: (sql: string) => void): Promise<void>;
  /** Rows that are there stand against such a change. */
  isRefusedByRows?(session: Session, change: Change): Promise<boolean>;
  /** Another session holds a lock, and for longer than one waits. */
  isLocked?(cause: unknown): boolean;
  isDuplicate(cause: unknown): boolean;
  /** The database went; nothing is wrong with the tables. */
  isAway(cause: unknown): boolean;
  /** What a log may see of an error: no values. */
  clean(cause: unknown): unknown;
}
