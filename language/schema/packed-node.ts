/** Unpacks folded schemas serialized without default members. `export/manifest.ts` packs them. */
import type { FieldNode } from './field-node.js';

/** A FieldNode without default members. */
export type PackedNode = Pick<FieldNode, 'type' | 'meta'> & {
  readonly [K in Exclude<keyof FieldNode, 'type' | 'meta' | 'fields' | 'inner' | 'options'>]?: FieldNode[K];
} & {
  readonly fields?: Readonly<Record<string, PackedNode>>;
  readonly inner?: PackedNode;
  readonly options?: readonly PackedNode[];
};

export function unpackNode({
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
  for (const name in fields) own[name] = unpackNode(fields[name] as PackedNode);
  return Object.freeze({
    type,
    meta,
    required: required ?? false,
    nullable: nullable ?? false,
    values: values ?? null,
    bounds: bounds ?? {},
    fields: Object.freeze(own),
    parts: parts ?? [],
    inner: inner === undefined ? null : unpackNode(inner),
    options: (options ?? []).map(unpackNode),
  });
}
