/** A result that the store returned as JSON text and that no step parsed before the response. */
export class Rendered {
  constructor(
    /** UTF-8. */
    readonly json: Uint8Array,
    private readonly parse: (json: Uint8Array) => unknown,
  ) {}

  /** Lets generic code, such as `JSON.stringify`, read the parsed value. */
  toJSON(): unknown {
    return this.parse(this.json);
  }
}
