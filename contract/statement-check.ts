/** Types for statements that a store checks without running them. */
import type { Json } from './json.js';
import type { ModelTable } from './model.js';

export interface StatementQuestion {
  readonly text: string;
  /** What every request binds to each placeholder; null where uncertain. */
  readonly values: readonly (string | null)[];
}

/** The error of a statement. Positions are UTF-16 code units. */
export interface StatementRejection {
  /** `untyped`: a type that cannot be inferred. */
  readonly about: 'column' | 'table' | 'untyped' | 'function' | 'other';
  /** Without a full stop. */
  readonly what: string;
  /** A sentence; may be empty. */
  readonly advice: string;
  /** Null: the whole statement. */
  readonly at: number | null;
  /** Of the invalid value; null: the text itself is invalid. */
  readonly n: number | null;
  /** A likely replacement of the word. */
  readonly near: string | null;
}

/** A query that is written as an object, not as text. */
export interface QueryQuestion {
  /** The fields of the query's plugin as written. */
  readonly value: Readonly<Record<string, Json>>;
  /** The store that it runs on. */
  readonly instance: string;
}

export interface QueryRejection {
  /** Without a full stop. */
  readonly what: string;
  /** The key in the query that the error names; null: the whole query. */
  readonly name: string | null;
}

/** The types that a store inferred, by its names. */
export interface StatementDescription {
  /** By placeholder: `$1` is the first. */
  readonly parameters: readonly string[];
  /** Of the rows that the statement returns. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface StatementAnswer {
  /** Null for a statement that is valid, or not certainly wrong. */
  readonly rejection: StatementRejection | null;
  /** Null where the store inferred no types. */
  readonly description: StatementDescription | null;
}

/** Null for a valid or uncertain one. */
export type StatementResults = readonly (StatementRejection | null)[];
export type QueryResults = readonly (QueryRejection | null)[];

/** An empty store that checks statements. Questions and answers are plain data: it may be in another process. */
export interface Scratch {
  /** `tables` of the trial: all tables that the statements need. */
  checkStatements(trial: Trial): Promise<readonly StatementAnswer[]>;
  close(): Promise<void>;
}

export interface Trial {
  readonly instance: string;
  readonly tables: readonly ModelTable[];
  readonly questions: readonly StatementQuestion[];
  /** Scripts that extend the tables, in order. */
  readonly scripts: readonly Script[];
  /** A server may have more features, such as extensions. */
  readonly remote: boolean;
}

export interface Script {
  /** The file name in messages. */
  readonly file: string;
  readonly text: string;
}
