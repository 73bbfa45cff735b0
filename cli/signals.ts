/**
 * Handles signals as process 1 of a container, which has no default action: a SIGTERM during startup would be lost.
 */

/** Shell convention: 128 + signal number. */
const CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/** Once a command adds its own listener, this one does nothing. */
export function exitOnSignals(first: NodeJS.Process): void {
  if (first.pid !== 1) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    first.on(signal, () => {
      if (first.listenerCount(signal) === 1) first.exit(CODES[signal]);
    });
  }
}
