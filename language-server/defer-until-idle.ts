/** Work that lets requests be answered in between. */

/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));

/** Milliseconds of processor time: on a busy machine a turn does as much. */
const TURN = 20;
/** Of the turn in which open files are checked before the others, and the first of a completion. */
export const FIRST_TURN = 60;

const readCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Whether a turn is over; it begins at the first question, so that it is never over before anything is done. */
export function startTurn(length = TURN): () => boolean {
  let begun: number | null = null;
  return () => {
    begun ??= readCpu();
    return readCpu() - begun > length;
  };
}
