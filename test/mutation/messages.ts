/** Messages between the tool and its worker processes, and the files of a measured test. Types only. */

/** Source file -> lines, as text: `3-7,9`. */
export type LinesByFile = Readonly<Record<string, string>>;

export interface RunRequest {
  /** A compiled test file, absolute. */
  readonly file: string;
}

export interface Failure {
  readonly test: string;
  readonly message: string;
}

export interface RunResult {
  readonly file: string;
  readonly passes: number;
  readonly pending: number;
  readonly failure: Failure | null;
  /** Milliseconds of the tests, without loading. */
  readonly ms: number;
  /** Only where coverage is measured. */
  readonly executed: Executed | null;
}

export interface Executed {
  /** Lines of function bodies. */
  readonly run: LinesByFile;
  /** Lines that run when their module is loaded: in a process that is reused only the first file loads it. */
  readonly load: LinesByFile;
}

/** One script, as small as it can be written: its address, and `[start, end, count]` of each range, outer ones first. */
export type ScriptCoverage = readonly [url: string, functions: readonly (readonly RangeCoverage[])[]];
export type RangeCoverage = readonly [start: number, end: number, count: number];
