/** The reply to an invocation, and the value that ends a list of steps. */

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Ends a bail hook or a list of steps; `null` and `undefined` are legal values. */
export class FinalResult {
  constructor(readonly value: unknown) {}
}
export const done = (value: unknown): FinalResult => new FinalResult(value);
