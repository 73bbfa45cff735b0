/** An installation that cannot start: about plugins and config, never about a request. The catalogue has the words. */
import type { CodeEntry, Params } from './problem.js';

export class BootError extends Error {
  /** The words of a code that a plugin brings; stamped by the kernel, which knows the plugins. */
  words: CodeEntry | undefined;
  /** `file:line:column` of the definition that is refused; stamped by the compiler, which knows where it stands. */
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
