/**
 * Folds a yup schema into a FieldNode. Throws FoldError for all else, so no schema declares a check that the walker
 * does not make.
 */
import type { Schema, SchemaDescription } from 'yup';
import type { SchemaLike } from '../../contract/plugin-spec.js';
import type { Bounds, FieldNode, FieldType } from './field-node.js';

export class FoldError extends Error {}

const TYPES: ReadonlyMap<string, FieldType> = new Map([
  ['object', 'object'],
  ['array', 'array'],
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['mixed', 'any'],
]);

/** An already folded schema, for plugins that must not run here. */
export interface FoldedSchema extends SchemaLike {
  readonly folded: FieldNode;
}

export const createFoldedSchema = (folded: FieldNode): FoldedSchema => ({ __isYupSchema__: true, folded });

/** `make` is called once, on first access. */
export function createLazySchema(make: () => FieldNode): FoldedSchema {
  let known: FieldNode | undefined;
  return {
    __isYupSchema__: true,
    get folded() {
      return (known ??= make());
    },
  };
}

const isFolded = (schema: SchemaLike): schema is FoldedSchema => Object.hasOwn(schema, 'folded');

const isYupSchema = (schema: SchemaLike): schema is SchemaLike & Schema => 'describe' in schema;

interface Description extends SchemaDescription {
  readonly fields?: Readonly<Record<string, SchemaDescription>>;
  readonly innerType?: SchemaDescription;
}

/** Throws FoldError for a field without documentation or an unknown test, named by `path`. */
export function foldSchema(schema: SchemaLike, path: string): FieldNode {
  if (isFolded(schema)) return schema.folded;
  if (!isYupSchema(schema)) throw new FoldError(`${path} is no schema of yup`);
  const known = nodes.get(schema) ?? foldNode(schema, path, true);
  nodes.set(schema, known);
  return known;
}

/** Cached: schemas are immutable, and registries share plugins. */
const nodes = new WeakMap<SchemaLike, FieldNode>();

/** `description` has those of all its fields, so only a root is described. */
function foldNode(schema: Schema, path: string, isRoot: boolean, description = schema.describe()): FieldNode {
  const described: Description = description;
  const meta = described.meta ?? { doc: '' };
  // A plugin in JavaScript may leave it out.
  if ((meta.doc ?? '').trim() === '' && !isRoot) throw new FoldError(`${path} has no \`doc\``);
  const { inner: thunk, options: forms, shape, parts, ...kept } = meta;
  if (schema.deps.length > 0) throw new FoldError(`${path} depends on other fields (\`when\`); use the plugin's check`);
  if (described.notOneOf.length > 0)
    throw new FoldError(`${path} refuses values with \`notOneOf\`, which cannot be folded`);
  const base = TYPES.get(described.type);
  if (base === undefined) throw new FoldError(`${path} is of type ${described.type}, which no definition can hold`);
  return Object.freeze({
    type: shape === 'slot' ? 'object' : (shape ?? base),
    meta: kept,
    required: !described.optional,
    nullable: described.nullable,
    values: described.oneOf.length > 0 ? (described.oneOf as (string | number | boolean)[]) : null,
    bounds: foldBounds(described, path),
    fields: foldFields(schema, path, described),
    parts: parts ?? [],
    inner: foldInner(schema, thunk, path, described),
    options: foldOptions(forms, path),
  });
}

function foldFields(schema: Schema, path: string, described: Description): Readonly<Record<string, FieldNode>> {
  const fields = Object.create(null) as Record<string, FieldNode>;
  if ('fields' in schema && schema.type === 'object') {
    for (const [name, field] of Object.entries(schema.fields as Record<string, Schema>)) {
      fields[name] = foldNode(field, `${path}.${name}`, false, described.fields?.[name]);
    }
  }
  return Object.freeze(fields);
}

/** Forms of one JSON type could not be distinguished. */
function foldOptions(thunk: (() => readonly unknown[]) | undefined, path: string): readonly FieldNode[] {
  if (thunk === undefined) return [];
  const options = thunk().map((form) => foldNode(form as Schema, path, true));
  const types = new Set(options.map(({ type }) => (type === 'record' ? 'object' : type)));
  if (types.size < options.length || types.has('any') || types.has('value') || types.has('either')) {
    throw new FoldError(`${path} has two forms that cannot be told apart`);
  }
  return options;
}

function foldInner(
  schema: Schema,
  thunk: (() => unknown) | undefined,
  path: string,
  { innerType }: Description,
): FieldNode | null {
  if (thunk !== undefined) {
    const inner = thunk() as Schema | null;
    return inner === null ? null : foldNode(inner, `${path}.*`, true);
  }
  if ('innerType' in schema && schema.innerType !== undefined) {
    return foldNode(schema.innerType as Schema, `${path}[]`, true, innerType);
  }
  return null;
}

function foldBounds(described: SchemaDescription, path: string): Bounds {
  const bounds: { -readonly [K in keyof Bounds]: Bounds[K] } = {};
  for (const test of described.tests) {
    const params = (test.params ?? {}) as Record<string, unknown>;
    switch (test.name) {
      case 'required':
        break;
      case 'min':
      case 'max':
      case 'length':
        foldLimit(bounds, test.name, params);
        break;
      case 'integer':
        bounds.integer = true;
        break;
      case 'matches':
        bounds.pattern = foldPattern(params['regex'] as RegExp, path);
        break;
      default:
        throw new FoldError(`${path} has a test "${test.name ?? '?'}" that cannot be folded; use the plugin's check`);
    }
  }
  return bounds;
}

/** yup reports `moreThan` and `positive` as `min`, `lessThan` as `max`. */
function foldLimit(
  bounds: { -readonly [K in keyof Bounds]: Bounds[K] },
  name: 'min' | 'max' | 'length',
  params: Readonly<Record<string, unknown>>,
): void {
  if (name === 'min' && params['more'] !== undefined) bounds.above = Number(params['more']);
  else if (name === 'max' && params['less'] !== undefined) bounds.below = Number(params['less']);
  else bounds[name] = Number(params[name]);
}

function foldPattern(regex: RegExp, path: string): string {
  if (regex.flags !== '')
    throw new FoldError(`${path} has a pattern with flags (${regex.flags}), which cannot be folded`);
  return regex.source;
}
