/** What a store would change to hold the models, in words that fit every store, and how it tells that it is at work. */

export interface MigrationStep {
  /** The configured instance, `main`. */
  readonly store: string;
  readonly table: string;
  /** What happens, in two words: `create table`, `add index`. */
  readonly change: string;
  /** To what: columns, names, bounds. */
  readonly detail: string;
  /** Statements in the store's own language, in order. */
  readonly sql: readonly string[];
}

/** A difference that adding cannot mend. It is left as it is. */
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

/** Called before each step; `at` counts from 1. */
export type MigrationProgress = (step: Omit<MigrationStep, 'sql'>, at: number, of: number) => void;
