/** Finds plugins of the distribution and in the config's folders. Imports no runtimes. */
import type { Kind } from '../../contract/kind.js';
import { pluginId, type PluginId, type PluginRuntime } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { ParserSource } from '../../contract/query-language.js';
import type { Registry } from '../analysis/registry.js';
import { buildRegistry } from '../analysis/build-registry.js';
import { withProgramCodes } from '../problems/with-program-codes.js';
import { BUILTIN, importDefault, isPatternMatch, locatePlugins, readFolder } from './plugin-folders.js';
import { readKnownPlugins } from './plugin-manifests.js';

export type LoadRuntime = () => Promise<PluginRuntime<unknown>>;

export interface Packages {
  readonly registry: Registry;
  readonly runtimes: ReadonlyMap<PluginId, LoadRuntime>;
  /** Null when all code may run. */
  readonly unrun: UntrustedPlugins | null;
}

/** Plugin folders of the config without permission to run code. */
export interface UntrustedPlugins {
  readonly folders: readonly string[];
  /** Folders without a readable manifest, with the reason. */
  readonly unread: ReadonlyMap<string, string>;
  /** Plugins with checks in code, which do not run. */
  readonly unchecked: readonly PluginId[];
}

interface PluginCollection {
  readonly kinds: Kind[];
  readonly specs: PluginSpec[];
  readonly runtimes: Map<PluginId, LoadRuntime>;
  readonly unread: Map<string, string>;
  readonly unchecked: PluginId[];
}

export interface BuiltinPlugins {
  readonly parsers: ParserSource;
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
  readonly runtimes: Readonly<
    Record<PluginId, (() => Promise<{ readonly default: PluginRuntime<unknown> }>) | undefined>
  >;
}

/** Folders are relative to `folder`. Without `trusted`, only their manifests are read. */
export async function loadPackages(
  builtin: BuiltinPlugins,
  folder: string,
  plugins: readonly string[],
  disable: readonly string[],
  trusted = true,
): Promise<Packages> {
  const found: PluginCollection = {
    kinds: [...builtin.kinds],
    specs: [],
    runtimes: new Map(),
    unread: new Map(),
    unchecked: [],
  };
  for (const entry of plugins) {
    if (entry.startsWith(BUILTIN)) addBuiltin(builtin, entry.slice(BUILTIN.length), found);
    else if (trusted) await addFolder(locatePlugins(folder, entry), entry, found);
    else await addManifest(folder, entry, found);
  }
  const enabled = found.specs.filter((spec) => !disable.some((pattern) => isPatternMatch(pattern, pluginId(spec))));
  const { kinds, runtimes, unread, unchecked } = found;
  const folders = plugins.filter((entry) => !entry.startsWith(BUILTIN));
  const unrun = trusted || folders.length === 0 ? null : { folders, unread, unchecked };
  return { registry: withProgramCodes(buildRegistry(kinds, enabled)), runtimes, unrun };
}

function addBuiltin({ specs, runtimes }: BuiltinPlugins, pattern: string, found: PluginCollection): void {
  for (const spec of specs) {
    const id = pluginId(spec);
    if (!isPatternMatch(pattern, id) || found.specs.includes(spec)) continue;
    found.specs.push(spec);
    const runtime = runtimes[id];
    if (runtime !== undefined) found.runtimes.set(id, async () => (await runtime()).default);
  }
}

async function addFolder(folder: string, name: string, found: PluginCollection): Promise<void> {
  const { kinds, specs, files } = await readFolder(folder, name);
  found.kinds.push(...kinds);
  found.specs.push(...specs);
  for (const [id, file] of files) found.runtimes.set(id, async () => await importDefault(file));
}

async function addManifest(root: string, name: string, found: PluginCollection): Promise<void> {
  const { kinds, specs, unchecked, note } = await readKnownPlugins(root, name);
  if (note !== null) found.unread.set(name, note);
  found.kinds.push(...kinds);
  found.specs.push(...specs);
  found.unchecked.push(...unchecked);
}
