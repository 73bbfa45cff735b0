/** Converts FieldNodes to JSON Schema (draft 07). Never stricter than the checker. */
import type { Json, JsonObject } from '../../contract/json.js';
import type { Expansion, OwnedField, Registry } from '../analysis/registry.js';
import { Slot } from '../../contract/slot.js';
import { MATCHER } from '../analysis/verbatim.js';
import type { FieldNode } from '../schema/field-node.js';
import { VARIABLES } from '../strings/accessor.js';
import {
  toAnnotations,
  toBounds,
  toPluginDescription,
  toPluginNameSchema,
  createSnippets,
} from './json-schema-parts.js';

export interface SchemaWriter {
  readonly definitions: Readonly<Record<string, Json>>;
  /** Creates the schema on first use, with a name derived from `name`. */
  ref(node: FieldNode, name: string): JsonObject;
}

interface WriterState {
  readonly registry: Registry;
  readonly definitions: Record<string, Json>;
  readonly names: Map<FieldNode, string>;
}

export function createSchemaWriter(registry: Registry): SchemaWriter {
  const pen: WriterState = { registry, definitions: Object.create(null) as Record<string, Json>, names: new Map() };
  return { definitions: pen.definitions, ref: (node, name) => createRef(pen, node, name) };
}

/** Keyed by identity, so recursive types terminate. */
function createRef(pen: WriterState, node: FieldNode, wanted: string): JsonObject {
  let name = pen.names.get(node);
  if (name === undefined) {
    name = wanted;
    for (let n = 2; Object.hasOwn(pen.definitions, name); n++) name = `${wanted}-${n}`;
    pen.names.set(node, name);
    pen.definitions[name] = true;
    pen.definitions[name] = write(pen, node, name);
  }
  return { $ref: `#/definitions/${name}` };
}

const isCompound = ({ type }: FieldNode): boolean => type !== 'any' && !isScalar(type);
const isScalar = (type: FieldNode['type']): boolean => type === 'string' || type === 'number' || type === 'boolean';

const writeOrRef = (pen: WriterState, node: FieldNode, name: string): Json =>
  isCompound(node) ? createRef(pen, node, name) : write(pen, node, name);

function write(pen: WriterState, node: FieldNode, name: string): JsonObject {
  const about = toAnnotations(node);
  const body = writeBody(pen, node, name);
  return node.nullable ? { ...about, anyOf: [body, { type: 'null' }] } : { ...about, ...body };
}

function writeBody(pen: WriterState, node: FieldNode, name: string): JsonObject {
  const writeInner = (suffix: string): Json =>
    node.inner === null ? true : writeOrRef(pen, node.inner, `${name}.${suffix}`);
  switch (node.type) {
    case 'any':
      return {};
    case 'record':
      return { type: 'object', additionalProperties: writeInner('entry') };
    case 'array':
      return { type: 'array', items: writeInner('item'), ...toBounds(node) };
    case 'value':
      return writeValue(pen, node, name);
    case 'either':
      return { anyOf: node.options.map((form, index) => writeOrRef(pen, form, `${name}.form-${index}`)) };
    case 'object':
      return writeObject(pen, node, name);
    case 'string':
    case 'number':
    case 'boolean':
      return node.meta.plugin === undefined ? toBounds(node) : toPluginNameSchema(pen.registry, node.meta.plugin);
  }
}

/** A literal, or text with accessors; without a literal type, any JSON with accessors anywhere. */
function writeValue(pen: WriterState, node: FieldNode, name: string): JsonObject {
  const { roots } = node.meta;
  const wrong = { not: { type: 'string', pattern: createInvalidAccessorPattern(pen.registry, roots) } };
  if (node.inner !== null) {
    const accessor = { type: 'string', pattern: accessorPattern };
    const literal = writeOrRef(pen, node.inner, `${name}.literal`);
    return { if: accessor, then: wrong, else: node.meta.matched === true ? orMatcher(pen, literal) : literal };
  }
  const ending = node.meta.matched === true ? '.matched' : '';
  const key = `${['any-value', ...(roots ?? [])].join('.')}${ending}`;
  const self = { $ref: `#/definitions/${key}` };
  if (pen.definitions[key] === undefined) {
    const plain = (pen.definitions[key] = { ...wrong, items: self, additionalProperties: self });
    if (node.meta.matched === true) pen.definitions[key] = orMatcher(pen, plain);
  }
  return { allOf: [self] };
}

/** Matchers contain such values, so the definition of the value exists before. */
const orMatcher = (pen: WriterState, otherwise: Json): JsonObject => ({
  if: { type: 'object', minProperties: 1, propertyNames: { pattern: '^\\$' } },
  then: writeOrRef(pen, MATCHER, Slot.MATCHER),
  else: otherwise,
});

function writeObject(pen: WriterState, node: FieldNode, name: string): JsonObject {
  const body = { type: 'object', ...writeVariants(pen, node, new Map(), name) };
  // An object without other fields may be written as the plugin's name.
  if (node.meta.plugin === undefined) return body;
  return { if: { type: 'string' }, then: toPluginNameSchema(pen.registry, node.meta.plugin), else: body };
}

