/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const deferUntilIdle = (work: () => void): void => void setImmediate(() => setImmediate(work));
