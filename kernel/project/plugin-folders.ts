/**
 * Plugins in folders that a config names: their kinds and specs, and the files of their runtimes. Imports code of the
 * project, so an editor only does it in a process of its own; no runtime is imported here.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError } from '../contract/boot-error.js';
import type { Kind } from '../contract/kind.js';
import { pluginId, type PluginId, type PluginSpec } from '../contract/plugin.js';

/** What stands in one folder, by itself. */
export interface FolderPlugins {
  readonly kinds: Kind[];
  readonly specs: PluginSpec[];
  /** Files of runtimes. */
  readonly files: Map<PluginId, string>;
}

/** Entries of the config's list that name plugins of the distribution. */
export const BUILTIN = 'builtin:';

const MAX_DEPTH = 3;
const EXTENSIONS = ['.js', '.mjs', '.ts', '.mts'];

/** `generator:*` matches every generator, `*` everything, anything else itself. */
export function matches(pattern: string, id: string): boolean {
  return pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1)));
}

/** `name`: as the config writes it. Throws BootError where nothing is found or something cannot be imported. */
export async function readFolder(folder: string, name = folder): Promise<FolderPlugins> {
  const found: FolderPlugins = { kinds: [], specs: [], files: new Map() };
  if (!existsSync(folder)) throw new BootError('PLG_NOT_FOUND', { name, what: 'there is no such folder' });
  await scan(resolve(folder), 0, found);
  if (found.specs.length + found.kinds.length === 0) {
    throw new BootError('PLG_NOT_FOUND', { name, what: 'no spec.js or kind.js stands in it' });
  }
  return found;
}

async function scan(folder: string, depth: number, found: FolderPlugins): Promise<void> {
  const kindFile = moduleIn(folder, 'kind');
  const specFile = moduleIn(folder, 'spec');
  if (kindFile !== null) found.kinds.push((await importDefault(kindFile)) as Kind);
  if (specFile !== null) {
    const spec = (await importDefault(specFile)) as PluginSpec;
    found.specs.push(spec);
    const runtimeFile = moduleIn(folder, 'runtime');
    if (runtimeFile !== null) found.files.set(pluginId(spec), runtimeFile);
  }
  if (depth >= MAX_DEPTH) return;
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) {
      await scan(join(folder, entry.name), depth + 1, found);
    }
  }
}

function moduleIn(folder: string, name: string): string | null {
  return EXTENSIONS.map((extension) => join(folder, name + extension)).find((file) => existsSync(file)) ?? null;
}

/** The default export of a plugin file. */
export async function importDefault(file: string): Promise<object> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    if (typeof module.default === 'object' && module.default !== null) return module.default;
  } catch (error) {
    throw new BootError('PLG_NOT_FOUND', { name: file, what: reasonOf(error) }, error);
  }
  throw new BootError('PLG_NOT_FOUND', { name: file, what: 'it has no default export' });
}

/** Node's own words do not say what to do about the commonest mistake. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be imported';
  if (!(error instanceof SyntaxError) || !/import statement|token 'export'/.test(error.message)) return error.message;
  return 'it is an ES module; name it .mjs, or put `"type": "module"` into your package.json';
}
