/**
 * Signals of the first process of a container. The system gives process 1 no default: a SIGTERM that nobody listens for yet,
 * because plugins are opening or tables are made, would be lost, and the container killed much later. Cleans nothing up.
 */

/** Exit codes as shells tell them. */
const CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/** A command that listens itself decides alone, from then on. */
export function heedSignals(first: NodeJS.Process): void {
  if (first.pid !== 1) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    first.on(signal, () => {
      if (first.listenerCount(signal) === 1) first.exit(CODES[signal]);
    });
  }
}
