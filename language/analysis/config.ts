/** The config file: grammar, checks and defaults. No I/O: other modules read files and resolve `$ENV`. */
import { asText, isObject, type Json } from '../../contract/json.js';
import type { ConfigContext } from '../../contract/kind.js';
import type { Outbound } from '../../contract/outbound.js';
import type { Problem } from '../../contract/problem.js';
import { isSub0 as isEarlier } from '../../contract/profile.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { listAccessors } from '../strings/accessor.js';
import { createDocument, type Document } from '../source/document.js';
import { findMember, toJson, type LocatedNode } from '../source/tree.js';
import { parseSource } from '../source/parse.js';
import { parseDamagedSource } from '../source/repair.js';
import { checkAccessors, readEnv, type EnvFacts } from './checks/accessors.js';
import { DEFAULTS, CHAINS, type ChainLimits } from './config-schema.js';
import { HEADER_NAME } from '../strings/header.js';
import { checkPlugins, NO_RESOURCE } from './checks/plugins.js';
import { reportEqualKeys } from './checks/variable-purposes.js';
import { resolveOutbound } from './config-outbound.js';
import { createConfigField } from './grammar-schemas.js';
import type { WebSocketConfig } from '../../contract/websocket-config.js';
import { WEBSOCKET_NAMES, resolveWebSocketConfig } from './config-websocket.js';
import type { Registry } from './registry.js';
import {
  compareByPlace,
  createRenameFix,
  createReport,
  formatHint,
  toProblems,
  reportFaults,
  type Report,
} from './report.js';
import { findNearest } from '../source/suggest.js';
import { createWalkResult, type WalkResult } from './facts.js';
import { walk } from './walk.js';

