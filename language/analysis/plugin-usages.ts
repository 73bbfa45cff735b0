/** The plugins that apply to an object, with fields and validity. */
import type { Json } from '../../contract/json.js';
import type { PluginId } from '../../contract/plugin.js';
import type { FieldNode } from '../schema/field-node.js';
import { findMember, toJson, type LocatedNode, type Member } from '../source/tree.js';
import type { Expansion } from './registry.js';
import type { WalkContext } from './walk-context.js';

export function collectUsages(
  context: WalkContext,
  node: LocatedNode,
  field: FieldNode,
  expansion: Expansion,
  flawed: ReadonlySet<PluginId>,
): void {
  const byPlugin = new Map<PluginId, Record<string, Json>>();
  const holder = toJson(node) as Readonly<Record<string, Json>>;
  for (const id of expansion.selected) byPlugin.set(id, {});
  for (const id of expansion.always) {
    byPlugin.set(id, {});
    context.finds.uses.add(id);
  }
  for (const { key } of node.members) {
    const plugin = expansion.fields.get(key)?.plugin ?? null;
    if (plugin === null) continue;
    const fields = byPlugin.get(plugin) ?? (Object.create(null) as Record<string, Json>);
    fields[key] = holder[key] ?? null;
    byPlugin.set(plugin, fields);
  }
  for (const [plugin, value] of byPlugin) {
    const spec = context.registry.plugins.get(plugin);
    const kind = spec && context.registry.kind(spec.kind);
    const slot = kind?.slots.find((name) => field.parts.includes(name)) ?? kind?.slots[0] ?? '';
    // A plugin selected by key checks the object under its key.
    const byKey = kind?.select.by === 'key' && spec !== undefined ? findMember(node, spec.name)?.value : undefined;
    const own = byKey === undefined || byKey === null ? value : (toJson(byKey) as Record<string, Json>);
    context.finds.places.push({ plugin, slot, node: byKey ?? node, value: own, holder, sound: !flawed.has(plugin) });
  }
}

/** False if any value in it is not written yet. */
export const isCompleteMember = ({ value }: Member): boolean => value !== null && isCompleteNode(value);
const isCompleteNode = ({ members, items }: LocatedNode): boolean =>
  members.every(isCompleteMember) && items.every(isCompleteNode);
