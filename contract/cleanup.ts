/** Cleanup work that runs at the end of an invocation. */

/** `answered`: the plan ran to its end. */
export type Cleanup = (answered: boolean) => void | Promise<void>;

/** Runs everything, then throws the first failure. */
export async function runCleanups(held: readonly Cleanup[], answered: boolean): Promise<void> {
  const outcomes = await Promise.allSettled(held.map(async (work) => work(answered)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
