/** How long work goes on before requests that have come are answered. */

/** Milliseconds of processor time: on a busy machine a turn does as much. */
const TURN = 20;

const readCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Whether a turn is over; it begins at the first question, so that it is never over before anything is done. */
export function startTurn(): () => boolean {
  let begun: number | null = null;
  return () => {
    begun ??= readCpu();
    return readCpu() - begun > TURN;
  };
}
