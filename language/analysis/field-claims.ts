/** Rejects plugins that add equal field names to one object. */
import { BootError } from '../../contract/boot-error.js';
import type { Kind } from '../../contract/kind.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Registry } from './registry.js';

export interface FieldClaimInput {
  readonly registry: Registry;
  readonly grammar: Readonly<Record<string, FieldNode>>;
  readonly commons: ReadonlyMap<string, FieldNode>;
}

const KERNEL = 'the kernel';

interface Claims {
  readonly input: FieldClaimInput;
  readonly owners: Map<string, string>;
  /** Kinds with one plugin at a time per object; their plugins may share names. */
  readonly alternatives: { readonly kind: Kind; readonly slot: string }[];
}

/** `nodes`: all schemas. */
export function assertNoSharedFields(input: FieldClaimInput, nodes: readonly FieldNode[]): void {
  for (const node of nodes) {
    for (const holder of listHolders(node)) checkHolder(input, holder);
  }
  // No schema contains the slots of config sections.
  for (const { config, slots } of input.registry.kinds.values()) {
    if (config !== undefined) for (const slot of slots) checkHolder(input, { fields: {}, parts: [slot] });
  }
}

type Holder = Pick<FieldNode, 'fields' | 'parts'>;

function listHolders(node: FieldNode): Holder[] {
  const inside = [...Object.values(node.fields), ...node.options, ...(node.inner === null ? [] : [node.inner])].flatMap(
    listHolders,
  );
  return node.parts.length > 0 ? [node, ...inside] : inside;
}

function checkHolder(input: FieldClaimInput, holder: Holder): void {
  const base: Claims = { input, owners: new Map(), alternatives: [] };
  claimFields(base, holder, KERNEL, holder.parts[0] ?? '');
  for (const { kind, slot } of base.alternatives) {
    for (const name of input.registry.names(kind.kind)) {
      const id = `${kind.kind}:${name}`;
      const schema = input.registry.schema(id, slot);
      if (schema !== undefined)
        claimFields({ input, owners: new Map(base.owners), alternatives: [] }, schema, id, slot);
    }
  }
}

function claimFields(claims: Claims, { fields, parts }: Holder, by: string, slot: string): void {
  for (const field of Object.keys(fields)) claimField(claims, field, by, slot);
  for (const part of parts) {
    for (const field of Object.keys(claims.input.grammar[part]?.fields ?? {})) claimField(claims, field, KERNEL, part);
    for (const kind of claims.input.registry.listKinds(part)) claimKind(claims, kind, part);
  }
}

function claimKind(claims: Claims, kind: Kind, slot: string): void {
  const { registry, commons } = claims.input;
  const common = commons.get(kind.kind);
  if (common !== undefined) claimFields(claims, common, `kind ${kind.kind}`, slot);
  if (kind.select.by === 'field') {
    claimField(claims, kind.select.field, `kind ${kind.kind}`, slot);
    claims.alternatives.push({ kind, slot });
    return;
  }
  for (const name of registry.names(kind.kind)) {
    const id = `${kind.kind}:${name}`;
    const schema = registry.schema(id, slot);
    if (schema === undefined) continue;
    if (kind.select.by === 'key') claimField(claims, name, id, slot);
    if (kind.select.by === 'always') claimFields(claims, schema, id, slot);
  }
}

function claimField({ owners }: Claims, field: string, by: string, slot: string): void {
  const other = owners.get(field);
  if (other !== undefined && other !== by) throw new BootError('PLG_FIELD_TAKEN', { name: by, other, field, slot });
  owners.set(field, by);
}
