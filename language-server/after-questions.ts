/** Work that lets questions pass: one that was sent right behind a letter is read in one turn of the loop and answered in the next. */
export const afterQuestions = (work: () => void): void => void setImmediate(() => setImmediate(work));
