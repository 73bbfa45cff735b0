/** Identifies rows that `lintel test` changes. */
import type { JsonObject } from '../../../contract/json.js';
import type { ModelTable } from '../../../contract/model.js';

/** Values of these types are equal to themselves after they were read. */
const EXACT = ['integer', 'text', 'boolean'];

/** The primary key of a row, or the columns that can be compared. */
export function identifyRow({ columns }: ModelTable, row: JsonObject): JsonObject {
  const keys = columns.filter(({ primaryKey }) => primaryKey);
  const chosen = keys.length > 0 ? keys : columns.filter(({ type }) => EXACT.includes(type));
  return Object.fromEntries(chosen.map(({ name }) => [name, row[name] ?? null]));
}
