/**
 * What a load generator is to this benchmark: a command line for one shot at one server, and a way to read its result.
 * How it is run and watched is the same for all of them and stands in load.ts.
 */
import type { Row } from './rows.js';

/** Requests that are prepared per row; the generator cycles through them. */
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
  /** Refused or broken connections, timeouts, and answers that are not a success. */
  readonly errors: number;
}

export interface Generator {
  readonly name: string;
  /** Writes what the generator needs into `folder` and gives its command line. */
  buildCommand(program: string, shot: Shot, folder: string): Promise<string[]>;
  parseOutcome(output: string): Outcome;
}
