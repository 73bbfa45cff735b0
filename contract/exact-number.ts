/** A JSON number that a double would change. `JSON.stringify` writes a string; `writeJson` writes the number. */
export class ExactNumber {
  static #written = 0;

  /** Number of conversions to JSON text. */
  static get written(): number {
    return ExactNumber.#written;
  }

  readonly #digits: string;

  /** `digits`: a JSON number; integers without an exponent. */
  constructor(digits: string) {
    this.#digits = digits;
  }

  get isWhole(): boolean {
    return /^-?\d+$/.test(this.#digits);
  }

  toString(): string {
    return this.#digits;
  }

  toJSON(): string {
    ExactNumber.#written++;
    return this.#digits;
  }
}
