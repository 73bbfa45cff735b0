/** Defers work by two event-loop turns: the first reads pending requests, the second answers them. */
export const afterQuestions = (work: () => void): void => void setImmediate(() => setImmediate(work));
