/**
 * Waits for the end of a turn of the event loop. Requests that go on in a row use the same code, and wake a reader on another
 * core once.
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
