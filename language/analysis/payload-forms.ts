/** How payload fields are changed before work is stored. */
import { asText, isObject, type Json } from '../../contract/json.js';
import type { PayloadForm } from '../../contract/part.js';
import type { ActionModel, ResourceModel } from './model.js';
import { isInside } from './report.js';

/** Protections of these actionables, and canonical forms of the resource's rules. */
export function listPayloadForms({ definition }: ResourceModel, actions: readonly ActionModel[]): PayloadForm[] {
  const definitions = new Set([definition, ...actions.map((action) => action.definition)]);
  const secrets = actions.flatMap(({ definition: { finds }, node }) =>
    finds.declarations.filter(({ symbol, spot }) => symbol === 'secret' && isInside(spot, node)),
  );
  const rules = [...definitions].flatMap(({ finds }) =>
    finds.declarations.filter(({ symbol }) => symbol === 'payload-field'),
  );
  return [
    ...secrets.map(({ name }) => ({ path: name, label: `protected payload:${name}` })),
    ...rules.flatMap(({ name, value }) => listCanonicalForms(name, value)),
  ];
}

function listCanonicalForms(path: string, rule: Json): PayloadForm[] {
  if (!isObject(rule)) return [];
  const forms = [rule['canonical'] ?? []].flat().map(asText).sort();
  const inside = isObject(rule['fields']) ? Object.entries(rule['fields']) : [];
  return [
    ...(forms.length > 0 ? [{ path, label: `canonical payload:${path} (${forms.join(', ')})` }] : []),
    ...inside.flatMap(([name, value]) => listCanonicalForms(`${path}.${name}`, value)),
  ];
}
