/** Plugin manifests, which describe plugins without their code. Untrusted. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { readPluginLists } from '../analysis/config.js';
import type { Registry } from '../analysis/registry.js';
import { createReport, toProblems } from '../analysis/report.js';
import { pluginId, type PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import type { Manifest } from '../export/manifest.js';
import { readManifest } from '../export/manifest-read.js';
import { toSpecs, type ManifestSpecs } from '../export/manifest-specs.js';
import { createDocument } from '../source/document.js';
import { findMember } from '../source/tree.js';
import { parseSource } from '../source/parse.js';
import { BUILTIN, locatePlugins } from './plugin-folders.js';

export const MANIFEST_NAME = 'plugin.manifest.json';

/** Maximum bytes of a manifest. */
export const MAX_MANIFEST = 2_000_000;

export interface ManifestResult {
  /** Null where the manifest is missing or invalid. */
  readonly manifest: Manifest | null;
  /** The reason, as the second half of a sentence. */
  readonly note: string | null;
}

export interface LoadedManifest extends ManifestResult {
  /** With links resolved; null where it does not exist. */
  readonly real: string | null;
  readonly inside: boolean;
}

/** `name`: as in the config. Only inside the project (`root`). */
export async function loadManifest(root: string, folder: string, name: string): Promise<LoadedManifest> {
  const real = await realpath(folder).catch(() => null);
  const nothing = { real, inside: false, manifest: null };
  if (real === null) return { ...nothing, note: 'there is no such folder or package' };
  const inside = (real + sep).startsWith((await realpath(root)) + sep);
  if (!inside) return { ...nothing, note: 'it is outside the project' };
  try {
    const file = join(real, MANIFEST_NAME);
    const { size } = await stat(file);
    if (size > MAX_MANIFEST) return { ...nothing, inside, note: `its manifest is larger than ${MAX_MANIFEST} bytes` };
    return { real, inside, manifest: readManifest(await readFile(file, 'utf8')), note: null };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = error instanceof Error ? error.message : String(error);
    const note = isMissing ? `it has no manifest; ${formatWriteHint(name)}` : `its manifest is not sound: ${what}`;
    return { ...nothing, inside, note };
  }
}

export interface KnownPlugins extends ManifestSpecs {
  /** Plugins with checks in code. */
  readonly unchecked: readonly PluginId[];
  readonly note: string | null;
}

export async function readKnownPlugins(root: string, name: string): Promise<KnownPlugins> {
  const { manifest, note } = await loadManifest(root, locatePlugins(root, name), name);
  if (manifest === null) return { kinds: [], specs: [], unchecked: [], note };
  const unchecked = manifest.plugins.flatMap((plugin) => (plugin.hasCheck ? [pluginId(plugin)] : []));
  return { ...toSpecs(manifest), unchecked, note };
}

export const formatWriteHint = (name: string): string => `\`lintel manifest ${name}\` writes it`;

export const listPluginFolders = (source: string | null): string[] =>
  readPluginLists(source).plugins.filter((entry) => !entry.startsWith(BUILTIN));

/** An empty name is reported at the list itself. */
export function reportUnreadPlugins(
  registry: Registry,
  file: string,
  source: string | null,
  notes: ReadonlyMap<string, string>,
): readonly Problem[] {
  const report = createReport(registry.codes);
  const doc = createDocument(file, source ?? '{}');
  const { root } = parseSource(doc);
  const list = (root === null ? undefined : findMember(root, 'plugins')?.value) ?? null;
  for (const [name, what] of notes) {
    const node = list?.items.find(({ scalar }) => scalar === name) ?? list;
    const spot = { doc, start: node?.start ?? 0, end: node?.end ?? 0 };
    report.add('PLG_UNREAD', spot, { name: name === '' ? 'plugins' : name, what });
  }
  return toProblems(report);
}

/** Removes problems that an unknown plugin could resolve. */
export const omitGuesses = (problems: readonly Problem[], registry: Registry): readonly Problem[] =>
  problems.filter(({ code }) => registry.codes[code]?.plugins !== 'all');
