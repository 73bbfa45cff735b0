/**
 * A number of JSON that a double would change, kept as its digits: whole numbers beyond 2^53, fractions of more digits than
 * a double has. Whatever knows nothing of it writes the digits as text; `writeJson` writes the number.
 */
export class ExactNumber {
  static #written = 0;

  /** How often one has been made JSON text. */
  static get written(): number {
    return ExactNumber.#written;
  }

  readonly #digits: string;

  /** `digits`: a number as JSON writes it; of a whole one the digits alone, without an exponent. */
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
