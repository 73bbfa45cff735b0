/** Writes an exchange with the engine into one buffer; its own writer takes a third of a short statement. */
const NO_VALUES: readonly string[] = [];

/** What it returns is valid until the next `begin`. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #end = 0;

  begin(): this {
    this.#end = 0;
    return this;
  }

  add(message: Uint8Array): this {
    this.#reserve(message.length);
    this.#bytes.set(message, this.#end);
    this.#end += message.length;
    return this;
  }

  /** Values and results are text. */
  addBind(name: string, values: readonly (string | null)[] = NO_VALUES): this {
    this.#reserve(16 + 3 * name.length);
    const at = this.#end;
    this.#bytes[at] = 0x42;
    this.#bytes[at + 5] = 0;
    this.#end = at + 6 + this.#bytes.write(name, at + 6, 'utf8');
    this.#bytes[this.#end++] = 0;
    this.#addInt16(0);
    this.#addInt16(values.length);
    for (const value of values) this.#addValue(value);
    this.#reserve(2);
    this.#addInt16(0);
    this.#bytes.writeInt32BE(this.#end - at - 1, at + 1);
    return this;
  }

  #addValue(value: string | null): void {
    // A character of UTF-16 has three bytes at most.
    this.#reserve(4 + 3 * (value?.length ?? 0));
    const at = this.#end;
    const length = value === null ? -1 : this.#bytes.write(value, at + 4, 'utf8');
    this.#bytes.writeInt32BE(length, at);
    this.#end = at + 4 + Math.max(length, 0);
  }

  #addInt16(n: number): void {
    this.#end = this.#bytes.writeInt16BE(n, this.#end);
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + more));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  takeMessage(): Buffer {
    const message = this.#bytes.subarray(0, this.#end);
    if (this.#bytes.length > 262_144) this.#bytes = Buffer.allocUnsafe(4096);
    return message;
  }
}
