/**
 * The config file: its grammar (the kernel's own fields and a section for every kind that the config chooses), its
 * check, and the frozen result. Data in, data out; reading files and resolving `$ENV` values is done elsewhere.
 */
import { asText, isObject, type Json } from '../contract/json.js';
import type { ConfigGiven } from '../contract/kind.js';
import type { Outbound } from '../contract/outbound.js';
import type { Problem } from '../contract/problem.js';
import { fold } from '../schema/fold.js';
import { flag, list, numeric, record, shape, text } from '../schema/combinators.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { Slot } from '../contract/slot.js';
import { accessorsIn } from '../language/accessor.js';
import { document, type Document } from '../source/document.js';
import { memberOf, parseSource, toJson, type LocatedNode } from '../source/tree.js';
import { checkAccessors, type EnvFacts } from './checks/accessors.js';
import { CHAINS, chainSchema, type ChainLimits } from './chains.js';
import { checkHeaderNames } from './checks/headers.js';
import { checkPlugins } from './checks/plugins.js';
import { outboundOf, outboundSchema } from './config-outbound.js';
import type { Registry } from './registry.js';
import { byPlace, createReport, reportFaults, type Report } from './report.js';
import { noFinds, type Finds } from './finds.js';
import { walk } from './walk.js';

export interface HttpConfig {
  readonly port: number;
  readonly host: string;
  readonly methods: readonly string[];
  readonly status_path: string;
  /** Origins whose pages may call; `*` is all of them. */
  readonly allowed_origins: readonly string[];
  /** How many proxies stand in front, whose word on the client's address is taken. */
  readonly trusted_proxies: number;
  /** Laid over the headers that every answer has; an empty text takes one away. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: HttpLimits;
  /** In seconds. */
  readonly timeouts: {
    readonly headers: number;
    readonly request: number;
    readonly idle: number;
    readonly drain: number;
  };
}

export type HttpLimits = Readonly<Record<keyof typeof DEFAULTS.http.limits, number>>;

/** One plugin chosen in the config: which, under which instance name, with which options (not yet resolved). */
export interface ConfiguredPlugin {
  readonly kind: string;
  readonly instance: string;
  readonly name: string;
  readonly options: Readonly<Record<string, Json>>;
}

export interface Config {
  readonly definitions: readonly string[];
  readonly plugins: readonly string[];
  readonly disable: readonly string[];
  readonly http: HttpConfig;
  readonly outbound: Outbound;
  readonly migrate: boolean;
  readonly chains: ChainLimits;
  readonly deadlines: { readonly open: number; readonly close: number };
  readonly docs: string;
  /** How the definitions of another system are meant; null: they are this one's own. */
  readonly profile: string | null;
  /** Definitions may do what only tests should. */
  readonly testing: boolean;
  /** What happens to a set with errors at the start. */
  readonly on_problem: 'refuse' | 'skip';
  readonly chosen: readonly ConfiguredPlugin[];
}

const PROFILES = ['sub0'] as const;

export const METHODS: readonly string[] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

const ORIGIN = /^(\*|https?:\/\/[a-z0-9.-]+(:\d{1,5})?)$/;
/** An origin as browsers write it, or `*`. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text);

export const DEFAULTS = {
  definitions: ['definitions/**/*.json', 'definitions/**/*.jsonc'],
  plugins: ['builtin:*'],
  disable: [],
  http: {
    port: 8080,
    host: '127.0.0.1',
    methods: ['POST'],
    status_path: '/status',
    allowed_origins: [],
    trusted_proxies: 0,
    headers: {},
    limits: {
      body: 1_048_576,
      depth: 32,
      keys: 1000,
      array: 10_000,
      url: 8192,
      header_bytes: 16_384,
      header_count: 100,
      parts: 20,
      field: 65_536,
    },
    timeouts: { headers: 10, request: 30, idle: 10, drain: 25 },
  },
  migrate: true,
  chains: CHAINS,
  deadlines: { open: 30, close: 10 },
  docs: 'urn:lintel:error:',
  profile: null,
  testing: false,
  on_problem: 'refuse',
} as const;

