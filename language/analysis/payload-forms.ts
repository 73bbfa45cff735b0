/** Names how payload values are changed before deferred work stores them, so that newer definitions can be compared. Pure. */
import { asText, isObject, type Json } from '../../contract/json.js';
import type { ActionModel, ResourceModel } from './model.js';
import { isInside } from './report.js';

/**
 * How a stored payload was changed before the work was accepted: work that meets a protection or a form which came later would store
 * the value without it.
 */
export function listPayloadForms(
  resource: ResourceModel,
  actions: readonly ActionModel[],
  fields: ReadonlySet<string | null>,
): string[] {
  const isStored = (path: string): boolean => fields.has(null) || fields.has(path.split('.', 1)[0] ?? path);
  const definitions = new Set([resource.definition, ...actions.map(({ definition }) => definition)]);
  const secrets = actions.flatMap(({ definition: { finds }, node }) =>
    finds.declarations.filter(({ symbol, spot }) => symbol === 'secret' && isInside(spot, node)),
  );
  const rules = [...definitions].flatMap(({ finds }) =>
    finds.declarations.filter(({ symbol }) => symbol === 'payload-field'),
  );
  return [
    ...secrets.map(({ name }) => [name, `protected payload:${name}`] as const),
    ...rules.flatMap(({ name, value }) => listCanonicalForms(name, value)),
  ].flatMap(([path, label]) => (isStored(path) ? [label] : []));
}

function listCanonicalForms(path: string, rule: Json): (readonly [path: string, label: string])[] {
  if (!isObject(rule)) return [];
  const forms = [rule['canonical'] ?? []].flat().map(asText).sort();
  const inside = isObject(rule['fields']) ? Object.entries(rule['fields']) : [];
  return [
    ...(forms.length > 0 ? [[path, `canonical payload:${path} (${forms.join(', ')})`] as const] : []),
    ...inside.flatMap(([name, value]) => listCanonicalForms(`${path}.${name}`, value)),
  ];
}
