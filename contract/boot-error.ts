/** An installation cannot start because of its plugins, config or definitions. */
import type { CodeEntry, FileRange, Params } from './problem.js';

export class BootError extends Error {
  /** The catalogue entry of a plugin's code; set by the kernel. */
  words: CodeEntry | undefined;
  /** `file:line:column` of the invalid definition; set by the compiler. */
  place: string | undefined;
  /** The same as a range. */
  range: FileRange | undefined;
  /** The variable that the invalid part reads; set by the compiler. */
  variable: string | undefined;

  constructor(
    readonly code: string,
    readonly params: Params,
    cause?: unknown,
  ) {
    super(`${code} ${JSON.stringify(params)}`, cause === undefined ? undefined : { cause });
    this.name = 'BootError';
  }
}
