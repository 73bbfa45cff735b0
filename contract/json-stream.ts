/** JSON text that is passed on while the store sends it. */

/** Receives the text; after `end` or `fail` nothing follows. */
export interface JsonSink {
  /** False: the source waits for `resume`. */
  write(text: Uint8Array): boolean;
  end(): void;
  fail(error: unknown): void;
}

export interface JsonSource {
  resume(): void;
  /** The rest is not needed. */
  cancel(): void;
}

/** Only for invocations with `streams`. */
export class JsonStream {
  /** `open`: called once. */
  constructor(readonly open: (sink: JsonSink) => JsonSource) {}

  /** For `JSON.stringify`, which must not take the beginning for the result. */
  toJSON(): never {
    throw new Error('a result that is streamed cannot be read as a value');
  }
}
