/** Work that lets requests be answered in between. */

/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));

const TURN_MS = 12;
/** Of the first turn of a completion. */
export const FIRST_TURN_MS = 60;

export function startTurn(length = TURN_MS): () => boolean {
  const end = performance.now() + length;
  return () => performance.now() > end;
}
