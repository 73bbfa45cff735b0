/** The rows where they are certain, and error responses. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { ANY, createListSchema } from '../../../contract/forms.js';

const OF_LISTS = ['QRY_TOO_WIDE', 'QRY_NO_LIST', 'QRY_ITEM'];
const OF_WRITES = ['QRY_UNIQUE', 'QRY_NOT_NULL', 'QRY_CHECK', 'QRY_FOREIGN_KEY', 'QRY_SERIALIZATION'];
const COUNTED: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { count: { type: 'integer', minimum: 0 } }, required: ['count'] },
  minItems: 1,
  maxItems: 1,
};

export function describeDocumentQuery({ value, repeated, facts }: ApiPlace): ApiPart {
  const action = asText(value['action']);
  const writes = facts('document-action', action)?.writes !== false;
  const rows = action === 'COUNT' ? COUNTED : createListSchema(ANY);
  return {
    changes: [{ phase: ActionPhase.EXECUTE, order: -100, change: () => [repeated ? createListSchema(ANY) : rows] }],
    refuses: ['QRY_BAD_VALUE', ...(writes ? ['MQL_KEY'] : []), ...(repeated ? OF_LISTS : [])],
    repeatable: !writes,
    never: writes ? [] : OF_WRITES,
  };
}
