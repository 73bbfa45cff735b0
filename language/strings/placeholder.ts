/** The number in the string `"$1"`, from 1; null for any other value. */
export function parsePlaceholder(json: unknown): number | null {
  const digits = typeof json === 'string' ? /^\$(0|[1-9]\d{0,4})$/.exec(json)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
