/** The changes that a store needs for the models, in store-independent terms, and the progress of applying them. */
import type { Script } from './trial.js';

export interface MigrationStep {
  /** The configured instance, `main`; outside SQL connections prefixed with the config field, `documents.main`. */
  readonly store: string;
  readonly table: string;
  /** The change in two words: `create table`, `add index`. */
  readonly change: string;
  /** The affected columns, names and bounds. */
  readonly detail: string;
  /** Removes data or a constraint, or rejects existing rows. Applied only with `destroy`. */
  readonly destructive: boolean;
  /** The lost data with counts, `12 values`; null: none. */
  readonly loses: string | null;
  /** Statements in the store's own language, in order. */
  readonly sql: readonly string[];
}

/** A non-additive difference. It is left unchanged, and the message says what to do. */
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
  /** Also apply destructive changes. Never set at start. */
  readonly destroy: boolean;
  /** SQL files of the project; each runs once. */
  readonly scripts?: readonly Script[];
}

/** Called before each step; `at` counts from 1. */
export type MigrationProgress = (step: Omit<MigrationStep, 'sql' | 'loses'>, at: number, of: number) => void;