const seconds = (doc: string, value: number) => numeric({ doc, unit: 'seconds', default: value }).min(0.1).max(3600);
const limit = (doc: string, unit: string, value: number) => numeric({ doc, unit, default: value }).integer().min(1);

const configSchema = shape({
  $schema: text({ doc: 'JSON Schema of this file, for editors.', advanced: true }),
  definitions: list(text({ doc: 'A glob.' }).required(), {
    doc: 'Globs of definition files, relative to the config file.',
    default: [...DEFAULTS.definitions],
  }),
  plugins: list(text({ doc: '`builtin:*`, or a folder.' }).required(), {
    doc: 'Plugins to load: those of the distribution, and folders with plugins of your own.',
    default: ['builtin:*'],
    examples: [['builtin:*', './my-plugins/limits']],
  }),
  disable: list(text({ doc: 'A plugin id, or a pattern.' }).required(), {
    doc: 'Plugins that are not to be had: ids (`generator:UUID`) or patterns (`generator:*`).',
    default: [],
  }),
  http: shape({
    port: numeric({ doc: 'Port to listen on; the variable PORT wins. 0 takes any free one.', default: 8080 })
      .integer()
      .min(0)
      .max(65535),
    host: text({ doc: 'Address to listen on; the variable HOST wins.', default: '127.0.0.1' }).min(1),
    methods: list(text({ doc: 'An HTTP verb.' }).required().oneOf(METHODS), {
      doc: 'Verbs that every endpoint answers. For GET and DELETE the query string is the payload.',
      default: ['POST'],
    }).min(1),
    status_path: text({ doc: 'Path of the status page.', default: '/status' }).matches(/^\/[A-Za-z0-9/_-]+$/),
    limits: shape({
      body: limit('Largest body; the variable MAX_PAYLOAD_LIMIT wins.', 'bytes', DEFAULTS.http.limits.body),
      depth: limit('Deepest nesting of a body.', 'levels', DEFAULTS.http.limits.depth),
      keys: limit('Most properties in a body, all objects together.', 'keys', DEFAULTS.http.limits.keys),
      array: limit('Longest array in a body.', 'items', DEFAULTS.http.limits.array),
      url: limit('Longest path with its query string.', 'bytes', DEFAULTS.http.limits.url),
      header_bytes: limit('All headers of a request together.', 'bytes', DEFAULTS.http.limits.header_bytes),
      header_count: limit('Most headers of a request.', 'headers', DEFAULTS.http.limits.header_count),
      parts: limit('Most parts of a form.', 'parts', DEFAULTS.http.limits.parts),
      field: limit('Longest text part of a form.', 'bytes', DEFAULTS.http.limits.field),
    }).meta({ doc: 'Limits of requests.' }),
    allowed_origins: list(
      text({ doc: 'An origin (`https://app.example.com`), or `*` for all.' }).required().matches(ORIGIN),
      {
        doc: 'Origins whose pages may call from a browser; the variable ALLOWED_ORIGINS (separated by `|`) wins. None by default.',
        default: [],
        examples: [['https://app.example.com']],
      },
    ),
    trusted_proxies: numeric({
      doc: 'How many proxies stand in front. That many entries at the end of `X-Forwarded-For` are believed, no more.',
      unit: 'proxies',
      default: 0,
    })
      .integer()
      .min(0)
      .max(10),
    headers: record(text({ doc: 'Its value; empty text takes the header away.' }).matches(/^[\x20-\x7e]*$/), {
      doc: 'Headers of every answer, laid over those that are there by default.',
      examples: [{ 'strict-transport-security': 'max-age=31536000' }],
    }),
    timeouts: shape({
      headers: seconds('Within what time the headers of a request must have come.', DEFAULTS.http.timeouts.headers),
      request: seconds('Within what time a request must have come whole.', DEFAULTS.http.timeouts.request),
      idle: seconds('How long the sender of a form, or a reader, may rest.', DEFAULTS.http.timeouts.idle),
      drain: seconds(
        'How long requests under way may take once the server is told to stop.',
        DEFAULTS.http.timeouts.drain,
      ),
    }).meta({ doc: 'Deadlines of requests.' }),
  }).meta({ doc: 'The HTTP server.' }),
  outbound: outboundSchema,
  migrate: flag({
    doc: 'Create missing tables, columns and indexes when definitions are loaded. Nothing is ever dropped.',
    default: true,
  }),
  chains: chainSchema,
  deadlines: shape({
    open: numeric({ doc: 'How long a plugin may take to connect.', unit: 'seconds', default: 30 }).min(0.1),
    close: numeric({ doc: 'How long a plugin may take to close.', unit: 'seconds', default: 10 }).min(0.1),
  }).meta({ doc: 'Deadlines of plugins.', advanced: true }),
  profile: text({
    doc: 'Serves definitions that were written for another system of the same interface the way that system does.',
    enumDocs: {
      sub0: 'The envelope `success-message-data`; NULL for parameters that the payload lacks; `on_problem: "skip"`.',
    },
  }).oneOf(PROFILES),
  testing: flag({
    doc: 'Definitions may do what only tests should, such as writing down a nonce. Never where anybody relies on the service.',
    default: false,
  }),
  on_problem: text({
    doc: 'What `lintel serve` does with definitions that have errors.',
    enumDocs: {
      refuse: 'It does not start.',
      skip: 'Resources with errors answer 503, the others are served.',
    },
    default: 'refuse',
  }).oneOf(['refuse', 'skip']),
  docs: text({
    doc: 'Address under which your error pages stand; problem types begin with it.',
    default: DEFAULTS.docs,
  }).min(1),
});