/** One branch for each selectable plugin, with all valid fields, so that misspelled keys are reported. */
function writeVariants(
  pen: WriterState,
  node: FieldNode,
  chosen: ReadonlyMap<string, string>,
  name: string,
): JsonObject {
  const expansion = pen.registry.expand(node, (key) => chosen.get(key));
  const selector = [...expansion.fields].find(([key, { field }]) => !chosen.has(key) && isSelector(pen, key, field));
  if (selector === undefined) return writeClosedObject(pen, expansion, name);
  const [key, { field }] = selector;
  const names = pen.registry.names(field.meta.plugin ?? '');
  const is = (schema: JsonObject): JsonObject => ({ required: [key], properties: { [key]: schema } });
  return {
    ...(chosen.size === 0 && createSnippets(pen.registry, field.meta.plugin ?? '')),
    ...is({ ...toAnnotations(field), ...toPluginNameSchema(pen.registry, field.meta.plugin ?? '') }),
    allOf: [
      ...names.map((plugin) => ({
        if: is({ const: plugin }),
        then: writeVariants(pen, node, new Map([...chosen, [key, plugin]]), name),
      })),
      { if: is({ enum: [...names] }), else: writeClosedObject(pen, expansion, name) },
    ],
  };
}

function isSelector(pen: WriterState, key: string, { meta }: FieldNode): boolean {
  const select = meta.plugin === undefined ? undefined : pen.registry.kind(meta.plugin)?.select;
  return select?.by === 'field' && select.field === key;
}

function writeClosedObject(pen: WriterState, expansion: Expansion, name: string): JsonObject {
  const properties: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const key of expansion.tolerated) properties[key] = true;
  const required: string[] = [];
  const either: JsonObject[] = [];
  for (const [key, owned] of expansion.fields) {
    const isChosen = isSelector(pen, key, owned.field);
    properties[key] = isChosen ? true : writeProperty(pen, key, owned, name);
    if (!owned.field.required || isChosen) continue;
    const others = expansion.instead.get(key) ?? [];
    if (others.length === 0) required.push(key);
    else either.push({ anyOf: [key, ...others].map((one) => ({ required: [one] })) });
  }
  const choices = expansion.choices.flatMap(({ kind, names }) =>
    kind.select.by === 'key' && kind.select.pick === 'one' ? [names] : [],
  );
  for (const names of choices) if (names.length === 1) required.push(...names);
  const several = choices.filter((names) => names.length > 1);
  return {
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(several.length + either.length > 0 && {
      allOf: [...either, ...several.map((names) => ({ oneOf: names.map((one) => ({ required: [one] })) }))],
    }),
  };
}

/** Always a reference, because branches share it. A field without documentation gets the plugin's. */
function writeProperty(pen: WriterState, key: string, { field, plugin }: OwnedField, name: string): Json {
  const owner = plugin === null ? name : plugin.replace(':', '.');
  const wanted = owner.endsWith(`.${key}`) ? owner : `${owner}.${key}`;
  if (field.meta.doc !== '' || plugin === null) return createRef(pen, field, wanted);
  const spec = pen.registry.plugins.get(plugin);
  const ref = createRef(pen, field, wanted);
  const written = pen.definitions[pen.names.get(field) ?? ''];
  if (spec !== undefined && typeof written === 'object') Object.assign(written as object, toPluginDescription(spec));
  return ref;
}

/** End of the upper-case root: no letter, digit or underscore follows. */
const END = '(?![A-Za-z0-9_])';
const PLUGIN_TAIL = 'plugin:';

/** A dollar sign that may start an accessor, unlike that of `$$ROOT`. Not every regex engine supports lookbehind. */
const SIGN = `(?:(?:^|[^$])\\$|\\$\\$(?!(?:${[...VARIABLES].join('|')})${END}))`;

/** Matches text with at least one accessor. */
const accessorPattern = `${SIGN}[A-Z][A-Z0-9_]*${END}`;

/** Matches an invalid accessor: a root outside `roots` (default: all known), or an unknown plugin name. */
function createInvalidAccessorPattern(registry: Registry, roots: readonly string[] | undefined): string {
  const known = registry
    .listKinds(Slot.ACCESSOR)
    .flatMap(({ kind }) => registry.names(kind).map((name) => ({ name, spec: registry.plugin(kind, name) })))
    .filter(({ name }) => roots?.includes(name) ?? true);
  // `$SAVED` of tests is no plugin.
  const listed = (roots ?? known.map(({ name }) => name)).join('|');
  const unknown = listed === '' ? accessorPattern : `${SIGN}(?!(?:${listed})${END})[A-Z][A-Z0-9_]*${END}`;
  const tails = known.flatMap(({ name, spec }) => {
    const tail = spec?.facts?.tail ?? '';
    if (!tail.startsWith(PLUGIN_TAIL)) return [];
    const names = registry.names(tail.slice(PLUGIN_TAIL.length)).join('|');
    return names === '' ? [] : [`\\$${name}${END}(?!\\.(?:${names})(?![A-Za-z0-9_-]))`];
  });
  return [unknown, ...tails].join('|');
}
