/** Placeholders in queries that are written as objects: a whole text `"$1"` stands for an entry of the parameters. */

/** The entry, counted from 1; null for anything else. */
export function placeholderOf(json: unknown): number | null {
  const digits = typeof json === 'string' ? /^\$(0|[1-9]\d{0,4})$/.exec(json)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