export interface ConfigAnalysis {
  /** Null when a problem is an error. */
  readonly config: Config | null;
  readonly problems: readonly Problem[];
  readonly uses: ReadonlySet<string>;
}

/** `text` null: no config file, everything by default. */
export function analyseConfig(
  file: string,
  source: string | null,
  registry: Registry,
  env: EnvFacts,
  dev = false,
): ConfigAnalysis {
  const report = createReport(registry.codes);
  const doc = document(file, source ?? '{}');
  const { root, faults } = parseSource(doc);
  reportFaults(doc, faults, report);
  const finds = noFinds();
  if (root !== null) {
    walk({ doc, registry, report, finds }, root, configField(registry), 'the config');
    reportMissingInstances(doc, root, registry, report);
    checkHeaderNames(doc, root, report);
    findAccessorsInOptions(root, registry, finds);
    const context = { registry, report, env, testing: false };
    checkAccessors(context, { doc, finds });
    checkPlugins(context, { doc, node: root }, finds.places, { actions: [], secrets: new Set() });
  }
  const failed = root === null || report.problems.some((problem) => problem.severity === 'error');
  const json = root === null ? {} : toJson(root);
  const config = failed || !isObject(json) ? null : complete(json, registry, env, dev);
  return { config, problems: [...report.problems].sort(byPlace), uses: finds.uses };
}

/** A section that is written replaces the default whole, so it must name what everybody relies on. */
function reportMissingInstances(doc: Document, root: LocatedNode, registry: Registry, report: Report): void {
  for (const { config } of registry.kinds.values()) {
    const section = config?.must === undefined ? undefined : memberOf(root, config.field)?.value;
    if (section?.type !== 'object' || config?.must === undefined) continue;
    if (memberOf(section, config.must) !== undefined) continue;
    const spot = { doc, start: section.start, end: section.start + 1 };
    report.add('DEF_REQUIRED', spot, { place: `"${config.field}"`, field: config.must });
  }
}

