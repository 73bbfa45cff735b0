/** Small parts of a JSON Schema: descriptions, bounds, plugin names. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { Registry } from '../analysis/registry.js';
import type { FieldNode } from '../schema/field-node.js';

const MARKUP = /[`*_[\]<>|#\\]/;

/** `markdownDescription` is an extension of VS Code; without markup the plain text shows the same. */
const toDescription = (markdown: string): JsonObject =>
  markdown === ''
    ? {}
    : {
        description: markdown.replaceAll('`', '').replaceAll('**', ''),
        ...(MARKUP.test(markdown) && { markdownDescription: markdown }),
      };

export function toAnnotations({ meta }: FieldNode): JsonObject {
  const unit = meta.unit === undefined ? '' : ` Unit: ${meta.unit}.`;
  return {
    ...toDescription(meta.doc === '' ? '' : `${meta.doc}${unit}`),
    ...(meta.default !== undefined && { default: meta.default }),
    ...(meta.examples !== undefined && { examples: meta.examples }),
    ...(meta.deprecated !== undefined && { deprecationMessage: meta.deprecated.message }),
  };
}

export const toPluginDescription = ({ summary, details }: PluginSpec): JsonObject =>
  toDescription(details === undefined ? summary : `${summary}\n\n${details}`);

export function toPluginNameSchema(registry: Registry, kind: string): JsonObject {
  const names = registry.names(kind);
  if (names.length === 0) return { type: 'string' };
  const docs = names.map((name) => registry.plugin(kind, name)?.summary ?? '');
  const plain = { type: 'string', enum: [...names], ...enumDocs(docs) };
  const roots = registry.listRoots(`plugin:${kind}`);
  if (roots.length === 0) return plain;
  // An accessor that ends in a plugin name is valid too.
  return { anyOf: [plain, { type: 'string', pattern: `^\\$(${roots.join('|')})\\.(${names.join('|')})$` }] };
}

/** Snippets of whole objects: the first example of each plugin of a kind, without placeholders. */
export function createSnippets(registry: Registry, kind: string): JsonObject {
  const defaultSnippets = registry.names(kind).flatMap((name) => {
    const spec = registry.plugin(kind, name);
    const json = spec?.examples[0]?.json;
    if (spec === undefined || !isObject(json) || spec.deprecated !== undefined) return [];
    const bodyText = JSON.stringify(json, null, '\t').replace(/[\\$}]/g, '\\$&');
    return [{ label: name, description: spec.summary.replaceAll('`', ''), bodyText }];
  });
  return defaultSnippets.length === 0 ? {} : { defaultSnippets };
}

const enumDocs = (docs: readonly string[]): JsonObject =>
  docs.every((doc) => doc === '')
    ? {}
    : {
        enumDescriptions: docs.map((doc) => doc.replaceAll('`', '')),
        ...(docs.some((doc) => MARKUP.test(doc)) && { markdownEnumDescriptions: docs }),
      };

export function toBounds(node: FieldNode): JsonObject {
  const { min, max, above, below, length, integer, pattern } = node.bounds;
  const type = integer === true && node.type === 'number' ? 'integer' : node.type;
  const rules: Record<string, Json> = { type };
  if (node.values !== null) {
    rules['enum'] = [...node.values];
    const docs = node.values.map((value) => node.meta.enumDocs?.[String(value)] ?? '');
    Object.assign(rules, enumDocs(docs));
  }
  if (pattern !== undefined) rules['pattern'] = pattern;
  if (node.type === 'number') {
    const limits = { minimum: min ?? length, maximum: max ?? length, exclusiveMinimum: above, exclusiveMaximum: below };
    for (const [name, value] of Object.entries(limits)) if (value !== undefined) rules[name] = value;
    return rules;
  }
  if (node.type === 'boolean') return rules;
  const lowest = Math.max(
    length ?? min ?? 0,
    above === undefined ? 0 : Math.floor(above) + 1,
    // Required text must not be empty.
    node.required && node.type === 'string' ? 1 : 0,
  );
  const highest = length ?? max ?? (below === undefined ? undefined : Math.ceil(below) - 1);
  const what = node.type === 'array' ? 'Items' : 'Length';
  if (lowest > 0) rules[`min${what}`] = lowest;
  if (highest !== undefined) rules[`max${what}`] = highest;
  return rules;
}
