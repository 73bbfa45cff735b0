/** Statements that a store reads and does not run: what is asked, and what it says. Types only. */
import type { ModelTable } from './model.js';

/** A statement as its definition has it. */
export interface Question {
  readonly text: string;
  /** For each placeholder the text that is bound to it in every request; null where that is not certain. */
  readonly values: readonly (string | null)[];
}

/** What the store says against a statement. Places are UTF-16 code units of the text of the definition. */
export interface Refusal {
  /** What it is about: a column, the name of a table, a type that nothing tells, a function, or something else. */
  readonly about: 'column' | 'table' | 'untyped' | 'function' | 'other';
  /** In the words of the store, without a full stop. */
  readonly what: string;
  /** What helps, as a sentence; empty where nothing is known. */
  readonly advice: string;
  /** Null: the whole statement. */
  readonly at: number | null;
  /** The number of the placeholder whose value does not fit; null: the text is wrong. */
  readonly n: number | null;
  /** What could stand at the place instead of the word there. */
  readonly near: string | null;
}

/** An empty store in this process, on which statements are tried. */
export interface Scratch {
  /**
   * In the order of the questions: null for a statement that can run, or whose mistake is not certain. `tables`: all that the
   * statements need; they are made, or made anew where they are others than before.
   */
  ask(trial: Trial): Promise<readonly (Refusal | null)[]>;
  close(): Promise<void>;
}

export interface Trial {
  /** The connection that is meant. */
  readonly instance: string;
  readonly tables: readonly ModelTable[];
  readonly questions: readonly Question[];
  /** What is added to the tables of the models, in its order. */
  readonly scripts: readonly Script[];
  /** The connection leads to a server of its own, which may have more than this store: extensions, for example. */
  readonly remote: boolean;
}

/** SQL of the project that models cannot say. */
export interface Script {
  /** Name of the file, as it is shown. */
  readonly file: string;
  readonly text: string;
}
