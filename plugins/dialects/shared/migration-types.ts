/** Existing tables, and what a migration needs of a dialect. Types only. */
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import type { TableChange, MigrationPlan } from './changes.js';
import type { MigrationSession, WithSession } from './session.js';
import type { Log } from '../../../contract/plugin.js';
import type { MigrationProgress, MigrationOptions } from '../../../contract/migration.js';

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
  /** The database counts. */
  readonly counted: boolean;
  readonly generated: boolean;
  /** As the database writes it. */
  readonly default: string | null;
  readonly comment: string | null;
}

export interface KnownIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly primary: boolean;
  readonly constraint: boolean;
  /** Empty for expressions, prefixes and partial indexes, which are ignored. */
  readonly columns: readonly string[];
}

export interface KnownConstraint {
  readonly name: string;
  readonly type: 'check' | 'foreign' | 'other';
  readonly columns: readonly string[];
  readonly target: string | null;
  /** Of a foreign key: the columns of the target. */
  readonly targetColumns: readonly string[];
  readonly definition: string;
}

export interface KnownTable {
  /** False for views and similar objects, which are left unchanged. */
  readonly table: boolean;
  readonly comment: string | null;
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

export interface TypeMapping {
  getType(table: ModelTable, column: ModelColumn): string;
  /** Null: the column fits. */
  findMisfit(table: ModelTable, column: ModelColumn, known: KnownColumn): Misfit | null;
  /** The limit of the check constraint; null: there is none. */
  getLengthLimit(table: ModelTable, column: ModelColumn): number | null;
  /** The reason; null: supported. */
  explainUnsupported(column: ModelColumn, what: 'unique' | 'index' | 'search'): string | null;
}

export interface Ddl {
  readonly table: string;
  readonly sql: string;
}

export interface Flavour {
  /** A failed change undoes all. */
  readonly transactional: boolean;
  /** Null: all tables and views. */
  introspect(session: MigrationSession, tables: readonly ModelTable[] | null): Promise<KnownTables>;
  mapTypes(tables: readonly ModelTable[], known: KnownTables): TypeMapping;
  /** Where databases validate all rows immediately. */
  removeViolatedChecks(session: MigrationSession, plan: MigrationPlan): Promise<MigrationPlan>;
  write(changes: readonly TableChange[]): Promise<readonly Ddl[]>;
  readonly quote: (name: string) => string;
  /** The placeholder of the `n`-th value, from 1. */
  readonly placeholder: (n: number) => string;
  /** To the end of the session; other processes that migrate wait. */
  lock(session: MigrationSession): Promise<void>;
  /** The session must be without a transaction. */
  applySeparately?(session: MigrationSession, change: TableChange, onStatement: (sql: string) => void): Promise<void>;
  isViolatedByRows?(session: MigrationSession, change: TableChange): Promise<boolean>;
  /** The lock timeout expired, or a deadlock was ended. */
  isLocked?(cause: unknown): boolean;
  isDuplicate(cause: unknown): boolean;
  /** The database is unavailable; the tables are not the cause. */
  isUnavailable(cause: unknown): boolean;
  /** Removes values, for the log. */
  sanitizeError(cause: unknown): unknown;
}

export interface MigrationTarget {
  readonly withSession: WithSession;
  /** Sessions without a transaction, for databases in use during a migration. */
  readonly withoutTransaction?: WithSession;
  readonly flavour: (session: MigrationSession) => Promise<Flavour> | Flavour;
  readonly store: string;
  /** It receives the changes of its primary and is never changed. */
  readonly isReplica?: boolean;
}

export interface MigrationContext {
  readonly log: Log;
  readonly progress?: MigrationProgress | undefined;
  readonly how?: MigrationOptions | undefined;
}
