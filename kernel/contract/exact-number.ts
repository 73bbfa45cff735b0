/**
 * A JSON number that a double would change (integers beyond 2^53, long fractions), stored as its digits.
 * `JSON.stringify` writes the digits as a string; `writeJson` writes the number.
 */
export class ExactNumber {
  static #written = 0;

  /** Counts conversions to JSON text. */
  static get written(): number {
    return ExactNumber.#written;
  }

  readonly #digits: string;

  /** `digits`: a JSON number; for integers only digits, without an exponent. */
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
