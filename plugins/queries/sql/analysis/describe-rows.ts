/** The JSON Schema of the rows: from the statement, and types that it leaves open from the store. */
import type { StatementText } from '../../../../contract/statement-text.js';
import type { JsonSchema } from '../../../../contract/api.js';
import { isObject } from '../../../../contract/json.js';
import {
  ANY,
  createListSchema,
  createObjectSchema,
  getProperties,
  isAny,
  toNullable,
} from '../../../../contract/forms.js';
import { BLIND } from '../../../../contract/model.js';
import type { RowsToDescribe } from '../../../../contract/query-language.js';
import type { StatementDescription } from '../../../../contract/statement-check.js';
import { quoteReserved } from '../text/reserved.js';
import { deriveRows } from './rows.js';
import { getDatabaseTypeSchema } from './row-types.js';
import { findChild } from './tree.js';

export function describeRows(
  scan: StatementText,
  { parser, findTable, isForeign, description }: RowsToDescribe,
): JsonSchema {
  const parsed = parser?.parse(quoteReserved(scan).text).statements?.[0];
  const tree = parsed === undefined ? null : findChild(parsed, 'stmt');
  const rows = tree === null ? createListSchema({ type: 'object' }) : deriveRows(tree, findTable, isForeign);
  return description === null ? rows : addDescribedTypes(rows, description);
}

/** Statements return the columns of blind indexes, responses do not. */
const isShown = (name: string): boolean => !name.endsWith(BLIND);

/** Types that the statement leaves open, as a database found them; they may be null. */
function addDescribedTypes(rows: JsonSchema, { columns }: StatementDescription): JsonSchema {
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
