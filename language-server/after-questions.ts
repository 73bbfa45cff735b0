/**
 * Defers work by two event-loop turns, so that requests sent right after a keystroke are answered first: one turn reads them, the
 * next answers.
 */
export const afterQuestions = (work: () => void): void => void setImmediate(() => setImmediate(work));
