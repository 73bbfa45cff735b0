/** What the cases came to; reporters print it. */
import type { Range } from '../../contract/problem.js';
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
}
