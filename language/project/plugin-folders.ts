/** Loads plugin folders and finds their runtimes. It runs project code, so editors use a separate process. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError } from '../../contract/boot-error.js';
import type { Kind } from '../../contract/kind.js';
import { pluginId, type PluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';

export interface FolderPlugins {
  readonly kinds: Kind[];
  readonly specs: PluginSpec[];
  readonly files: Map<PluginId, string>;
}

/** Prefix of entries for plugins of the distribution. */
export const BUILTIN = 'builtin:';

const MAX_DEPTH = 3;
const EXTENSIONS = ['.js', '.mjs', '.ts', '.mts'];

/** `generator:*` matches every generator, `*` everything, anything else only itself. */
export function isPatternMatch(pattern: string, id: string): boolean {
  return pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1)));
}

/** The folder of an entry of `plugins`: a relative path, or an installed package. */
export function locatePlugins(root: string, name: string): string {
  const folder = resolve(root, name);
  if (existsSync(folder) || name.startsWith('.')) return folder;
  for (let place = resolve(root); ; place = dirname(place)) {
    const packaged = join(place, 'node_modules', name);
    if (existsSync(packaged)) return packaged;
    if (place === dirname(place)) return folder;
  }
}

/** `name`: as in the config. */
export async function readFolder(folder: string, name = folder): Promise<FolderPlugins> {
  const found: FolderPlugins = { kinds: [], specs: [], files: new Map() };
  if (!existsSync(folder)) throw new BootError('PLG_NOT_FOUND', { name, what: 'there is no such folder or package' });
  await scan(resolve(folder), 0, found);
  if (found.specs.length + found.kinds.length === 0) {
    throw new BootError('PLG_NOT_FOUND', { name, what: 'no spec.js or kind.js stands in it' });
  }
  return found;
}

async function scan(folder: string, depth: number, found: FolderPlugins): Promise<void> {
  const kindFile = findModule(folder, 'kind');
  const specFile = findModule(folder, 'spec');
  if (kindFile !== null) found.kinds.push((await importDefault(kindFile)) as Kind);
  if (specFile !== null) {
    const spec = (await importDefault(specFile)) as PluginSpec;
    found.specs.push(spec);
    const runtimeFile = findModule(folder, 'runtime');
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

function findModule(folder: string, name: string): string | null {
  return EXTENSIONS.map((extension) => join(folder, name + extension)).find((file) => existsSync(file)) ?? null;
}

export async function importDefault(file: string): Promise<object> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    if (typeof module.default === 'object' && module.default !== null) return module.default;
  } catch (error) {
    throw new BootError('PLG_NOT_FOUND', { name: file, what: describeImportError(error) }, error);
  }
  throw new BootError('PLG_NOT_FOUND', { name: file, what: 'it has no default export' });
}

/** Node's message does not explain the most common mistake. */
function describeImportError(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be imported';
  if (!(error instanceof SyntaxError) || !/import statement|token 'export'/.test(error.message)) return error.message;
  return 'it is an ES module; name it .mjs, or put `"type": "module"` into your package.json';
}
