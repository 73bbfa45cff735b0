/** Generates the JSON Schemas for editors: definition, model, config, and one that detects the kind. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import { Slot } from '../../contract/slot.js';
import { getConfigField } from '../analysis/config.js';
import { MODEL_SETTINGS, GRAMMAR, ROOT_FIELDS } from '../analysis/grammar.js';
import type { Registry } from '../analysis/registry.js';
import { EMPTY_OBJECT } from '../schema/field-node.js';
import { createSchemaWriter, type SchemaWriter } from './json-schema.js';

export const SCHEMA_TARGETS = ['definition', 'model', 'test', 'config', 'all'] as const;
export type SchemaTarget = (typeof SCHEMA_TARGETS)[number];

const TITLES: Readonly<Record<SchemaTarget, string>> = {
  definition: 'Lintel definition: a resource, a model, or a list of them',
  model: 'Lintel database model',
  test: 'Lintel test file',
  config: 'Lintel config',
  all: 'Lintel definition, test file or config',
};

/** Some property has the form of a model field. */
const holdsField: JsonObject = {
  not: {
    additionalProperties: { not: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } } },
  },
};
const isNamedModels: JsonObject = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^_' },
  not: holdsField,
};
const isTest: JsonObject = { type: 'object', required: ['cases'], properties: { cases: { type: 'array' } } };
const isResource: JsonObject = { anyOf: [{ required: ['resource'] }, { required: ['actionables'] }] };

export function createSchema(target: SchemaTarget, registry: Registry): JsonObject {
  const writer = createSchemaWriter(registry);
  const configNode = getConfigField(registry);
  const config = writer.ref(configNode, 'config');
  const resource = writer.ref(GRAMMAR[Slot.RESOURCE] ?? EMPTY_OBJECT, 'resource');
  const test = writer.ref(ROOT_FIELDS.test, 'test');
  const fields = writer.ref(GRAMMAR[Slot.MODEL] ?? EMPTY_OBJECT, 'model');
  const named = { type: 'object', additionalProperties: fields };
  const model = { if: isNamedModels, then: named, else: fields };
  const single = {
    type: 'object',
    if: isResource,
    then: resource,
    else: { if: { anyOf: [isNamedModels, holdsField], minProperties: 1 }, then: model, else: resource },
  };
  const parts = { ...addModelOptions(writer), 'one-definition': single, 'one-model': model };
  const toOneOrMany = (one: keyof typeof parts): JsonObject => {
    const ref = { $ref: `#/definitions/${one}` };
    return { if: { type: 'array' }, then: { type: 'array', items: ref }, else: ref };
  };
  const roots: Readonly<Record<SchemaTarget, () => JsonObject>> = {
    definition: () => toOneOrMany('one-definition'),
    model: () => toOneOrMany('one-model'),
    test: () => test,
    config: () => config,
    all: () => {
      const keys = Object.keys(configNode.fields);
      const isConfig = { type: 'object', minProperties: 1, propertyNames: { enum: keys } };
      return { if: isConfig, then: config, else: { if: isTest, then: test, else: toOneOrMany('one-definition') } };
    },
  };
  const root = roots[target]();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: TITLES[target],
    // VS Code allows comments and trailing commas in project files.
    allowComments: true,
    allowTrailingCommas: true,
    ...shareEqual({ allOf: [root], definitions: pickReachable(root, parts) }),
  };
}

/** Model options are recognized by their JSON type; any object is an ordinary field. */
function addModelOptions(writer: SchemaWriter): Readonly<Record<string, Json>> {
  const beside = Object.entries(MODEL_SETTINGS.fields).map(
    ([name, node]) => [name, node.type, writer.ref(node, `model.${name}`)] as const,
  );
  const model = writer.definitions['model'];
  if (!isObject(model)) return writer.definitions;
  const field = model['additionalProperties'] ?? true;
  const properties = beside.map(([name, type, ref]) => [name, { if: { type }, then: ref, else: field }] as const);
  return {
    ...writer.definitions,
    model: { ...model, propertyNames: { minLength: 1 }, properties: Object.fromEntries(properties) },
  };
}

function pickReachable(root: JsonObject, all: Readonly<Record<string, Json>>): JsonObject {
  const kept = new Set<string>();
  const visit = (json: unknown): void => {
    if (typeof json !== 'object' || json === null) return;
    const { $ref } = json as { readonly $ref?: unknown };
    const name = typeof $ref === 'string' ? $ref.replace(PREFIX, '') : null;
    if (name !== null && !kept.has(name)) {
      kept.add(name);
      visit(all[name]);
    }
    Object.values(json).forEach(visit);
  };
  visit(root);
  return Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)));
}

const PREFIX = '#/definitions/';

/** Of equal definitions one remains, in rounds: references to equal ones become equal. */
function shareEqual(schema: { readonly allOf: Json; readonly definitions: JsonObject }): JsonObject {
  const byText = new Map<string, string>();
  const others = new Map<string, string>();
  for (const [name, definition] of Object.entries(schema.definitions)) {
    const text = JSON.stringify(definition);
    const known = byText.get(text);
    if (known === undefined) byText.set(text, name);
    else others.set(PREFIX + name, PREFIX + known);
  }
  if (others.size === 0) return schema;
  const rewriteReferences = (json: Json): Json => {
    if (Array.isArray(json)) return (json as readonly Json[]).map(rewriteReferences);
    if (!isObject(json)) return json;
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string' ? (others.get(value) ?? value) : rewriteReferences(value),
      ]),
    );
  };
  const kept = Object.entries(schema.definitions).filter(([name]) => !others.has(PREFIX + name));
  return shareEqual({
    allOf: rewriteReferences(schema.allOf),
    definitions: Object.fromEntries(kept.map(([name, definition]) => [name, rewriteReferences(definition)])),
  });
}

export const formatSchema = (target: SchemaTarget, registry: Registry): string =>
  `${JSON.stringify(createSchema(target, registry), null, 2)}\n`;

/** With stable names that editor settings can refer to. */
export function listSchemaFiles(
  folder: string,
  target: SchemaTarget,
  registry: Registry,
): (readonly [string, string])[] {
  const targets = target === 'all' ? SCHEMA_TARGETS.filter((name) => name !== 'all') : [target];
  return targets.map((name) => [`${folder}/lintel.${name}.schema.json`, formatSchema(name, registry)]);
}
