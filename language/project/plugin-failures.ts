/** Any error at start but a BootError becomes PLG_OPEN with the plugin's name. */
import { BootError } from '../../contract/boot-error.js';
import { Fault } from '../../contract/fault.js';
import { fillMessage, type CodeEntry } from '../../contract/problem.js';

export type Codes = Readonly<Record<string, CodeEntry>>;

export function attributeErrors<T>(name: string, what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw wrapPluginError(name, what, error);
  }
}

/** `codes`: for the message of a Fault. */
export async function attributeFailure<T>(
  name: string,
  what: string,
  codes: Codes,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw wrapPluginError(name, what, error, codes);
  }
}

export function wrapPluginError(name: string, what: string, error: unknown, codes: Codes = {}): BootError {
  if (error instanceof BootError) return error;
  return new BootError('PLG_OPEN', { name, what, detail: describeFailure(error, codes) }, error);
}

export function describeFailure(error: unknown, codes: Codes): string {
  if (error instanceof Fault) return fillMessage(codes[error.code]?.message ?? error.code, error.params);
  return error instanceof Error ? error.message : 'it failed';
}
