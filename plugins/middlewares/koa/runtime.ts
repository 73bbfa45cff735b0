/** Loads the middleware of a package at start. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BootError } from '../../../contract/boot-error.js';
import type { Middleware } from '../../../contract/hooks.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { middleware } from '../kind.js';

interface Options {
  readonly package: string;
  readonly export?: string;
  readonly arguments?: readonly unknown[];
}

export default defineRuntime(middleware, {
  register(hooks, { options, folder }) {
    hooks.use(loadMiddleware(folder, options as unknown as Options));
  },
});

function loadMiddleware(
  folder: string,
  { package: name, export: key = 'default', arguments: given = [] }: Options,
): Middleware {
  const reject = (what: string, cause?: unknown): never => {
    throw new BootError('MID_PACKAGE', { package: name, what }, cause);
  };
  try {
    const loaded = createRequire(join(folder, 'lintel.config.json'))(name) as Readonly<Record<string, unknown>>;
    // CommonJS packages export the function itself.
    const create = key === 'default' ? (loaded['default'] ?? loaded) : loaded[key];
    if (typeof create !== 'function') return reject(`it exports no function "${key}"`);
    const created = (create as (...all: readonly unknown[]) => unknown)(...given);
    return typeof created === 'function' ? (created as Middleware) : reject('its export returns no middleware');
  } catch (error) {
    if (error instanceof BootError) throw error;
    return reject(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error), error);
  }
}
