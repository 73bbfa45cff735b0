/** Creates a starting value for a field, including required members. */
import type { Json } from '../../contract/json.js';
import type { Registry } from '../../language/analysis/registry.js';
import type { FieldNode } from '../../language/schema/field-node.js';

/** Maximum nesting. */
const MOST = 6;

export function createStartingValue(registry: Registry, field: FieldNode, depth = 0): Json {
  const { values, meta, bounds } = field;
  const [example] = meta.examples ?? [];
  if (example !== undefined && field.type !== 'object') return example;
  if (meta.default !== undefined) return meta.default;
  if (values?.[0] !== undefined) return values[0];
  if (meta.plugin !== undefined) return registry.names(meta.plugin)[0] ?? '';
  switch (field.type) {
    case 'boolean':
      return true;
    case 'number':
      return bounds.min ?? (bounds.above === undefined ? 1 : Math.floor(bounds.above) + 1);
    case 'array': {
      const isNeeded = (bounds.min ?? 0) > 0 || field.required;
      return isNeeded && field.inner !== null && depth < MOST
        ? [createStartingValue(registry, field.inner, depth + 1)]
        : [];
    }
    case 'object':
      return depth < MOST ? startingObject(registry, field, depth) : {};
    case 'record':
      return {};
    case 'either':
      return field.options[0] === undefined ? '' : createStartingValue(registry, field.options[0], depth + 1);
    default:
      return '';
  }
}

/** Required fields, including those of the plugins selected for them. */
function startingObject(registry: Registry, field: FieldNode, depth: number): Json {
  const made: Record<string, Json> = {};
  for (let before = -1; before !== Object.keys(made).length;) {
    before = Object.keys(made).length;
    const { fields } = registry.expand(field, (key) => made[key]);
    for (const [name, { field: inner }] of fields) {
      if (inner.required && !Object.hasOwn(made, name)) made[name] = createStartingValue(registry, inner, depth + 1);
    }
  }
  return made;
}
