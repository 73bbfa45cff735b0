/** Its rows, without database errors that it cannot cause. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { mayWrite } from './text/calls.js';
import { ANY, createListSchema, toNullable, NULL } from '../../../contract/forms.js';

const OF_VALUES = ['QRY_UNIQUE', 'QRY_NOT_NULL', 'QRY_CHECK'];
const OF_LISTS = ['QRY_TOO_WIDE', 'QRY_NO_LIST', 'QRY_ITEM'];
export function describeStatement({ value, statement: find, repeated }: ApiPlace): ApiPart {
  const statement = find();
  const rows = statement?.rows ?? createListSchema(ANY);
  return {
    changes: [
      {
        phase: ActionPhase.EXECUTE,
        order: -100,
        change: () => [repeated ? createListSchema(toItemSchema(rows)) : rows],
      },
    ],
    refuses: repeated ? OF_LISTS : [],
    repeatable: statement?.reads === true,
    never: listImpossible(statement?.verb ?? '', asText(value['query'])),
  };
}

/** An item without a row returns null. */
function toItemSchema({ items, minItems, maxItems }: JsonSchema): JsonSchema {
  if (maxItems === 0) return NULL;
  const row = (items ?? ANY) as JsonSchema;
  return minItems === 1 && maxItems === 1 ? row : toNullable(row);
}

function listImpossible(verb: string, query: string): string[] {
  if (verb === 'SELECT' && !mayWrite(query)) return [...OF_VALUES, 'QRY_FOREIGN_KEY', 'QRY_SERIALIZATION'];
  return verb === 'DELETE' ? OF_VALUES : [];
}
