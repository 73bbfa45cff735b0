/**
 * A bound on work of one sort: so many at a time, the others in the order they came, and no more of them than the line has
 * places. Nothing here does the work, or knows what it is.
 */
import type { Turns } from './plan.js';

export interface Line extends Turns {
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** `full`: what whoever comes beyond the line is refused with. */
export function createLine(atOnce: number, places: number, full: () => Error): Line {
  const line: (() => void)[] = [];
  let running = 0;
  /** The place that becomes free goes to the next in line, so nobody can slip in between. */
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) running--;
    else next();
  };
  const enter = async (): Promise<void> => {
    if (running < atOnce) running++;
    else if (line.length >= places) throw full();
    else await new Promise<void>((resolve) => line.push(resolve));
  };
  return {
    async take() {
      await enter();
      return leave;
    },
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return line.length;
    },
  };
}
