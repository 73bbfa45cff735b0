/** Waits for what is not announced: polls, less often when it takes long, and says what it waited for. */

/**
 * Milliseconds after which a wait is given up. The end of a wait only tells a hang from a slow machine, so it is far longer than
 * anything takes: a test that has to be fast measures that with a stopwatch. The mutation check, whose mutants hang often, sets less.
 */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 60_000);

export async function waitUntil(check: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const begun = Date.now();
  while (!(await check())) {
    const waited = Date.now() - begun;
    if (waited > PATIENCE_MS) throw new Error(`did not happen within ${PATIENCE_MS / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waited < 50 ? 5 : 20));
  }
}
