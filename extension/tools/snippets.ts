/** Generates snippets from the gallery and from the examples of every spec. Independent of particular plugins. */
import type { Registry } from '../../language/analysis/registry.js';
import { GRAMMAR } from '../../language/analysis/grammar.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import { pluginId, type PluginSpec } from '../../contract/plugin.js';
import { toMidSentence } from '../../language/export/markdown.js';
import type { Gallery, Pattern } from '../src/gallery.js';
import { literally, snippetText, stop, type Stops } from './snippet-text.js';

export interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: readonly string[];
}

/** By name, in a stable order. */
export function snippetsOf(registry: Registry, gallery: Gallery): Readonly<Record<string, Snippet>> {
  const found = new Map<string, Snippet>();
  const seen = new Set<string>();
  const add = (name: string, snippet: Snippet): void => {
    const key = `${snippet.prefix}\n${snippet.body.join('\n')}`;
    if (seen.has(key)) return;
    seen.add(key);
    found.set(name, snippet);
  };
  for (const pattern of gallery.patterns) add(`${pattern.sort}: ${pattern.title}`, ofPattern(pattern, gallery));
  const names = namesOf(registry);
  for (const kind of registry.kinds.values()) {
    // Names occur inside texts, where completion offers them instead.
    if (kind.select.by === 'name' || kind.select.by === 'root') continue;
    for (const name of registry.names(kind.kind)) {
      const spec = registry.plugin(kind.kind, name);
      for (const example of spec?.examples ?? []) {
        if (spec === undefined) continue;
        const text = bodyOf(registry, kind, spec, example.json, names);
        const prefix = `${toMidSentence(kind.title)} ${name}`;
        if (text !== null)
          add(`${prefix}: ${example.title}`, {
            prefix,
            description: `${example.title}. ${spec.summary}`,
            body: text.split('\n'),
          });
      }
    }
  }
  return Object.fromEntries(found);
}

interface Names {
  /** Fields that select a plugin. */
  readonly selectors: ReadonlySet<string>;
  /** Keys with a defined meaning; all others are names chosen by the author. */
  readonly known: ReadonlySet<string>;
}

function namesOf(registry: Registry): Names {
  const kinds = [...registry.kinds.values()];
  const selectors = kinds.flatMap(({ select }) => (select.by === 'field' ? [select.field] : []));
  const fields = [...registry.plugins].flatMap(([id, { kind }]) =>
    (registry.kind(kind)?.slots ?? []).flatMap((slot) => Object.keys(registry.schema(id, slot)?.fields ?? {})),
  );
  const grammar = Object.values(GRAMMAR).flatMap(({ fields: own }) => Object.keys(own));
  const sections = kinds.flatMap(({ config }) => (config === undefined ? [] : [config.field]));
  const chosen = kinds.filter(({ select }) => select.by === 'key').flatMap(({ kind }) => registry.names(kind));
  return { selectors: new Set(selectors), known: new Set([...fields, ...grammar, ...sections, ...chosen]) };
}

function bodyOf(registry: Registry, kind: Kind, spec: PluginSpec, example: Json, names: Names): string | null {
  const { json, at } = kind.host(example, spec);
  const path = at.split('/').slice(1);
  const value = path.reduce<Json | undefined>((part, key) => (part as JsonObject | undefined)?.[key], json);
  if (value === undefined) return null;
  const stops: Stops = { isFixed: (key) => names.selectors.has(key), next: 1 };
  const last = path.at(-1);
  if (kind.select.by === 'always') {
    const own = kind.slots.flatMap((slot) => Object.keys(registry.schema(pluginId(spec), slot)?.fields ?? {}));
    const members = Object.entries(value as JsonObject).filter(([key]) => own.includes(key));
    const texts = members.map(([key, part]) => `"${literally(key)}": ${snippetText(part, stops, 0, key)}`);
    return texts.length === 0 ? null : texts.join(',\n');
  }
  if (last === undefined || /^\d+$/.test(last)) return snippetText(value, stops);
  const key = names.known.has(last) ? literally(last) : stop(stops, last);
  return `"${key}": ${snippetText(value, stops, 0, last)}`;
}

/** A whole file; if it contains one resource, with tab stops at its id and path. */
function ofPattern(pattern: Pattern, gallery: Gallery): Snippet {
  const { path, sort, title, description, file } = pattern;
  const base = (file.split('/').pop() ?? '').replace(/\.(resource|model)\.json$/, '').replace(/^_/, '');
  const lines = literally(gallery.readPattern(pattern).trimEnd()).split('\n');
  let next = 1;
  const body = lines.map((line) => {
    const indent = line.replace(/^(?: {2})+/, (spaces) => '\t'.repeat(spaces.length / 2));
    if (path === undefined || !/^\t"(id|resource)": "/.test(indent)) return indent;
    return indent.replace(/: "(.*)"/, (_, value: string) => `: "\${${next++}:${value}}"`);
  });
  return { prefix: `${sort} ${base}`, description: `${title}. ${description}`, body };
}
