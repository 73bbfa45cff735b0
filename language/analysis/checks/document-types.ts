/** Checks the types of payload rules against the document fields that the values meet. */
import { asText, getOwn, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { listQueryFields } from '../collect-queries.js';
import { findNode, toJsonObject } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { isInside, type Report } from '../report.js';
import { findPayloadPath, findRule, getColumnType } from './types.js';

/** Types of fields that reject every value of a JSON type. */
const CANNOT: Readonly<Record<string, readonly string[]>> = {
  number: ['boolean', 'timestamp', 'text'],
  boolean: ['integer', 'float', 'timestamp', 'text'],
  array: ['integer', 'float', 'boolean', 'timestamp', 'text'],
  object: ['integer', 'float', 'boolean', 'timestamp', 'text'],
};

/** `models`: those that the resource uses. */
export function checkDocumentTypes(
  resource: LinkedResource,
  models: readonly Definition[],
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): void {
  const { doc, finds } = resource.definition;
  for (const query of finds.documents) {
    const { around, node, each } = query;
    const action = resource.actions.find((one) => isInside(node, one.node));
    const [model, other] = models.filter(({ name }) => action?.models.includes(name) === true);
    // Items of a list have rules of their own.
    if (action === undefined || model === undefined || other !== undefined || each !== null) continue;
    const reported = new Set<string>();
    for (const { path, at, whole, written, reshaped } of listQueryFields(query)) {
      const field = findField(toJsonObject(model.node), path.split('.'));
      const value = findNode(around, at)?.node;
      if (!whole || reshaped || field === null || value === undefined || reported.has(`${path} ${at}`)) continue;
      reported.add(`${path} ${at}`);
      const context = { registry, resource, action };
      const read = findPayloadPath(context, value);
      const rule = read === null ? null : findRule(context, read);
      if (read === null || rule === null) continue;
      const compared = written || rule.jsType === 'array' ? field : getItemField(field);
      const column = getColumnType(registry, compared);
      if (column === null || CANNOT[rule.jsType]?.includes(column) !== true) continue;
      const words = { rule: asText(rule.value['type']), field: path, type: asText(compared['type']) };
      report.add('DOC_RULE', { doc, start: value.start, end: value.end }, { name: read.join('.'), ...words });
    }
  }
}

/** A value other than a list is compared with the items of a list. */
const getItemField = (field: JsonObject): JsonObject =>
  typeof field['property_type'] === 'string' ? { type: field['property_type'] } : field;

/** Null for a field that the model does not declare. */
function findField(fields: JsonObject, [name = '', ...inside]: readonly string[]): JsonObject | null {
  const field = getOwn(fields, name) as Json | undefined;
  if (!isObject(field) || inside.length === 0) return isObject(field) ? field : null;
  return isObject(field['properties']) ? findField(field['properties'], inside) : null;
}
