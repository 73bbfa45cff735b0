/** Finds plugins of the distribution and in the config's folders. It imports specs and kinds, but no runtimes. */
import { resolve } from 'node:path';
import type { Kind } from '../../contract/kind.js';
import { pluginId, type PluginId, type PluginRuntime, type PluginSpec } from '../../contract/plugin.js';
import { withProgramCodes } from '../../language/problems/with-program-codes.js';
import { buildRegistry, type Registry } from '../../language/analysis/registry.js';
import { readKnownPlugins } from '../../language/project/plugin-manifests.js';
import { BUILTIN, importDefault, isPatternMatch, readFolder } from '../../language/project/plugin-folders.js';
import { kinds as builtinKinds } from '../../plugins/index.kinds.js';
import { specs as builtinSpecs } from '../../plugins/index.spec.js';
import { runtimes as builtinRuntimes } from '../../plugins/index.runtime.js';

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

export const isBuiltinKind = (kind: Kind): boolean => builtinKinds.includes(kind);
export const isBuiltin = (id: PluginId): boolean => Object.hasOwn(builtinRuntimes, id);

/** Folders are relative to `folder`. `trusted`: code in folders may run; otherwise only their manifests are read. */
export async function loadPackages(
  folder: string,
  plugins: readonly string[],
  disable: readonly string[],
  trusted = true,
): Promise<Packages> {
  const found: PluginCollection = {
    kinds: [...builtinKinds],
    specs: [],
    runtimes: new Map(),
    unread: new Map(),
    unchecked: [],
  };
  for (const entry of plugins) {
    if (entry.startsWith(BUILTIN)) addBuiltin(entry.slice(BUILTIN.length), found);
    else if (trusted) await addFolder(resolve(folder, entry), entry, found);
    else await addManifest(folder, entry, found);
  }
  const enabled = found.specs.filter((spec) => !disable.some((pattern) => isPatternMatch(pattern, pluginId(spec))));
  const { kinds, runtimes, unread, unchecked } = found;
  const folders = plugins.filter((entry) => !entry.startsWith(BUILTIN));
  const unrun = trusted || folders.length === 0 ? null : { folders, unread, unchecked };
  return { registry: withProgramCodes(buildRegistry(kinds, enabled)), runtimes, unrun };
}

function addBuiltin(pattern: string, found: PluginCollection): void {
  for (const spec of builtinSpecs) {
    const id = pluginId(spec);
    if (!isPatternMatch(pattern, id) || found.specs.includes(spec)) continue;
    found.specs.push(spec);
    const runtime = builtinRuntimes[id];
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
