/**
 * Kinds and specs as data with their code left behind: schemas folded, functions as places. A bundle carries them so that a
 * process which must answer at once makes no schema, and runs the code of specs only when somebody calls it.
 */
import type { Json, JsonObject } from '../contract/json.js';
import type { Kind } from '../contract/kind.js';
import type { PluginSpec, SchemaLike } from '../contract/plugin.js';
import type { FieldNode } from '../schema/field-node.js';
import { fold, foldedSchema } from '../schema/fold.js';
import { plainOf } from './manifest.js';

type Way = readonly (string | number)[];

interface PackedOne {
  /** All of it that is data. */
  readonly data: JsonObject;
  readonly schemas: readonly (readonly [way: Way, packed: Json])[];
  /** Where its functions stand. */
  readonly code: readonly Way[];
}

export interface PackedSpecs {
  readonly kinds: readonly PackedOne[];
  readonly specs: readonly PackedOne[];
}

export interface SpecList {
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
}

/** Throws where something is neither data nor a function nor a schema. */
export const packSpecs = ({ kinds, specs }: SpecList): PackedSpecs => ({
  kinds: kinds.map((kind) => packOne(kind, `kind ${kind.kind}`)),
  specs: specs.map((spec) => packOne(spec, `${spec.kind}:${spec.name}`)),
});

const isSchema = (value: object): value is SchemaLike => '__isYupSchema__' in value;

function packOne(whole: object, name: string): PackedOne {
  const schemas: [Way, Json][] = [];
  const code: Way[] = [];
  const rest = (value: unknown, way: Way): unknown => {
    if (typeof value === 'function') code.push(way);
    if (typeof value === 'function' || typeof value !== 'object' || value === null) {
      return typeof value === 'function' ? undefined : value;
    }
    if (isSchema(value)) {
      schemas.push([way, plainOf(fold(value, name), name)]);
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item, i) => rest(item, [...way, i]) ?? null);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rest(inner, [...way, key])]));
  };
  return { data: plainOf(rest(whole, []), name) as JsonObject, schemas, code };
}

/** `real`: where the code is; asked when a function is called for the first time. */
export function unpackSpecs(packed: PackedSpecs, real: () => SpecList): SpecList {
  const kinds = packed.kinds.map((one, i) => unpackOne(one, () => real().kinds[i]) as unknown as Kind);
  const specs = packed.specs.map((one, i) => unpackOne(one, () => real().specs[i]) as unknown as PluginSpec);
  return { kinds, specs };
}

function unpackOne({ data, schemas, code }: PackedOne, real: () => object | undefined): object {
  const whole: Record<string, unknown> = { ...data };
  for (const [way, packed] of schemas) put(whole, way, foldedSchema(nodeOf(packed as unknown as PackedNode)));
  for (const way of code) {
    let found: ((...given: unknown[]) => unknown) | undefined;
    const call = (...given: unknown[]): unknown => {
      found ??= way.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], real()) as typeof found;
      return found?.(...given);
    };
    put(whole, way, call);
  }
  return Object.freeze(whole);
}

function put(whole: Record<string | number, unknown>, way: Way, value: unknown): void {
  const [last = '', ...before] = [...way].reverse();
  const holder = before.reverse().reduce((at, key) => (at[key] ??= {}) as typeof whole, whole);
  holder[last] = value;
}

/** As `plainOf` leaves a node: without what every field has by default. */
type PackedNode = Pick<FieldNode, 'type' | 'meta'> & {
  readonly [K in Exclude<keyof FieldNode, 'type' | 'meta' | 'fields' | 'inner' | 'options'>]?: FieldNode[K];
} & {
  readonly fields?: Readonly<Record<string, PackedNode>>;
  readonly inner?: PackedNode;
  readonly options?: readonly PackedNode[];
};

function nodeOf({
  type,
  meta,
  required,
  nullable,
  values,
  bounds,
  fields,
  parts,
  inner,
  options,
}: PackedNode): FieldNode {
  const own = Object.create(null) as Record<string, FieldNode>;
  for (const name in fields) own[name] = nodeOf(fields[name] as PackedNode);
  return Object.freeze({
    type,
    meta,
    required: required ?? false,
    nullable: nullable ?? false,
    values: values ?? null,
    bounds: bounds ?? {},
    fields: Object.freeze(own),
    parts: parts ?? [],
    inner: inner === undefined ? null : nodeOf(inner),
    options: (options ?? []).map(nodeOf),
  });
}
