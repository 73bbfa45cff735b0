/**
 * The reporter of every test run: mocha's Spec, then each skipped and each failed test by its full name, with why, then one plain last line that a
 * script can read: `N passed, N failed, N skipped`. It changes no result, except that a run without a test has failed, and
 * so has one that does not end.
 */
import Mocha from 'mocha';

import { refuseToLinger, rememberTimers } from './lingering.js';

// Each costs memory for as long as it may be asked about, so only whoever looks for one pays.
if (process.env['TRACE_TIMERS'] === '1') rememberTimers();

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PENDING } = Mocha.Runner.constants;

export default class Reporter extends Mocha.reporters.Spec {
  private readonly skipped: string[] = [];
  private readonly failed: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PENDING, (test) => this.skipped.push(test.fullTitle()));
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => this.failed.push(`${test.fullTitle()}: ${reason(error)}`));
    // Before mocha's own listener, which turns the number of failures into the exit code.
    runner.prependListener(EVENT_RUN_END, () => {
      if (this.ran() === 0) runner.failures = Math.max(runner.failures, 1);
    });
  }

  override epilogue(): void {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    const print = Mocha.reporters.Base.consoleLog;
    for (const title of this.skipped) print('skipped: %s', title);
    for (const title of this.failed) print('failed: %s', title);
    // Told as a failure, so that the line and the exit code agree.
    if (this.ran() === 0) print('failed: no test ran');
    print('%d passed, %d failed, %d skipped', passes, this.ran() === 0 ? 1 : failures, pending);
    refuseToLinger(print);
  }

  /** Tests and hooks that did something; a run of skipped tests only proves nothing. */
  private ran(): number {
    return this.stats.passes + this.stats.failures;
  }
}

const LONGEST_REASON = 300;

/** In one line: it is repeated where the output around it may be gone. */
function reason(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}...` : text;
}
