/** The reporters of `lintel test`, by the name that `--reporter` takes. */
import type { Terminal } from '../../terminal.js';
import type { CaseOutcome } from '../outcome.js';
import { createJsonReporter, createJunitReporter, createTapReporter } from './machine.js';
import { createPrettyReporter } from './pretty.js';

export interface Reporter {
  /** Called as each case ends. */
  reportCase(outcome: CaseOutcome): void;
  finishReport(outcomes: readonly CaseOutcome[], milliseconds: number): void;
}

/** `secrets`: texts that no report shows. */
export const REPORTERS: Readonly<Record<string, (terminal: Terminal, secrets: readonly string[]) => Reporter>> = {
  pretty: createPrettyReporter,
  json: createJsonReporter,
  junit: createJunitReporter,
  tap: createTapReporter,
};
