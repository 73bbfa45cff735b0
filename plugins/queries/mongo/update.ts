/**
 * Compiles updates and documents: operators and names come from the definition, request values are converted to field
 * types, without keys that could be interpreted.
 */
import { isObject, type Json } from '../../../contract/json.js';
import { compileFieldObject as fieldsOf } from './expression.js';
import {
  compileFilter,
  compileNumber,
  getOperand,
  compileOperators,
  convertLiteral,
  compileTypedValue,
  compileValues,
} from './filter.js';
import {
  createCheckedReader,
  convertValue,
  getInnerType,
  toWrittenType,
  type QueryCompileContext,
  type StoredFieldType,
} from './values.js';
import { BIT_FIELDS, PUSH_MODIFIERS, UPDATE_OPERATORS, UPDATE_STAGES } from './operators.light.js';
import { compileStage } from './pipeline.js';
import {
  createConstantNode,
  createDynamicNode,
  compileFixed,
  createListNode,
  compileLiteral,
  createObjectNode,
  requireObject,
  createQueryError,
  type Leaf,
  type Node,
} from './template.js';

type Entries = readonly (readonly [string, Node])[];

/** Fields that options of the query add, unless the update writes them. */
export type AddedFields = Readonly<Record<'$set' | '$setOnInsert', Entries>>;

/** `note` receives the nodes written to each field. */
export function compileUpdate(
  json: Json | undefined,
  compiling: QueryCompileContext,
  added: AddedFields,
  note: (entries: Entries) => void,
): Node {
  if (Array.isArray(json)) return compileStages(json as readonly Json[], compiling, added);
  const entries = Object.entries(requireObject(json, '"update_predicate"'));
  for (const [name] of entries) {
    if (!name.startsWith('$')) throw createQueryError(`"${name}" stands in no operator such as "$set"`);
  }
  const mentioned = new Set(entries.flatMap(([, inner]) => (isObject(inner) ? Object.keys(inner) : [])));
  const outer = new Map(entries.map(([name, inner]) => [name, compileChanges(name, inner, compiling)] as const));
  outer.forEach(note);
  for (const [name, list] of Object.entries(added)) {
    const missing = list.filter(([field]) => !mentioned.has(field));
    if (missing.length > 0) outer.set(name, [...(outer.get(name) ?? []), ...missing]);
  }
  return createObjectNode([...outer].map(([name, inner]) => [name, createObjectNode(inner)] as const));
}

/** Appends the added fields as a last stage. */
function compileStages(list: readonly Json[], compiling: QueryCompileContext, added: AddedFields): Node {
  const mentioned = new Set(list.flatMap((item) => (isObject(item) ? Object.values(item) : [])).flatMap(listKeys));
  const missing = added.$set.filter(([field]) => !mentioned.has(field));
  const last = missing.length === 0 ? [] : [createObjectNode([['$set', createObjectNode(missing)]])];
  return createListNode([...list.map((item) => compileStage(item, compiling, UPDATE_STAGES)), ...last]);
}

const listKeys = (json: Json): string[] => (isObject(json) ? Object.keys(json) : []);

function compileChanges(name: string, json: Json, compiling: QueryCompileContext): Entries {
  const operand = getOperand(UPDATE_OPERATORS, name, 'an update');
  return Object.entries(requireObject(json, `"${name}"`)).map(([field, inner]) => {
    if (field.startsWith('$')) throw createQueryError(`"${field}" is no field`);
    const type = compiling.typeOf(field);
    switch (operand) {
      case 'value':
        return [field, compileStored(inner, compiling, type)] as const;
      case 'number':
        return [field, compileNumber(inner, compiling.leaf)] as const;
      case 'values':
        return [field, compileValues(inner, compiling, getInnerType(type, '0'), false)] as const;
      case 'pushed':
        return [field, compilePush(inner, compiling, getInnerType(type, '0'))] as const;
      case 'matching':
        return [field, compilePull(inner, compiling, field)] as const;
      case 'object':
        return [field, compileBits(inner, compiling)] as const;
      default:
        return [field, compileFixed(inner, compiling.leaf, `"${name}"`)] as const;
    }
  });
}

/** Client values must not contain keys of operators. */
export function compileStored(json: Json, { leaf }: QueryCompileContext, declared: StoredFieldType): Node {
  const type = toWrittenType(declared);
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found !== null) {
    const sent = createCheckedReader(found);
    return createDynamicNode((frame) => convertValue(sent(frame), type, found.field), found.field);
  }
  if (typeof json !== 'object' || json === null) return createConstantNode(convertLiteral(json, type));
  return compileLiteral(json, leaf, createCheckedReader);
}

/** `type`: of the items. */
function compilePush(json: Json, compiling: QueryCompileContext, type: StoredFieldType): Node {
  const keys = listKeys(json);
  if (!keys.some((key) => key.startsWith('$'))) return compileStored(json, compiling, type);
  return createObjectNode(
    Object.entries(requireObject(json, 'what is pushed')).map(([key, inner]) => {
      const operand = getOperand(PUSH_MODIFIERS, key, 'a push');
      if (operand === 'values') return [key, compileEach(inner, compiling, type)] as const;
      if (operand === 'number') return [key, compileNumber(inner, compiling.leaf)] as const;
      return [key, compileFixed(inner, compiling.leaf, `"${key}"`)] as const;
    }),
  );
}

const compileEach = (json: Json, compiling: QueryCompileContext, type: StoredFieldType): Node =>
  Array.isArray(json)
    ? createListNode((json as readonly Json[]).map((item) => compileStored(item, compiling, type)))
    : compileValues(json, compiling, toWrittenType(type), false);

/** Values are validated for keys that documents must not contain. */
export const createStorableLeaf =
  (leaf: Leaf): Leaf =>
  (text) => {
    const found = leaf(text);
    return found === null ? null : { ...found, read: createCheckedReader(found) };
  };

/** Operators or a query of the definition; a value is one that an element must equal. */
function compilePull(json: Json, compiling: QueryCompileContext, field: string): Node {
  const keys = listKeys(json);
  if (isObject(json) && keys.some((key) => key.startsWith('$'))) return compileOperators(json, compiling, field);
  if (isObject(json)) return compileFilter(json, compiling, `${field}.`);
  const storable = { ...compiling, leaf: createStorableLeaf(compiling.leaf) };
  const node = compileTypedValue(json, storable, compiling.typeOf(field));
  if (node.constant) return createConstantNode(node.value);
  return createDynamicNode((frame) => ({ $eq: node.read(frame) }));
}

const compileBits = (json: Json, compiling: QueryCompileContext): Node =>
  createObjectNode(
    Object.entries(requireObject(json, '"$bit"')).map(([key, inner]) => {
      getOperand(BIT_FIELDS, key, '"$bit"');
      return [key, compileNumber(inner, compiling.leaf)] as const;
    }),
  );

export function compileDocument(json: Json, compiling: QueryCompileContext): Entries {
  return Object.entries(requireObject(json, '"document"')).map(([field, inner]) => {
    if (field.startsWith('$') || field.includes('.')) throw createQueryError(`"${field}" is no name of a field`);
    return [field, compileStored(inner, compiling, compiling.typeOf(field))] as const;
  });
}

export const compileProjection = (json: Json, compiling: QueryCompileContext): Node =>
  fieldsOf(json, compiling, '"projection"');
