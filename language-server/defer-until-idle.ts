/** Work that lets requests be answered in between. */

/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));

/** Milliseconds. */
const TURN = 12;

/** Returns whether the turn is over. */
export function startTurn(): () => boolean {
  const end = performance.now() + TURN;
  return () => performance.now() > end;
}
