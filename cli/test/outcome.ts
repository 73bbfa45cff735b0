/** Results of cases. */
import type { Json } from '../../contract/json.js';
import type { Range } from '../../contract/problem.js';
import type { ReportedExchange } from '../../contract/tests.js';
import type { Definition } from '../../language/analysis/model.js';
import type { Document } from '../../language/source/document.js';

export interface CaseFailure {
  readonly message: string;
  readonly exchange?: ReportedExchange | undefined;
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
