/** The interface of a load generator: its command line for one load, and the parser of its output. `load.ts` runs it. */
import type { Row } from './rows.js';

/** Prepared requests per row; the generator repeats them. */
export const distinctRequests = 1000;

export interface Shot {
  readonly url: string;
  readonly row: Row;
  readonly connections: number;
  readonly seconds: number;
}

export interface Outcome {
  readonly requests: number;
  readonly seconds: number;
  /** Connection errors, timeouts, and responses that are not a success. */
  readonly errors: number;
}

export interface Generator {
  readonly name: string;
  /** Writes the files of the generator into `folder` and returns its command line. */
  buildCommand(program: string, shot: Shot, folder: string): Promise<string[]>;
  parseOutcome(output: string): Outcome;
}