/** Every text among the options of a plugin may take its value from the environment, and from nowhere else. */
function findAccessorsInOptions(root: LocatedNode, registry: Registry, finds: Finds): void {
  const roots = registry
    .kindsIn(Slot.ACCESSOR)
    .flatMap(({ kind }) =>
      registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.['tail'] === 'env'),
    );
  const known = new Set(finds.accessors.map(({ node }) => node));
  const visit = (node: LocatedNode, place: string): void => {
    const parts = node.type === 'string' && !known.has(node) ? accessorsIn(asText(node.scalar)) : [];
    if (parts.length > 0) finds.accessors.push({ node, parts, roots, leaves: false, secret: false, place });
    node.items.forEach((item) => visit(item, place));
    node.members.forEach(({ key, value }) => value !== null && visit(value, `"${key}"`));
  };
  for (const { config } of registry.kinds.values()) {
    const section = config && memberOf(root, config.field)?.value;
    if (config && section) visit(section, `"${config.field}"`);
  }
}

/** Lists that must be known before there is a registry; tolerant of anything, the full check comes later. */
export function pluginLists(source: string | null): Pick<Config, 'plugins' | 'disable'> {
  const { root } = parseSource(document('', source ?? '{}'));
  const json = root === null ? {} : toJson(root);
  const read = (key: string, fallback: readonly string[]): readonly string[] => {
    const value = isObject(json) ? json[key] : undefined;
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : fallback;
  };
  return { plugins: read('plugins', DEFAULTS.plugins), disable: read('disable', DEFAULTS.disable) };
}

export function configField(registry: Registry): FieldNode {
  const own = fold(configSchema, 'config');
  const fields: Record<string, FieldNode> = { ...own.fields };
  for (const kind of registry.kinds.values()) {
    if (kind.config === undefined) continue;
    const { field, doc, many } = kind.config;
    const item: FieldNode = { ...EMPTY_OBJECT, meta: { doc, plugin: kind.kind }, parts: [`config.${field}`] };
    fields[field] = many ? { ...EMPTY_OBJECT, type: 'record', meta: { doc }, inner: item } : item;
  }
  return { ...own, fields };
}

type Loose = Readonly<Record<string, Json>>;
const objectOf = (json: Json): Loose => (isObject(json) ? json : {});
const objectAt = (json: Loose, key: string): Loose => (isObject(json[key]) ? json[key] : {});

/** The shape is sound here, so the defaults can be laid under it. */
function complete(json: Loose, registry: Registry, env: EnvFacts, dev: boolean): Config {
  const http = objectAt(json, 'http');
  const merged = {
    ...DEFAULTS,
    // Files that another system never checked: one flaw must not take all endpoints away.
    ...(json['profile'] === 'sub0' && { on_problem: 'skip' as const }),
    ...Object.fromEntries(Object.keys(DEFAULTS).flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]]]))),
    http: {
      ...DEFAULTS.http,
      ...http,
      limits: { ...DEFAULTS.http.limits, ...objectAt(http, 'limits') },
      timeouts: { ...DEFAULTS.http.timeouts, ...objectAt(http, 'timeouts') },
    },
    chains: { ...CHAINS, ...objectAt(json, 'chains') },
    outbound: outboundOf(json),
    deadlines: { ...DEFAULTS.deadlines, ...objectAt(json, 'deadlines') },
    chosen: chosenPlugins(json, registry, {
      has: (name) => env.has(name),
      profile: asText(json['profile']) || null,
      dev,
    }),
  };
  return merged;
}

function chosenPlugins(json: Loose, registry: Registry, given: ConfigGiven): ConfiguredPlugin[] {
  const chosen: ConfiguredPlugin[] = [];
  for (const kind of registry.kinds.values()) {
    if (kind.config === undefined) continue;
    const { field, many, keeps } = kind.config;
    const silent = kind.config.default(given);
    const written = json[field];
    const value =
      written === undefined ? silent : keeps === true ? { ...objectOf(silent), ...objectOf(written) } : written;
    const entries: [string, Json][] = many ? Object.entries(objectOf(value)) : [[field, value]];
    for (const [instance, entry] of entries) {
      const { use, ...options } = isObject(entry) ? entry : { use: entry };
      chosen.push({ kind: kind.kind, instance, name: asText(use), options });
    }
  }
  return chosen;
}
