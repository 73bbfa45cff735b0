/** The time of the process, for code that knows no platform. */
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

export const clock = {
  now: (): number => performance.now(),
  wait: (milliseconds: number): Promise<void> => setTimeout(milliseconds, undefined),
};
