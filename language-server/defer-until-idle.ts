/** Work that lets requests be answered in between. */

/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));

/** Milliseconds. */
const TURN = 12;
/** Of the first turn of a completion. */
export const FIRST_TURN = 60;

/** Returns whether the turn is over. */
export function startTurn(length = TURN): () => boolean {
  const end = performance.now() + length;
  return () => performance.now() > end;
}
