/** Loads the middleware of a package at start. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Middleware } from '../../../contract/hooks.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { middleware } from '../kind.js';

export default defineRuntime(middleware, {
  register(hooks, { options, folder }) {
    const { package: name, export: key = 'default', arguments: given } = options;
    hooks.use(loadMiddleware(folder, String(name), String(key), Array.isArray(given) ? given : []));
  },
});

/** Errors stop the start; the kernel names the plugin. */
function loadMiddleware(folder: string, name: string, key: string, given: readonly unknown[]): Middleware {
  const loaded = createRequire(join(folder, 'lintel.config.json'))(name) as Readonly<Record<string, unknown>>;
  // CommonJS packages export the function itself.
  const create = key === 'default' ? (loaded['default'] ?? loaded) : loaded[key];
  if (typeof create !== 'function') throw new Error(`"${name}" exports no function "${key}"`);
  const created = (create as (...all: readonly unknown[]) => unknown)(...given);
  if (typeof created !== 'function') throw new Error(`the export "${key}" of "${name}" returns no middleware`);
  return created as Middleware;
}
