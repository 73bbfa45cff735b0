/** Raised when an installation cannot start because of its plugins, config or definitions. The catalogue holds the message. */
import type { CodeEntry, Params } from './problem.js';

export class BootError extends Error {
  /** The catalogue entry of a code that a plugin defines; the kernel sets it. */
  words: CodeEntry | undefined;
  /** `file:line:column` of the invalid definition; the compiler sets it. */
  place: string | undefined;

  constructor(
    readonly code: string,
    readonly params: Params,
    cause?: unknown,
  ) {
    super(`${code} ${JSON.stringify(params)}`, cause === undefined ? undefined : { cause });
    this.name = 'BootError';
  }
}
