/**
 * The reporter of every test run: mocha's Spec, then each skipped test by its full name, then one plain last line that a
 * script can read: `N passed, N failed, N skipped`. It changes no result, except that a run without a test has failed.
 */
import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_TEST_PENDING } = Mocha.Runner.constants;

export default class Reporter extends Mocha.reporters.Spec {
  private readonly skipped: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PENDING, (test) => this.skipped.push(test.fullTitle()));
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
    // Told as a failure, so that the line and the exit code agree.
    if (this.ran() === 0) print('failed: no test ran');
    print('%d passed, %d failed, %d skipped', passes, this.ran() === 0 ? 1 : failures, pending);
  }

  /** Tests and hooks that did something; a run of skipped tests only proves nothing. */
  private ran(): number {
    return this.stats.passes + this.stats.failures;
  }
}