export interface HttpConfig {
  readonly port: number;
  readonly host: string;
  /** `*` accepts all host names. */
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly status_path: string;
  /** CORS origins; `*` allows all. */
  readonly allowed_origins: readonly string[];
  /** In front of the server; they determine the client's address. */
  readonly trusted_proxies: number;
  /** Over the default response headers; an empty text removes one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: HttpLimits;
  readonly timeouts: {
    readonly headers: number;
    readonly request: number;
    readonly idle: number;
    readonly keep_alive: number;
    readonly drain: number;
    readonly linger: number;
  };
}

export type HttpLimits = Readonly<Record<keyof typeof DEFAULTS.http.limits, number>>;

/** Its options are not yet resolved. */
export interface ConfiguredPlugin {
  readonly kind: string;
  readonly instance: string;
  readonly name: string;
  readonly options: Readonly<Record<string, Json>>;
  /** Loaded only when the options of another plugin name it. */
  readonly onDemand?: boolean;
  readonly aliases?: readonly string[];
}

export interface Config {
  readonly definitions: readonly string[];
  readonly plugins: readonly string[];
  readonly disable: readonly string[];
  readonly http: HttpConfig;
  readonly websocket: WebSocketConfig;
  readonly outbound: Outbound;
  readonly migrate: boolean;
  readonly chains: ChainLimits;
  readonly deadlines: { readonly open: number; readonly close: number };
  readonly docs: string;
  /** The system that the definitions were written for; null means Lintel. */
  readonly profile: string | null;
  /** Allows features that are only safe in tests. */
  readonly testing: boolean;
  /** How a set with errors is handled at start. */
  readonly on_problem: 'refuse' | 'skip';
  readonly chosen: readonly ConfiguredPlugin[];
}

export type AnalysisSettings = Pick<Config, 'testing' | 'chains' | 'outbound' | 'websocket' | 'chosen' | 'profile'>;

export interface ConfigAnalysis {
  /** Null if any problem is an error. */
  readonly config: Config | null;
  readonly problems: readonly Problem[];
  readonly uses: ReadonlySet<string>;
}

/** `source` null: there is no config file, so all defaults apply. */
export function analyseConfig(
  file: string,
  source: string | null,
  registry: Registry,
  env: EnvFacts,
  dev = false,
): ConfigAnalysis {
  const report = createReport(registry.codes);
  const doc = createDocument(file, source ?? '{}');
  const { root, faults } = parseDamagedSource(doc);
  reportFaults(doc, faults, report);
  const finds = createWalkResult();
  if (root !== null) {
    walk({ doc, registry, report, finds }, root, getConfigField(registry), 'the config');
    reportMissingInstances(doc, root, registry, report);
    reportWrongPrimaries(doc, root, registry, report);
    checkHeaderNames(doc, root, report);
    findAccessorsInOptions(root, registry, finds);
    const context = { registry, report, env: readEnv(env), given: null, connections: null };
    checkAccessors(context, { doc, finds });
    checkPlugins(context, { doc, node: root, finds }, finds.places, NO_RESOURCE);
  }
  reportEqualKeys(registry, env, report, { doc, start: 0, end: 0 });
  const failed = root === null || report.errors > 0;
  const json = root === null ? {} : toJson(root);
  const config = failed || !isObject(json) ? null : applyDefaults(json, registry, env, dev);
  return { config, problems: toProblems(report).sort(compareByPlace), uses: finds.uses };
}

/** A written section must contain the required instance. */
function reportMissingInstances(doc: Document, root: LocatedNode, registry: Registry, report: Report): void {
  for (const { config } of registry.kinds.values()) {
    const section = config?.must === undefined ? undefined : findMember(root, config.field)?.value;
    if (section?.type !== 'object' || config?.must === undefined) continue;
    if (findMember(section, config.must) !== undefined) continue;
    const spot = { doc, start: section.start, end: section.start + 1 };
    report.add('DEF_REQUIRED', spot, { place: `"${config.field}"`, field: config.must });
  }
}

/** A replica names another instance of its section, which is no replica. */
function reportWrongPrimaries(doc: Document, root: LocatedNode, registry: Registry, report: Report): void {
  for (const { config } of registry.kinds.values()) {
    const section = config?.models?.primary === undefined ? undefined : findMember(root, config.field)?.value;
    const replicas = new Map<string, LocatedNode>();
    for (const { key, value } of section?.members ?? []) {
      const primary = value && findMember(value, config?.models?.primary ?? '')?.value;
      if (primary?.type === 'string') replicas.set(key, primary);
    }
    const primaries = (section?.members ?? []).map(({ key }) => key).filter((key) => !replicas.has(key));
    for (const [name, node] of replicas) {
      const primary = asText(node.scalar);
      if (primaries.includes(primary)) continue;
      const near = findNearest(primary, primaries);
      report.add('LNK_PRIMARY', { doc, ...node }, { name, primary, hint: formatHint(near) }, createRenameFix(near));
    }
  }
}

/** Plugin options may contain `$ENV` accessors, and no others. */
function findAccessorsInOptions(root: LocatedNode, registry: Registry, finds: WalkResult): void {
  const roots = registry.listRoots('env');
  const known = new Set(finds.accessors.map(({ node }) => node));
  const visit = (node: LocatedNode, place: string): void => {
    const parts = node.type === 'string' && !known.has(node) ? listAccessors(asText(node.scalar)) : [];
    if (parts.length > 0) finds.accessors.push({ node, parts, roots, leaves: false, secret: false, place });
    node.items.forEach((item) => visit(item, place));
    node.members.forEach(({ key, value }) => value !== null && visit(value, `"${key}"`));
  };
  for (const { config } of registry.kinds.values()) {
    const section = config && findMember(root, config.field)?.value;
    if (config && section) visit(section, `"${config.field}"`);
  }
}

/** Works before a registry exists. The full check follows. */
export function readPluginLists(source: string | null): Pick<Config, 'plugins' | 'disable'> {
  const { root } = parseSource(createDocument('', source ?? '{}'));
  const json = root === null ? {} : toJson(root);
  const read = (key: string, fallback: readonly string[]): readonly string[] => {
    const value = isObject(json) ? json[key] : undefined;
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : fallback;
  };
  return { plugins: read('plugins', DEFAULTS.plugins), disable: read('disable', DEFAULTS.disable) };
}

export function getConfigField(registry: Registry): FieldNode {
  const known = configFields.get(registry) ?? foldConfig(registry);
  configFields.set(registry, known);
  return known;
}

/** The language server requests this on every keystroke. */
const configFields = new WeakMap<Registry, FieldNode>();

/** Lazy, for early diagnostics of the language server. */
let kernelFields: FieldNode | undefined;

function foldConfig(registry: Registry): FieldNode {
  const own = (kernelFields ??= createConfigField());
  const fields: Record<string, FieldNode> = { ...own.fields };
  for (const kind of registry.kinds.values()) {
    if (kind.config === undefined) continue;
    const { field, doc, many } = kind.config;
    const item: FieldNode = { ...EMPTY_OBJECT, meta: { doc, plugin: kind.kind }, parts: [`config.${field}`] };
    fields[field] = many ? { ...EMPTY_OBJECT, type: 'record', meta: { doc }, inner: item } : item;
  }
  const sections = [...registry.kinds.values()].map(({ config }) => ({
    field: config?.field ?? '',
    names: config?.aliases ?? [],
  }));
  const named = [{ field: 'websocket', names: WEBSOCKET_NAMES }, ...sections].flatMap(({ field, names }) =>
    names.map((name) => [name, { say: `the section is \`"${field}"\``, rename: field }] as const),
  );
  return { ...own, meta: { ...own.meta, mistaken: { ...own.meta.mistaken, ...Object.fromEntries(named) } }, fields };
}

type JsonFields = Readonly<Record<string, Json>>;
const toObject = (json: Json): JsonFields => (isObject(json) ? json : {});
const getObject = (json: JsonFields, key: string): JsonFields => (isObject(json[key]) ? json[key] : {});

/** `json` must be valid. */
function applyDefaults(json: JsonFields, registry: Registry, env: EnvFacts, dev: boolean): Config {
  const http = getObject(json, 'http');
  const isSub0 = isEarlier(asText(json['profile']));
  const merged = {
    ...DEFAULTS,
    // Such files may be unvalidated, so an error must not stop all.
    ...(isSub0 && { on_problem: 'skip' as const }),
    ...Object.fromEntries(Object.keys(DEFAULTS).flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]]]))),
    http: {
      ...DEFAULTS.http,
      ...(isSub0 && { methods: ['POST', 'GET'] }),
      ...http,
      limits: { ...DEFAULTS.http.limits, ...getObject(http, 'limits') },
      timeouts: { ...DEFAULTS.http.timeouts, ...getObject(http, 'timeouts') },
    },
    chains: { ...CHAINS, ...getObject(json, 'chains') },
    outbound: resolveOutbound(json),
    websocket: resolveWebSocketConfig(json),
    deadlines: { ...DEFAULTS.deadlines, ...getObject(json, 'deadlines') },
    chosen: chosenPlugins(json, registry, {
      has: (name) => env.has(name),
      profile: asText(json['profile']) || null,
      written: (field) => json[field] !== undefined,
      dev,
    }),
  };
  return merged;
}

