/** Attributes errors at start to the plugin that threw them. */
import { BootError } from '../../contract/boot-error.js';

/** Any error but a BootError becomes PLG_OPEN with the plugin's name. */
export function attributeErrors<T>(name: string, what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw wrapPluginError(name, what, error);
  }
}

export function wrapPluginError(name: string, what: string, error: unknown): BootError {
  if (error instanceof BootError) return error;
  return new BootError('PLG_OPEN', { name, what, detail: error instanceof Error ? error.message : 'it failed' }, error);
}
