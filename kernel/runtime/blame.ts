/** What plugins throw at the start, with the name of the plugin: a bare message would leave people looking for it. */
import { BootError } from '../contract/boot-error.js';

/** Runs a call into a plugin; what it throws becomes PLG_OPEN, unless it already says who and why. */
export function naming<T>(name: string, what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw blame(name, what, error);
  }
}

export function blame(name: string, what: string, error: unknown): BootError {
  if (error instanceof BootError) return error;
  return new BootError('PLG_OPEN', { name, what, detail: error instanceof Error ? error.message : 'it failed' }, error);
}
