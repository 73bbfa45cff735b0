/**
 * Fills what the text of a statement leaves open, such as a sum or a `*` of a sub-query, with the types that a database found for
 * its columns. They may be null: a database does not report that.
 */
import { ANY, createObjectSchema, getProperties, isAny, toNullable } from '../../../contract/forms.js';
import type { JsonSchema } from '../../../contract/api.js';
import { isObject } from '../../../contract/json.js';
import { BLIND } from '../../../contract/model.js';
import type { StatementDescription } from '../../../contract/statement-check.js';
import { getDatabaseTypeSchema } from './sql-types.js';

/** Statements return the columns of blind indexes, responses do not. */
const isShown = (name: string): boolean => !name.endsWith(BLIND);

export function addDescribedTypes(rows: JsonSchema, { columns }: StatementDescription): JsonSchema {
  const types = new Map(columns.map(({ name, type }) => [name, toNullable(getDatabaseTypeSchema(type))]));
  const { items } = rows;
  // Of equal names only the last one is in the row.
  if (types.size === 0 || !isObject(items)) return rows;
  const known = getProperties(items);
  const names = known === null ? [...types.keys()].filter(isShown) : Object.keys(known);
  const properties = Object.fromEntries(
    names.map((name) => {
      const schema = known?.[name] ?? ANY;
      return [name, isAny(schema) ? (types.get(name) ?? ANY) : schema];
    }),
  );
  return { ...rows, items: { ...items, ...createObjectSchema(properties) } };
}
