/** A JSON number that a double would change. `JSON.stringify` writes a string; `writeJson` writes the number. */
export class ExactNumber {
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
    return this.#digits;
  }
}
