/** Builds a project's registry from enabled built-in specs and from manifests of its own folders. */
import { CONFIG_NAME } from '../language/project/names.js';
import { builtIn, IS_VALIDATED } from './built-in.js';
import { findManifest } from './manifests.js';
import { readPluginLists } from '../language/analysis/config.js';
import type { Registry } from '../language/analysis/registry.js';
import { buildRegistry } from '../language/analysis/build-registry.js';
import { BootError } from '../contract/boot-error.js';
import { pluginId, type PluginId } from '../contract/plugin.js';
import type { PluginSpec } from '../contract/plugin-spec.js';
import type { Kind } from '../contract/kind.js';
import type { Problem } from '../contract/problem.js';
import type { Manifest } from '../language/export/manifest.js';
import { toSpecs } from '../language/export/manifest-specs.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { withProgramCodes } from '../language/problems/with-program-codes.js';
import { BUILTIN, isPatternMatch, locatePlugins } from '../language/project/plugin-folders.js';
import { listPluginFolders, reportUnreadPlugins } from '../language/project/plugin-manifests.js';

export interface LoadedRegistry {
  readonly registry: Registry;
  /** Problems of entries in the config's plugin list. */
  readonly problems: readonly Problem[];
  /** False if a plugin could not be loaded, so unknown names may be its. */
  readonly complete: boolean;
  /** Why a plugin is not read, by entry. */
  readonly notes: ReadonlyMap<string, string>;
  /** Absolute folders of the project's own plugins. */
  readonly folders: readonly string[];
  /** All that the registry is built from. */
  readonly content: string;
  /** The same without texts that only people read, and without schemas. */
  readonly meaning: string;
  /** The schemas of the project's own plugins: with the same meaning and equal schemas, an analysis finds the same. */
  readonly schemas: ReadonlyMap<PluginId, string>;
}

/** Plugins with another schema, of two registries with the same meaning. */
export const listChangedSchemas = (before: LoadedRegistry, after: LoadedRegistry): PluginId[] =>
  [...after.schemas].flatMap(([id, schema]) => (before.schemas.get(id) === schema ? [] : [id]));

let whole: Registry | undefined;

interface RegistryPlace {
  /** Of the project. */
  readonly folder: string;
  /** Text of the config, or null. */
  readonly source: string | null;
  /** Project code may run, in a separate process. */
  readonly trusted: boolean;
  /** What was loaded before; its registry is kept if it would be built from the same. */
  readonly before: LoadedRegistry | null;
}

export async function loadRegistry({ folder, source, trusted, before }: RegistryPlace): Promise<LoadedRegistry> {
  const { kinds, specs } = builtIn();
  const { plugins, disable } = readPluginLists(source);
  const notes = new Map<string, string>();
  const found = { kinds: [...kinds] as Kind[], specs: new Set<PluginSpec>() };
  const folders = listPluginFolders(source);
  const manifests: (Manifest | null)[] = [];
  for (const entry of plugins) {
    if (entry.startsWith(BUILTIN)) {
      for (const spec of specs) if (isPatternMatch(entry.slice(BUILTIN.length), pluginId(spec))) found.specs.add(spec);
      continue;
    }
    const others = folders.filter((other) => other !== entry).map((other) => locatePlugins(folder, other));
    const place = { root: folder, folder: locatePlugins(folder, entry), name: entry, trusted, others };
    const { manifest, note } = await findManifest(place);
    if (note !== null) notes.set(entry, note);
    manifests.push(manifest);
    if (manifest === null) continue;
    const foreign = toSpecs(manifest);
    found.kinds.push(...foreign.kinds);
    for (const spec of foreign.specs) found.specs.add(spec);
  }
  const enabled = [...found.specs].filter(
    (spec) => !disable.some((pattern) => isPatternMatch(pattern, pluginId(spec))),
  );
  const content = JSON.stringify([plugins, disable, manifests, [...notes]]);
  const places = folders.map((entry) => locatePlugins(folder, entry));
  if (before?.content === content) {
    const problems = reportUnreadPlugins(before.registry, CONFIG_NAME, source, before.notes);
    return { ...before, problems, folders: places };
  }
  const isWhole = folders.length === 0 && enabled.length === specs.length;
  const registry = isWhole ? getBuiltinRegistry() : buildTolerantRegistry(found.kinds, enabled, notes);
  const complete = folders.every((entry) => !notes.has(entry));
  const problems = reportUnreadPlugins(registry, CONFIG_NAME, source, notes);
  const meaning = JSON.stringify([plugins, disable, manifests.map((one) => one && toMeaning(one)), [...notes]]);
  const schemas = new Map(manifests.flatMap((one) => (one?.plugins ?? []).map(printSchema)));
  return { registry, problems, complete, notes, folders: places, content, meaning, schemas };
}

/** What no check reads: JSON leaves it out. */
const PROSE = {
  ...{ since: undefined, summary: undefined, details: undefined, runtime: undefined },
  ...{ examples: undefined, counterExamples: undefined },
} as const;

const toMeaning = ({ kinds, plugins }: Manifest): unknown => [
  kinds.map((kind) => ({ ...kind, summary: undefined, common: kind.common && omitDocs(kind.common) })),
  plugins.map((plugin) => ({ ...plugin, ...PROSE, slots: Object.keys(plugin.slots) })),
];

const printSchema = ({ kind, name, slots }: Manifest['plugins'][number]): [PluginId, string] => [
  `${kind}:${name}`,
  JSON.stringify(Object.entries(slots).map(([slot, field]) => [slot, omitDocs(field)])),
];

const omitDocs = ({ meta, fields, inner, options, ...field }: FieldNode): unknown => ({
  ...field,
  meta: { ...meta, doc: '' },
  fields: Object.entries(fields).map(([name, one]) => [name, omitDocs(one)]),
  inner: inner && omitDocs(inner),
  options: options.map(omitDocs),
});

/** On an error, drops foreign plugins first, then the selection. The error becomes a note. */
function buildTolerantRegistry(
  all: readonly Kind[],
  enabled: readonly PluginSpec[],
  notes: Map<string, string>,
): Registry {
  const { kinds, specs } = builtIn();
  const own = enabled.filter((spec) => specs.includes(spec));
  const tries = [
    () => withProgramCodes(buildRegistry(all, enabled, getPrevalidated())),
    () => withProgramCodes(buildRegistry(kinds, own, getPrevalidated())),
  ];
  for (const make of tries) {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof BootError)) throw error;
      notes.set('', error.message);
    }
  }
  return getBuiltinRegistry();
}

/** The registry of all built-in plugins, which most projects use. Created in advance and cached. */
export function getBuiltinRegistry(): Registry {
  const { kinds, specs } = builtIn();
  return (whole ??= withProgramCodes(buildRegistry(kinds, specs, getPrevalidated())));
}

function getPrevalidated(): ReadonlySet<Kind | PluginSpec> {
  const { kinds, specs } = builtIn();
  return new Set(IS_VALIDATED ? [...kinds, ...specs] : []);
}
