/** Waits for a condition without an event: polls, less often over time, and reports what it waited for. */

/**
 * Milliseconds after which a wait fails. The limit only distinguishes a hang from a slow machine, so it is far longer
 * than any test: a test that must be fast measures that with a stopwatch. The mutation check, whose mutants hang often,
 * sets a lower one.
 */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 60_000);

/** `patience`: milliseconds; less where the caller begins again. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  what = 'the condition',
  patience = PATIENCE_MS,
): Promise<void> {
  const begun = Date.now();
  while (!(await check())) {
    const waited = Date.now() - begun;
    if (waited > patience) throw new Error(`did not happen within ${patience / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waited < 50 ? 5 : 20));
  }
}
