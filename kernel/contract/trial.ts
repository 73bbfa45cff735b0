/** Types for statements that a store checks without running them. */
import type { ModelTable } from './model.js';

/** A statement as its definition has it. */
export interface Question {
  readonly text: string;
  /** For each placeholder the text that every request binds to it; null where that is not certain. */
  readonly values: readonly (string | null)[];
}

/** The error that a store reports for a statement. Positions are UTF-16 code units of the text of the definition. */
export interface Refusal {
  /** The subject: a column, a table name, a type that cannot be inferred, a function, or something else. */
  readonly about: 'column' | 'table' | 'untyped' | 'function' | 'other';
  /** The store's message, without a full stop. */
  readonly what: string;
  /** A sentence of advice; may be empty. */
  readonly advice: string;
  /** Null: the whole statement. */
  readonly at: number | null;
  /** The number of the placeholder whose value is invalid; null: the text itself is invalid. */
  readonly n: number | null;
  /** A likely replacement for the word at the position. */
  readonly near: string | null;
}

/** An empty in-process store for checking statements. */
export interface Scratch {
  /**
   * Returns, in order, null for a statement that can run or whose error is not certain. `tables`: all tables that the
   * statements need; they are created, or recreated when they changed.
   */
  ask(trial: Trial): Promise<readonly (Refusal | null)[]>;
  close(): Promise<void>;
}

export interface Trial {
  /** The configured connection. */
  readonly instance: string;
  readonly tables: readonly ModelTable[];
  readonly questions: readonly Question[];
  /** Scripts that extend the tables of the models, in order. */
  readonly scripts: readonly Script[];
  /** The connection leads to a separate server, which may have more features than this store, such as extensions. */
  readonly remote: boolean;
}

/** SQL files of the project, for what models cannot express. */
export interface Script {
  /** File name for messages. */
  readonly file: string;
  readonly text: string;
}
