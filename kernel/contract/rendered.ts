/** A value that already is JSON text: a result at which nobody looked between the store and the answer. */
export class Rendered {
  constructor(
    /** UTF-8. */
    readonly json: Uint8Array,
    private readonly parse: (json: Uint8Array) => unknown,
  ) {}

  /** Whoever meets one and does not know it still gets the value. */
  toJSON(): unknown {
    return this.parse(this.json);
  }
}
