/** Placeholders in object queries: the string `"$1"` refers to an entry of the parameters. */

/** Returns the number of the parameter, counted from 1; null for any other value. */
export function placeholderOf(json: unknown): number | null {
  const digits = typeof json === 'string' ? /^\$(0|[1-9]\d{0,4})$/.exec(json)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
