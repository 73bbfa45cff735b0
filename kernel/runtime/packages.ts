/**
 * Finds plugins: those of the distribution and those in folders that the config names. Only specs and kinds are
 * imported here; a runtime is a path or a loader until somebody uses the plugin.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError } from '../contract/boot-error.js';
import type { Kind } from '../contract/kind.js';
import { pluginId, type PluginId, type PluginRuntime, type PluginSpec } from '../contract/plugin.js';
import { buildRegistry, type Registry } from '../analysis/registry.js';
import { kinds as builtinKinds } from '../../plugins/kinds/index.js';
import { specs as builtinSpecs } from '../../plugins/index.spec.js';
import { runtimes as builtinRuntimes } from '../../plugins/index.runtime.js';

export type LoadRuntime = () => Promise<PluginRuntime<unknown>>;

export interface Packages {
  readonly registry: Registry;
  readonly runtimes: ReadonlyMap<PluginId, LoadRuntime>;
}

interface Found {
  readonly kinds: Kind[];
  readonly specs: PluginSpec[];
  readonly runtimes: Map<PluginId, LoadRuntime>;
  /** Files of runtimes that were found in folders. */
  readonly files: Map<PluginId, string>;
}

/** What stands in one folder, by itself. */
export type FolderPlugins = Readonly<Pick<Found, 'kinds' | 'specs' | 'files'>>;

const nothing = (): Found => ({ kinds: [], specs: [], runtimes: new Map(), files: new Map() });

/** Kinds, specs and runtime files of a folder; only specs and kinds are imported. */
export async function readFolder(folder: string): Promise<FolderPlugins> {
  const found = nothing();
  await addFolder(resolve(folder), folder, found);
  return found;
}

const BUILTIN = 'builtin:';
const MAX_DEPTH = 3;
const EXTENSIONS = ['.js', '.mjs', '.ts', '.mts'];

/** `plugins` and `disable` as the config lists them; folders are relative to `folder`. */
export async function loadPackages(
  folder: string,
  plugins: readonly string[],
  disable: readonly string[],
): Promise<Packages> {
  const found: Found = { ...nothing(), kinds: [...builtinKinds] };
  for (const entry of plugins) {
    if (entry.startsWith(BUILTIN)) addBuiltin(entry.slice(BUILTIN.length), found);
    else await addFolder(resolve(folder, entry), entry, found);
  }
  const enabled = found.specs.filter((spec) => !disable.some((pattern) => matches(pattern, pluginId(spec))));
  return { registry: buildRegistry(found.kinds, enabled), runtimes: found.runtimes };
}

/** `generator:*` matches every generator, `*` everything, anything else itself. */
export function matches(pattern: string, id: string): boolean {
  return pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1)));
}

function addBuiltin(pattern: string, found: Found): void {
  for (const spec of builtinSpecs) {
    const id = pluginId(spec);
    if (!matches(pattern, id) || found.specs.includes(spec)) continue;
    found.specs.push(spec);
    const runtime = builtinRuntimes[id];
    if (runtime !== undefined) found.runtimes.set(id, async () => (await runtime()).default);
  }
}

async function addFolder(folder: string, name: string, found: Found): Promise<void> {
  if (!existsSync(folder)) throw new BootError('PLG_NOT_FOUND', { name, what: 'there is no such folder' });
  const before = found.specs.length + found.kinds.length;
  await scan(folder, 0, found);
  if (found.specs.length + found.kinds.length === before) {
    throw new BootError('PLG_NOT_FOUND', { name, what: 'no spec.js or kind.js stands in it' });
  }
}

async function scan(folder: string, depth: number, found: Found): Promise<void> {
  const kindFile = moduleIn(folder, 'kind');
  const specFile = moduleIn(folder, 'spec');
  if (kindFile !== null) found.kinds.push((await load(kindFile)) as Kind);
  if (specFile !== null) {
    const spec = (await load(specFile)) as PluginSpec;
    found.specs.push(spec);
    const runtimeFile = moduleIn(folder, 'runtime');
    if (runtimeFile !== null) {
      found.files.set(pluginId(spec), runtimeFile);
      found.runtimes.set(pluginId(spec), async () => await load(runtimeFile));
    }
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
async function load(file: string): Promise<object> {
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
