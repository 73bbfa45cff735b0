/** Milliseconds since a start, on a timer that tests cannot move. */
import { hrtime } from 'node:process';

export function startStopwatch(): () => number {
  const start = hrtime.bigint();
  return () => Number(hrtime.bigint() - start) / 1e6;
}
