/** Which definitions a change of plugins' schemas concerns; everything else of the plugins stays as it was. */
import type { PluginId } from '../../contract/plugin.js';
import type { FieldNode } from '../schema/field-node.js';
import { isSame } from './lookups.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';

/** A definition that uses none of these plugins and has no finding of the walk reads nothing of their schemas. */
export function createOutdatedTest(
  before: Registry,
  after: Registry,
  ids: readonly PluginId[],
): (definition: Definition) => boolean {
  if (ids.some((id) => isReadByAll(before, after, id))) return () => true;
  return ({ finds }) => finds.isReported || ids.some((id) => finds.uses.has(id));
}

/** True if objects without a field of the plugin may be valid before and invalid now, or the other way round. */
function isReadByAll(before: Registry, after: Registry, id: PluginId): boolean {
  const spec = after.plugins.get(id);
  const kind = spec && after.kind(spec.kind);
  if (spec === undefined || kind === undefined) return true;
  if (kind.select.by === 'field') return false;
  return kind.slots.some((slot) => {
    const [old, now] = [before.schema(id, slot), after.schema(id, slot)];
    if (old === undefined || now === undefined) return old !== now;
    return !isSame(listNeeds(old), listNeeds(now)) || (spec.facts?.instead !== undefined && !hasSameKeys(old, now));
  });
}

const listNeeds = ({ required, parts, fields }: FieldNode): (boolean | string)[] => [
  required,
  ...parts,
  ...Object.entries(fields).flatMap(([name, field]) => (field.required ? [name] : [])),
];

const hasSameKeys = (one: FieldNode, other: FieldNode): boolean =>
  isSame(Object.keys(one.fields), Object.keys(other.fields));