function chosenPlugins(json: JsonFields, registry: Registry, given: ConfigContext): ConfiguredPlugin[] {
  const chosen: ConfiguredPlugin[] = [];
  for (const kind of registry.kinds.values()) {
    if (kind.config === undefined) continue;
    const { field, many, keeps, must } = kind.config;
    const silent = kind.config.default(given);
    const written = json[field];
    const value =
      written === undefined ? silent : keeps === true ? { ...toObject(silent), ...toObject(written) } : written;
    const entries: [string, Json][] = many ? Object.entries(toObject(value)) : [[field, value]];
    for (const [instance, entry] of entries) {
      const { use, ...options } = isObject(entry) ? entry : { use: entry };
      const onDemand = many && written === undefined && must !== undefined && instance !== must;
      chosen.push({ kind: kind.kind, instance, name: asText(use), options, ...(onDemand && { onDemand }) });
    }
  }
  return chosen;
}

/** Headers that the server sets itself. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

/** An invalid name would break every response, so it prevents the start. */
function checkHeaderNames(doc: Document, root: LocatedNode, report: Report): void {
  const http = findMember(root, 'http')?.value ?? null;
  const headers = http === null ? undefined : findMember(http, 'headers')?.value;
  for (const { key, keyStart: start, keyEnd: end } of headers?.members ?? []) {
    const isOwn = OWN.has(key.toLowerCase());
    if (!isOwn && HEADER_NAME.test(key)) continue;
    const what = isOwn ? 'the server writes it for each answer by itself' : 'no header can be called that';
    report.add('DEF_HEADER', { doc, start, end }, { name: key, what });
  }
}
