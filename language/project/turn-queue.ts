/**
 * Runs work at the end of a turn of the event loop. What requests do in a row uses the same code, and wakes a reader on another core
 * once, which takes longer than a small response. More than `most` would delay the first of them.
 */
export function createTurnQueue(most = Infinity): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  const runWaiting = (): void => {
    for (const work of waiting.splice(0)) work();
  };
  return (work) => {
    const count = waiting.push(work);
    if (count === 1) setImmediate(runWaiting);
    else if (count === most) runWaiting();
  };
}
