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
