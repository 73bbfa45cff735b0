/** What a store would change to hold the models, in words that fit every store, and how it tells that it is at work. */
import type { Script } from './trial.js';

export interface MigrationStep {
  /** The configured instance, `main`; of a kind that is no SQL connection with its field of the config, `documents.main`. */
  readonly store: string;
  readonly table: string;
  /** What happens, in two words: `create table`, `add index`. */
  readonly change: string;
  /** To what: columns, names, bounds. */
  readonly detail: string;
  /** It takes something away: data, a promise of the table, or rows that do not fit. Made only where `destroy` is asked for. */
  readonly destructive: boolean;
  /** What data goes, with numbers: `12 values`; null: none. */
  readonly loses: string | null;
  /** Statements in the store's own language, in order. */
  readonly sql: readonly string[];
}

/** A difference that adding cannot mend. It is left as it is, and the message says what to do about it. */
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

export interface MigrationHow {
  /** Bring also what differs to the shape of the models, where that takes something away. Never at a start. */
  readonly destroy: boolean;
  /** SQL of the project, of which each file is run once. */
  readonly scripts?: readonly Script[];
}

/** Called before each step; `at` counts from 1. */
export type MigrationProgress = (step: Omit<MigrationStep, 'sql' | 'loses'>, at: number, of: number) => void;
