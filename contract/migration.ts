/** The changes that a store needs, and their progress. */
import type { Script } from './statement-check.js';

export interface MigrationStep {
  /** The instance, `main`; outside SQL connections with the config field, `documents.main`. */
  readonly store: string;
  readonly table: string;
  /** `create table`, `add index`. */
  readonly change: string;
  /** Columns, names and bounds. */
  readonly detail: string;
  /** Removes something, or does not fit existing rows. Only with `destroy`. */
  readonly destructive: boolean;
  /** Data with counts, `12 values`. */
  readonly loses: string | null;
  readonly sql: readonly string[];
}

/** A non-additive difference, which remains. */
export interface MigrationWarning {
  readonly store: string;
  readonly table: string;
  readonly column: string | null;
  readonly message: string;
}

export interface MigrationOutline {
  readonly steps: readonly MigrationStep[];
  readonly warnings: readonly MigrationWarning[];
}

export interface MigrationOptions {
  /** Also applies destructive changes. Never set at start. */
  readonly destroy: boolean;
  /** Each script runs once. */
  readonly scripts?: readonly Script[];
}

/** Called before each step; `at` counts from 1. */
export type MigrationProgress = (step: Omit<MigrationStep, 'sql' | 'loses'>, at: number, of: number) => void;

/** The blind index of stored ciphertexts of a column; null for one that it cannot open. */
export interface BlindIndexSource {
  readonly table: string;
  readonly column: string;
  /** The additional data depends on the request: nothing can be opened. */
  readonly perRequest: boolean;
  readonly createIndex: (stored: string) => string | null;
}

/** The rows of one column that had no blind index. */
export interface FilledIndex {
  readonly store: string;
  readonly table: string;
  readonly column: string;
  readonly filled: number;
  /** Rows with a value that no key of the definitions opens. */
  readonly unopened: number;
  /** Rows with a value of another row, in a unique column. */
  readonly duplicates: number;
  /** Why nothing could be filled; null otherwise. */
  readonly reason: string | null;
}

/** Called after each batch, with the rows filled so far. */
export type FillProgress = (at: Pick<FilledIndex, 'table' | 'column' | 'filled'>) => void;
