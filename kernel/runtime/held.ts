/** Cleanup work that runs at the end of a request. */

/** `answered`: the plan ran to its end. */
export type HeldWork = (answered: boolean) => void | Promise<void>;

/** Runs everything, then throws the first failure. */
export async function giveBack(held: readonly HeldWork[], answered: boolean): Promise<void> {
  const outcomes = await Promise.allSettled(held.map(async (work) => work(answered)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
