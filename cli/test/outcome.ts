/** What the cases came to; reporters print it. */
import type { Json } from '../../contract/json.js';
import type { Range } from '../../contract/problem.js';
import type { Definition } from '../../language/analysis/model.js';
import type { Document } from '../../language/source/document.js';

export interface CaseFailure {
  readonly message: string;
  readonly doc: Document;
  readonly range: Range;
}

export interface CaseOutcome {
  readonly file: string;
  readonly group: string;
  readonly id: string;
  readonly milliseconds: number;
  /** Empty: it passed. */
  readonly failures: readonly CaseFailure[];
  /** Of a case that passed with `--update`. */
  readonly updates: readonly SnapshotUpdate[];
}

/** A value that `--update` writes into a test file. */
export interface SnapshotUpdate {
  readonly definition: Definition;
  /** JSON pointer in the definition. */
  readonly pointer: string;
  readonly value: Json;
}

export interface Reporter {
  /** Called as each case ends. */
  reportCase(outcome: CaseOutcome): void;
  finishReport(outcomes: readonly CaseOutcome[], milliseconds: number): void;
}
