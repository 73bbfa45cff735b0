/** Splits the text of a list into entries, for checker and runtime. */
export const splitEntries = (text: string): string[] =>
  text
    .split(/[,|]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Approximate; the platform validates addresses at load. */
export const isAddressLike = (entry: string): boolean =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(?:\/\d{1,3})?$/.test(entry);
