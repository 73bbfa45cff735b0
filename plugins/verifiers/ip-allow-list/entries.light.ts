/** The text of a list, cut into entries. Light: the checker looks at lists that are written out, the runtime at all. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/[,|]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Rough: which addresses there are is judged with the platform's help, at load. */
export const looksLikeAddress = (entry: string): boolean =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(?:\/\d{1,3})?$/.test(entry);
