/** The statements of the resources of a table. Values are parameters; names are quoted where needed. Pure. */
import type { ModelColumn } from '../../../../contract/model.js';
import type { CrudColumns } from './columns.js';

export interface Statement {
  readonly query: string;
  readonly parameters: readonly string[];
}

/** There are no rules for these values: the database checks them. */
export const hasRule = ({ type, holds }: ModelColumn): boolean =>
  type !== 'boolean' && !(type === 'json' && holds?.form === 'array' && holds.items?.type !== 'text');

/** A claim may have the name of a field. */
const nameParameter = ({ owner }: CrudColumns, name: string): string =>
  name === owner?.claim ? `$PAYLOAD.${name}` : name;

interface Parameters {
  /** `$1`; equal ones share a number. */
  add(parameter: string): string;
  readonly all: string[];
}

function createParameters(): Parameters {
  const all: string[] = [];
  return {
    all,
    add(parameter) {
      if (!all.includes(parameter)) all.push(parameter);
      return `$${all.indexOf(parameter) + 1}`;
    },
  };
}

/** As the language of the statements writes a name. */
export type QuoteName = (name: string) => string;

/** The conditions that every statement on existing rows has. */
function listOwnConditions({ owner, softDelete }: CrudColumns, parameters: Parameters, quote: QuoteName): string[] {
  return [
    ...(owner === null ? [] : [`${quote(owner.column)} = ${parameters.add(`$PROTECTED.${owner.claim}`)}`]),
    ...(softDelete ? ['deleted_at IS NULL'] : []),
  ];
}

const listKeyConditions = (crud: CrudColumns, parameters: Parameters, quote: QuoteName): string[] =>
  crud.named.map(({ name }) => `${quote(name)} = ${parameters.add(nameParameter(crud, name))}`);

const listNames = (columns: readonly ModelColumn[], quote: QuoteName): string =>
  columns.map(({ name }) => quote(name)).join(', ');

/** `(a > $1 OR (a = $1 AND b > $2))`: rows after the one with these values. */
function writeKeysetCondition(
  columns: readonly { readonly name: string; readonly value: string; readonly sign: string }[],
): string {
  const [first, ...rest] = columns;
  if (first === undefined) return 'TRUE';
  const { name, value, sign } = first;
  return rest.length === 0
    ? `${name} ${sign} ${value}`
    : `(${name} ${sign} ${value} OR (${name} = ${value} AND ${writeKeysetCondition(rest)}))`;
}

export function writeList(crud: CrudColumns, quote: QuoteName): Statement {
  const { table, keys, sorts, filters, shown } = crud;
  const parameters = createParameters();
  const own = listOwnConditions(crud, parameters, quote);
  const matching = filters.map((column) => {
    const value = parameters.add(nameParameter(crud, column.name));
    // The comparison comes first, because it says which type the parameter has.
    return `(${quote(column.name)} = ${value} OR ${value} IS NULL)`;
  });
  const createPlace = (column: ModelColumn, sign: string) => ({
    name: quote(column.name),
    value: parameters.add(`after_${column.name}`),
    sign,
  });
  const keysetColumns = keys.map((key) => createPlace(key, '>'));
  const first = keysetColumns[0]?.value ?? '';
  const sort = sorts.length === 0 ? '' : parameters.add('sort');
  const cases = sorts.flatMap((column) =>
    ['>', '<'].map((sign) => {
      const name = `${sign === '<' ? '-' : ''}${column.name}`;
      return `WHEN '${name}' THEN ${writeKeysetCondition([createPlace(column, sign), ...keysetColumns])}`;
    }),
  );
  const keysetCondition = writeKeysetCondition(keysetColumns);
  const after = sorts.length === 0 ? keysetCondition : `CASE ${sort} ${cases.join(' ')} ELSE ${keysetCondition} END`;
  const orders = sorts.flatMap(({ name }) => [
    `CASE WHEN ${sort} = '${name}' THEN ${quote(name)} END`,
    `CASE WHEN ${sort} = '-${name}' THEN ${quote(name)} END DESC`,
  ]);
  const conditions = [...own, ...matching, `(${after} OR ${first} IS NULL)`];
  const query = [
    `SELECT ${listNames(shown, quote)} FROM ${quote(table.table)}`,
    `WHERE ${conditions.join(' AND ')}`,
    `ORDER BY ${[...orders, ...keys.map(({ name }) => quote(name))].join(', ')} LIMIT ${parameters.add('limit')}`,
  ];
  return { query: query.join(' '), parameters: parameters.all };
}

export function writeRead(crud: CrudColumns, quote: QuoteName): Statement {
  const parameters = createParameters();
  const conditions = [...listKeyConditions(crud, parameters, quote), ...listOwnConditions(crud, parameters, quote)];
  const query = `SELECT ${listNames(crud.shown, quote)} FROM ${quote(crud.table.table)} WHERE ${conditions.join(' AND ')}`;
  return { query, parameters: parameters.all };
}

/** Both stamps are those of `with_timestamps`. */
export const hasStamps = ({ createdAt, updatedAt }: CrudColumns): boolean => createdAt && updatedAt;

export function writeCreate(crud: CrudColumns, quote: QuoteName): Statement {
  const { table, keys, generator, owner, given, createdAt, updatedAt } = crud;
  const parameters = createParameters();
  const values = new Map<string, string>();
  const [key] = keys;
  if (generator !== null && key !== undefined) values.set(key.name, parameters.add(`$GENERATOR.${generator}`));
  if (owner !== null) values.set(owner.column, parameters.add(`$PROTECTED.${owner.claim}`));
  for (const column of given) values.set(column.name, parameters.add(nameParameter(crud, column.name)));
  if (!hasStamps(crud)) {
    if (createdAt) values.set('created_at', parameters.add('$DATETIME'));
    if (updatedAt) values.set('updated_at', parameters.add('$DATETIME'));
  }
  const names = [...values.keys()].map(quote).join(', ');
  const query = `INSERT INTO ${quote(table.table)} (${names}) VALUES (${[...values.values()].join(', ')})`;
  return { query, parameters: parameters.all };
}

/** A field that is not sent keeps its value. */
export function writeUpdate(crud: CrudColumns, quote: QuoteName): Statement {
  const { table, changed, shown, updatedAt } = crud;
  const parameters = createParameters();
  const sets = changed.map((column) => {
    // The column may be of the type `json`, which COALESCE does not combine with another.
    const cast = column.type === 'json' ? '::jsonb' : '';
    // Without a rule, a field that is missing is an error, because it would read as NULL otherwise.
    const sent = hasRule(column) ? nameParameter(crud, column.name) : `$PAYLOAD.${column.name}`;
    return `${quote(column.name)} = COALESCE(${parameters.add(sent)}${cast}, ${quote(column.name)}${cast})`;
  });
  if (updatedAt && !hasStamps(crud)) sets.push(`updated_at = ${parameters.add('$DATETIME')}`);
  const conditions = [...listKeyConditions(crud, parameters, quote), ...listOwnConditions(crud, parameters, quote)];
  const query = `UPDATE ${quote(table.table)} SET ${sets.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING ${listNames(shown, quote)}`;
  return { query, parameters: parameters.all };
}

export function writeDelete(crud: CrudColumns, quote: QuoteName): Statement {
  const parameters = createParameters();
  const conditions = [...listKeyConditions(crud, parameters, quote), ...listOwnConditions(crud, parameters, quote)];
  const query = `DELETE FROM ${quote(crud.table.table)} WHERE ${conditions.join(' AND ')} RETURNING ${listNames(crud.keys, quote)}`;
  return { query, parameters: parameters.all };
}
