/** Work that lets requests be answered in between. */

/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));

const TURN_MS = 12;

export function startTurn(): () => boolean {
  const end = performance.now() + TURN_MS;
  return () => performance.now() > end;
}
