/**
 * Waits for the end of a turn of the event loop. What several requests do then in a row stays in the caches of the processor, and
 * wakes a reader on another core once.
 */
export function createTurnWait(): () => Promise<void> {
  let next: Promise<void> | null = null;
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        resolve();
      });
    });
  return () => (next ??= wait());
}
