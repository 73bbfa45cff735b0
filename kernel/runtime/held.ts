/** What a request holds until it is over, whoever triggered it. */

/** `answered`: it ran to its end; otherwise it was refused or failed. */
export type HeldWork = (answered: boolean) => void | Promise<void>;

/** Gives everything back. The first failure is told when all was tried. */
export async function giveBack(held: readonly HeldWork[], answered: boolean): Promise<void> {
  const outcomes = await Promise.allSettled(held.map(async (work) => work(answered)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
