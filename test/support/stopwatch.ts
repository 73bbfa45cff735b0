/**
 * Measures a duration, less the time in which processes of this machine waited for a processor, where the system counts
 * it (Linux, as pressure stall information). A bound of milliseconds then holds on a busy machine too, and a process
 * that waits for the wrong timer still exceeds it.
 */
import { readFileSync } from 'node:fs';

/** Milliseconds since the start of the system; 0 where they are not counted. */
function stalledMs(): number {
  try {
    const [, total = '0'] = /^some .* total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? [];
    return Number(total) / 1000;
  } catch {
    return 0;
  }
}

/** Returns the milliseconds since this call. */
export function startStopwatch(): () => number {
  const [began, stalled] = [performance.now(), stalledMs()];
  return () => performance.now() - began - (stalledMs() - stalled);
}
