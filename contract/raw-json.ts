/** A result as the store's JSON text, which no step parsed. */
export class RawJson {
  constructor(
    /** UTF-8. */
    readonly json: Uint8Array,
    private readonly parse: (json: Uint8Array) => unknown,
  ) {}

  /** For generic code, such as `JSON.stringify`. */
  toJSON(): unknown {
    return this.parse(this.json);
  }
}

/** Undefined for a value that is no row and no list. */
export function countRows(result: unknown): number | undefined {
  if (result instanceof RawJson) return countRows(result.toJSON());
  if (Array.isArray(result)) return result.length;
  if (result === null) return 0;
  return typeof result === 'object' ? 1 : undefined;
}
