/** Quick fix: adds all missing required members of an object with starting values. */
import { listMissingFields } from '../../language/analysis/missing-fields.js';
import { addMembers, jsonLine } from '../../language/source/edit-json.js';
import type { Problem } from '../../contract/problem.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';
import type { Registry } from '../../language/analysis/registry.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import type { Json } from '../../contract/json.js';
import { toWorkspaceEdit } from './workspace-edit.js';

export function requiredActions(asked: ActionSourceInput): CodeActionOffer[] {
  const { view, problems } = asked;
  const byPlace = new Map<number, Problem[]>();
  for (const problem of problems.filter(({ code }) => code === 'DEF_REQUIRED')) {
    const start = view.offsetAt(problem.range.start);
    byPlace.set(start, [...(byPlace.get(start) ?? []), problem]);
  }
  return [...byPlace].flatMap(([start, fixes]) => {
    // Just inside the opening brace at which the problem is reported.
    const site = view.getCursorContext(start + 1);
    const object = [...site.levels].reverse().find(({ node }) => node?.type === 'object');
    if (object?.node === null || object?.node === undefined || object.expansion === null) return [];
    const missing = listMissingFields(object.node, object.expansion);
    if (missing.length === 0) return [];
    const members = missing.map(
      ([name, { field }]) => [name, jsonLine(createStartingValue(view.registry, field))] as const,
    );
    const listed = missing.map(([name]) => `"${name}"`).join(', ');
    const doc = site.definition?.doc ?? view.doc;
    const edit = toWorkspaceEdit(asked, doc, [addMembers(doc, object.node, members)]);
    return [{ title: `Add ${listed}`, edit, fixes }];
  });
}

/** Maximum nesting. */
const MOST = 6;

/** Includes required members. */
function createStartingValue(registry: Registry, field: FieldNode, depth = 0): Json {
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
