/** Folded schemas as they are handed on as data: what every field has by default is left out. Packs none itself (`export/manifest.ts`). */
import type { FieldNode } from './field-node.js';

/** Without what every field has by default. */
export type PackedNode = Pick<FieldNode, 'type' | 'meta'> & {
  readonly [K in Exclude<keyof FieldNode, 'type' | 'meta' | 'fields' | 'inner' | 'options'>]?: FieldNode[K];
} & {
  readonly fields?: Readonly<Record<string, PackedNode>>;
  readonly inner?: PackedNode;
  readonly options?: readonly PackedNode[];
};

/** The node again. */
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
