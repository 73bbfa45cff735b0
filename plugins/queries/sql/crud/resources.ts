/** The resources of a table: list, read, create, update, delete. Pure. */
import type { Json, JsonObject } from '../../../../contract/json.js';
import type { ModelColumn } from '../../../../contract/model.js';
import type { CrudGuard } from './access.js';
import type { CrudColumns } from './columns.js';
import {
  hasRule,
  hasStamps,
  writeCreate,
  writeDelete,
  writeList,
  writeRead,
  writeUpdate,
  type QuoteName,
  type Statement,
} from './statements.js';

export interface CrudInput {
  readonly crud: CrudColumns;
  /** Of ids and paths: `orders`. */
  readonly base: string;
  readonly guard: CrudGuard | null;
  readonly quote: QuoteName;
}

export const MOST_ROWS = 100;

/** Null: the database checks the value. */
function createRule(column: ModelColumn, optional: boolean): JsonObject | null {
  if (!hasRule(column)) return null;
  const { type, maxLength, holds } = column;
  const may = optional ? { optional: true } : {};
  if (type === 'integer') return { type: 'NUMBER', integer: true, ...may };
  if (type === 'float') return { type: 'NUMBER', ...may };
  if (type === 'json') return { type: holds?.form === 'array' ? 'STRINGARRAY' : 'OBJECT', ...may };
  return { type: 'STRING', ...(type === 'text' && maxLength !== null && { max_length: maxLength }), ...may };
}

interface RuledField {
  readonly column: ModelColumn;
  readonly name?: string;
  readonly optional: boolean;
}

function createRules(fields: readonly RuledField[], more: JsonObject = {}): { readonly payload_validation?: Json } {
  const rules = fields.flatMap(({ column, name = column.name, optional }) => {
    const rule = createRule(column, optional);
    return rule === null ? [] : [[name, rule] as const];
  });
  const all = { ...Object.fromEntries(rules), ...more };
  return Object.keys(all).length === 0 ? {} : { payload_validation: [{ field: all }] };
}

export const nameResource = (base: string, work: string): string => `${base}-${work}`;

export function createResources({ crud, base, guard, quote }: CrudInput): JsonObject[] {
  const { keys, named, given, changed, shown, filters, sorts, softDelete } = crud;
  const names = shown.map(({ name }) => name);
  const stamps = hasStamps(crud) ? { with_timestamps: true } : {};
  const createResource = (work: string, action: JsonObject, returnables: readonly string[] = names): JsonObject => ({
    id: nameResource(base, work),
    resource: `${base}/${work}`,
    ...guard?.fields,
    actionables: [{ id: 1, mode: 'QUERY', ...action }],
    returnables,
  });
  const createQuery = ({ query: text, parameters }: Statement, more: JsonObject = {}): JsonObject => ({
    sql_query: { query: text, parameters, ...more },
  });
  const found = { must_return_value: true, on_empty: { status: 404, message: 'There is no such row.' } };
  const keyRules = named.map((column) => ({ column, optional: false }));
  const places = [...keys, ...sorts].map((column) => ({ column, name: `after_${column.name}`, optional: true }));
  const listRules = createRules([...filters.map((column) => ({ column, optional: true })), ...places], {
    ...(sorts.length > 0 && { sort: { type: 'STRING', max_length: 80, optional: true } }),
    limit: { type: 'NUMBER', integer: true, min: 1, max: MOST_ROWS },
  });
  return [
    createResource('list', { result: 'many', ...listRules, ...createQuery(writeList(crud, quote)) }),
    createResource('read', { ...createRules(keyRules), ...createQuery(writeRead(crud, quote)), ...found }),
    createResource('create', {
      ...createRules(given.map((column) => ({ column, optional: column.nullable }))),
      ...createQuery(writeCreate(crud, quote), stamps),
    }),
    ...(changed.length === 0
      ? []
      : [
          createResource('update', {
            ...createRules([...keyRules, ...changed.map((column) => ({ column, optional: true }))]),
            ...createQuery(writeUpdate(crud, quote), stamps),
            ...found,
          }),
        ]),
    createResource(
      'delete',
      {
        ...createRules(keyRules),
        ...createQuery(writeDelete(crud, quote), softDelete ? { soft_delete: true } : {}),
        ...found,
      },
      keys.map(({ name }) => name),
    ),
  ];
}
