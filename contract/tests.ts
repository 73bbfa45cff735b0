/** What `lintel test` needs of plugins: empty stores, guards that let its callers in, and reporters. */
import type { Json, JsonObject } from './json.js';
import type { ModelTable } from './model.js';
import type { Range } from './problem.js';

export interface TestStore {
  /** Removes all that was written since the store was opened, and resets its numbers. */
  reset(): Promise<void>;
  /** Columns that a row lacks get their default. */
  insertRows?(table: ModelTable, rows: readonly JsonObject[]): Promise<void>;
  readRows?(table: ModelTable): Promise<readonly JsonObject[]>;
  /** Changes or removes (null) rows that `readRows` returned. */
  changeRows?(table: ModelTable, rows: readonly JsonObject[], values: JsonObject | null): Promise<void>;
  /** Only for stores with files. */
  insertFiles?(files: readonly TestStoredFile[]): Promise<void>;
  readFiles?(): Promise<readonly TestStoredFile[]>;
}

/** An empty database that `lintel test --database` creates on a configured server. */
export interface TestDatabase {
  /** Those of the configured plugin, for this database. */
  readonly options: JsonObject;
  drop(): Promise<void>;
}

export interface TestStoredFile {
  readonly key: string;
  readonly content: Uint8Array;
}

/** A request that a test is about to send. */
export interface TestRequest {
  /** The definition of the resource, and its id. */
  readonly resource: JsonObject;
  readonly id: string;
  /** Null: the test sends no token. */
  readonly claims: JsonObject | null;
  /** Whether a signature of the sender is right; null: the test sends none. */
  readonly signed: boolean | null;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reads a setting that is constant or from the environment. */
  readonly text: (json: Json) => string;
}

/** A case that has ended, as a reporter receives it: without secrets and tokens. */
export interface ReportedCase {
  readonly file: string;
  readonly group: string;
  readonly id: string;
  readonly milliseconds: number;
  /** Empty: it passed. */
  readonly failures: readonly ReportedFailure[];
}

export interface ReportedFailure {
  readonly message: string;
  readonly range: Range;
  readonly frame: string;
  readonly exchange?: ReportedExchange;
}

/** Of an unexpected response: texts that differ where it does. */
export interface ReportedExchange {
  readonly request: string;
  readonly expected: string;
  readonly actual: string;
}

export interface ReportOutput {
  /** Writes to the standard output. */
  readonly write: (text: string) => void;
  /** Returns the text unchanged where colors are off. */
  readonly paint: (style: 'error' | 'warning' | 'hint' | 'dim' | 'bold', text: string) => string;
}

export interface TestReporter {
  startReport(output: ReportOutput): TestReport;
}

export interface TestReport {
  /** Called as each case ends. */
  reportCase(outcome: ReportedCase): void;
  finishReport(outcomes: readonly ReportedCase[], milliseconds: number): void;
}
