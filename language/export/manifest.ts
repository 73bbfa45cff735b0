/**
 * Serializes kinds and plugins of a folder for readers that must not run its code. Checks become a flag, runtimes a
 * path.
 */
import type { Registry } from '../analysis/registry.js';
import type { Json } from '../../contract/json.js';
import type { ConfigSection, FactSpec, Host, Kind, Select } from '../../contract/kind.js';
import { pluginId, type FactValue } from '../../contract/plugin.js';
import type { CounterExample, Example, PluginSpec } from '../../contract/plugin-spec.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { FieldNode } from '../schema/field-node.js';
import { foldSchema } from '../schema/fold.js';

export const MANIFEST_FORMAT = 1;

export interface ManifestKind {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly slots: readonly string[];
  readonly select: Select;
  readonly common: FieldNode | null;
  readonly facts: Readonly<Record<string, FactSpec>>;
  readonly expected: NonNullable<Kind['expected']>;
  readonly mistaken: NonNullable<Kind['mistaken']>;
  readonly handle: readonly string[];
  readonly config: Omit<ConfigSection, 'default' | 'tested'> | null;
}

/** An example with the complete file around it. */
export type HostedExample<E extends Example> = E & { readonly host: Host };

export interface ManifestPlugin {
  readonly kind: string;
  readonly name: string;
  readonly since: string;
  readonly status: NonNullable<PluginSpec['status']>;
  readonly deprecated: NonNullable<PluginSpec['deprecated']> | null;
  readonly summary: string;
  readonly details: string;
  readonly facts: Readonly<Record<string, FactValue>>;
  readonly slots: Readonly<Record<string, FieldNode>>;
  readonly requires: readonly string[];
  readonly errors: Readonly<Record<string, CodeEntry>>;
  readonly invented: NonNullable<PluginSpec['invented']>;
  readonly aliases: readonly string[];
  readonly examples: readonly HostedExample<Example>[];
  readonly counterExamples: readonly HostedExample<CounterExample>[];
  /** Some rules are code, so a file may pass without them although it is invalid. */
  readonly hasCheck: boolean;
  /** Path relative to the manifest; null without a runtime. */
  readonly runtime: string | null;
}

export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  /** Semver range of compatible Lintel versions. */
  readonly lintel: string;
  /** Digest of the specs; absent in a manifest of an earlier version. */
  readonly specs?: string | undefined;
  readonly kinds: readonly ManifestKind[];
  readonly plugins: readonly ManifestPlugin[];
}

export interface ManifestInput {
  readonly registry: Registry;
  readonly version: string;
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
  /** Digest of their files. */
  readonly digest?: string;
  /** Returns a runtime's path relative to the manifest, or null. */
  readonly runtime: (id: string) => string | null;
}

export function createManifest({ registry, version, kinds, specs, digest, runtime }: ManifestInput): Manifest {
  return {
    format: MANIFEST_FORMAT,
    lintel: toVersionRange(version),
    ...(digest !== undefined && { specs: digest }),
    kinds: kinds.map(toManifestKind),
    plugins: specs.map((spec) => toManifestPlugin(registry, spec, runtime(pluginId(spec)))),
  };
}

/** Before 1.0, minor versions may contain breaking changes. */
function toVersionRange(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 0 ? `>=0.${minor}.0 <0.${minor + 1}.0` : `>=${major}.${minor}.0 <${major + 1}.0.0`;
}

function toManifestKind(kind: Kind): ManifestKind {
  const { config, common } = kind;
  const { default: _, tested: __, ...section } = config ?? { default: null, tested: null };
  return {
    kind: kind.kind,
    title: kind.title,
    summary: kind.summary,
    slots: kind.slots,
    select: kind.select,
    common: common === undefined ? null : foldSchema(common, kind.kind),
    facts: kind.facts,
    expected: kind.expected ?? {},
    mistaken: kind.mistaken ?? {},
    handle: kind.handle,
    config: config === undefined ? null : (section as Omit<ConfigSection, 'default' | 'tested'>),
  };
}

function toManifestPlugin(registry: Registry, spec: PluginSpec, runtime: string | null): ManifestPlugin {
  const kind = registry.kind(spec.kind);
  const addHost = <E extends Example>(example: E): HostedExample<E>[] =>
    kind === undefined ? [] : [{ ...example, host: kind.host(example.json, spec) }];
  const slots: Record<string, FieldNode> = {};
  for (const slot of kind?.slots ?? []) {
    const schema = registry.schema(pluginId(spec), slot);
    if (schema !== undefined) slots[slot] = schema;
  }
  return {
    kind: spec.kind,
    name: spec.name,
    since: spec.since,
    status: spec.status ?? 'stable',
    deprecated: spec.deprecated ?? null,
    summary: spec.summary,
    details: spec.details ?? '',
    facts: spec.facts ?? {},
    slots,
    requires: spec.requires ?? [],
    errors: spec.errors ?? {},
    invented: spec.invented ?? [],
    aliases: spec.aliases ?? [],
    examples: spec.examples.flatMap(addHost),
    counterExamples: spec.counterExamples.flatMap(addHost),
    hasCheck: spec.check !== undefined,
    runtime,
  };
}

export const formatManifest = (manifest: Manifest): string => `${JSON.stringify(toPlainData(manifest, ''), null, 2)}\n`;

/** Omits default members of fields. Throws for values that JSON cannot represent; `at` is their location. */
export function toPlainData(data: unknown, at: string): Json {
  if (data === null || typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number' && Number.isFinite(data)) return data;
  if (Array.isArray(data)) return data.map((item, i) => toPlainData(item, `${at}/${i}`));
  if (typeof data !== 'object') throw new TypeError(`${at} is ${typeof data}, which is no data`);
  if (isNode(data)) return packNode(data, at);
  const entries = Object.entries(data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, toPlainData(value, `${at}/${key}`)]));
}

function packNode(node: FieldNode, at: string): Json {
  const { type, meta, required, nullable, values, bounds, fields, parts, inner, options } = node;
  const packMember = (data: unknown, isDefault: boolean, name: string): object =>
    isDefault ? {} : { [name]: toPlainData(data, `${at}/${name}`) };
  return {
    type,
    meta: toPlainData(meta, `${at}/meta`),
    ...packMember(required, !required, 'required'),
    ...packMember(nullable, !nullable, 'nullable'),
    ...packMember(values, values === null, 'values'),
    ...packMember(bounds, Object.keys(bounds).length === 0, 'bounds'),
    ...packMember(fields, Object.keys(fields).length === 0, 'fields'),
    ...packMember(parts, parts.length === 0, 'parts'),
    ...packMember(inner, inner === null, 'inner'),
    ...packMember(options, options.length === 0, 'options'),
  };
}

/** Only a folded field has all of these members. */
const isNode = (data: object): data is FieldNode =>
  ['type', 'meta', 'bounds', 'fields', 'parts', 'inner'].every((name) => Object.hasOwn(data, name));
