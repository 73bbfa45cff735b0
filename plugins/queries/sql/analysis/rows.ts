/**
 * The JSON Schema of a statement's rows, from PostgreSQL's parse tree and the models. Uncertain parts stay open;
 * other dialects use only names and columns.
 */
import type { DescribedTable } from '../../../../contract/query-language.js';
import type { JsonSchema } from '../../../../contract/api.js';
import { listOutputNames } from './outputs.js';
import { createScope } from './scope.js';
import { listBodies, findChild, listItems, readNames, unwrapNode, getWord, type Tree } from './tree.js';
import { ANY, createListSchema, toNullable, createObjectSchema } from '../../../../contract/forms.js';
import { boundRowCount } from './row-count.js';
import { getCastSchema, getFunctionSchema } from './row-types.js';

export type FindTable = (name: string) => DescribedTable | undefined;

/** A source of a FROM list; `table` is null if unknown. */
interface Source {
  readonly alias: string;
  readonly table: DescribedTable | null;
  /** An outer join may return no row of this source. */
  readonly absent: boolean;
}

interface RowContext {
  readonly find: FindTable;
  /** The statement's database does not use the parser's syntax. */
  readonly foreign: boolean;
}

const UNKNOWN = createListSchema({ type: 'object' });
const NONE: JsonSchema = { type: 'array', maxItems: 0 };

export function deriveRows(statement: Tree, find: FindTable, foreign = false): JsonSchema {
  const [type, body] = unwrapNode(statement);
  const reading = { find, foreign };
  if (type === 'SelectStmt') return deriveSelect(body, reading);
  if (type === 'InsertStmt') return deriveInsert(body, reading);
  if (type === 'UpdateStmt' || type === 'DeleteStmt') return deriveUpdate(body, reading);
  return UNKNOWN;
}

function deriveSelect(body: Tree, reading: RowContext): JsonSchema {
  const left = findChild(body, 'larg');
  if (left !== null) return loosenTypes(deriveSelect(left, reading));
  const list = listItems(body, 'targetList');
  if (list.length === 0) return UNKNOWN;
  const sources = listItems(body, 'fromClause').flatMap((item) =>
    listSources(item, listWithNames(body), reading.find, false),
  );
  const row = deriveRow(list, sources, reading);
  return createListSchema(row, boundRowCount(body, sources[0]?.table ?? null, sources.length));
}

/** Other parts of a UNION may have different types. */
function loosenTypes({ items }: JsonSchema): JsonSchema {
  const row = (items ?? {}) as JsonSchema;
  const names = Object.keys((row['properties'] ?? {}) as object);
  return names.length === 0
    ? UNKNOWN
    : createListSchema(createObjectSchema(Object.fromEntries(names.map((name) => [name, ANY]))));
}

function deriveInsert(body: Tree, { find, foreign }: RowContext): JsonSchema {
  const sources = [toSource(findChild(body, 'relation') ?? {}, new Set(), find, false)];
  const clause = findChild(body, 'returningClause');
  // Without RETURNING, the whole row is returned.
  const row = clause === null ? deriveWholeRow(sources) : deriveRow(listItems(clause, 'exprs'), sources, { foreign });
  const from = findChild(findChild(body, 'selectStmt') ?? {}, 'SelectStmt');
  const count = from === null ? 0 : listItems(from, 'valuesLists').length;
  const conflict = findChild(body, 'onConflictClause');
  // Without RETURNING, a row must be found again.
  const skips =
    foreign ||
    getWord(conflict, 'action') === 'ONCONFLICT_NOTHING' ||
    findChild(conflict ?? {}, 'whereClause') !== null;
  return createListSchema(row, count === 0 ? {} : { ...(!skips && { minItems: count }), maxItems: count });
}

function deriveUpdate(body: Tree, { find, foreign }: RowContext): JsonSchema {
  const clause = findChild(body, 'returningClause');
  if (clause === null) return NONE;
  const first = toSource(findChild(body, 'relation') ?? {}, listWithNames(body), find, false);
  const more = ['fromClause', 'usingClause'].flatMap((key) =>
    listItems(body, key).flatMap((item) => listSources(item, listWithNames(body), find, false)),
  );
  const row = deriveRow(listItems(clause, 'exprs'), [first, ...more], { foreign });
  return createListSchema(row, boundRowCount(body, first.table, 1 + more.length));
}

const listWithNames = (body: Tree): ReadonlySet<string> =>
  new Set(
    listBodies(listItems(findChild(body, 'withClause') ?? {}, 'ctes'), 'CommonTableExpr').map((one) =>
      getWord(one, 'ctename'),
    ),
  );

function toSource(table: Tree, common: ReadonlySet<string>, find: FindTable, absent: boolean): Source {
  const name = getWord(table, 'relname');
  const alias = findChild(table, 'alias');
  const renamed = alias !== null && listItems(alias, 'colnames').length > 0;
  const known = renamed || common.has(name) || getWord(table, 'schemaname') !== '' ? undefined : find(name);
  return { alias: getWord(alias, 'aliasname') || name, table: known ?? null, absent };
}

function listSources(item: Tree, common: ReadonlySet<string>, find: FindTable, absent: boolean): Source[] {
  const [type, body] = unwrapNode(item);
  if (type === 'RangeVar') return [toSource(body, common, find, absent)];
  if (type !== 'JoinExpr') return [{ alias: getWord(findChild(body, 'alias'), 'aliasname'), table: null, absent }];
  const join = getWord(body, 'jointype');
  const [left, right] = [join === 'JOIN_RIGHT' || join === 'JOIN_FULL', join === 'JOIN_LEFT' || join === 'JOIN_FULL'];
  return [
    ...listSources(findChild(body, 'larg') ?? {}, common, find, absent || left),
    ...listSources(findChild(body, 'rarg') ?? {}, common, find, absent || right),
  ];
}

function deriveRow(
  list: readonly Tree[],
  sources: readonly Source[],
  { foreign }: Pick<RowContext, 'foreign'>,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const item of list) {
    const target = findChild(item, 'ResTarget') ?? {};
    const value = findChild(target, 'val') ?? {};
    const star = resolveStar(value, sources);
    if (star !== undefined) {
      const whole = star === null ? null : deriveWholeRow(star)['properties'];
      if (whole === null || whole === undefined) return { type: 'object' };
      Object.assign(properties, whole);
      continue;
    }
    const [name] = listOutputNames([item], createScope(null)) ?? [];
    if (name === undefined) return { type: 'object' };
    properties[name] = !foreign || isAlike(value) ? deriveExpression(value, sources) : ANY;
  }
  return createObjectSchema(properties);
}

/** The same type in every database: columns, numbers, strings, counts. */
function isAlike(value: Tree): boolean {
  const [type, body] = unwrapNode(value);
  if (type === 'FuncCall') return readNames(listItems(body, 'funcname')).at(-1) === 'count';
  return type === 'ColumnRef' || (type === 'A_Const' && findChild(body, 'boolval') === null);
}

/** Of a `*`; null if unknown, undefined without a star. */
function resolveStar(value: Tree, sources: readonly Source[]): readonly Source[] | null | undefined {
  const column = findChild(value, 'ColumnRef');
  const fields = column === null ? [] : readNames(listItems(column, 'fields'));
  if (fields.length === 0 || fields.at(-1) !== null) return undefined;
  if (fields.length === 1) return sources;
  const found = sources.filter(({ alias }) => alias === fields[0]);
  return found.length === 1 ? found : null;
}

function deriveWholeRow(sources: readonly Source[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const { table, absent } of sources) {
    if (table === null) return { type: 'object' };
    for (const [name, schema] of table.columns) properties[name] = absent ? toNullable(schema) : schema;
  }
  return createObjectSchema(properties);
}

function deriveExpression(value: Tree, sources: readonly Source[]): JsonSchema {
  const [type, body] = unwrapNode(value);
  switch (type) {
    case 'ColumnRef':
      return findColumnSchema(readNames(listItems(body, 'fields')), sources);
    case 'TypeCast':
      return deriveCast(body, sources);
    case 'FuncCall':
      return getFunctionSchema(readNames(listItems(body, 'funcname')).at(-1) ?? '');
    case 'A_Const':
      return deriveConstant(body);
    case 'CoalesceExpr':
      return deriveCoalesce(listItems(body, 'args').map((one) => deriveExpression(one, sources)));
    case 'BoolExpr':
      return { type: ['boolean', 'null'] };
    case 'NullTest':
      return { type: 'boolean' };
    default:
      return ANY;
  }
}

/** A cast of a non-null value is never null. */
function deriveCast(body: Tree, sources: readonly Source[]): JsonSchema {
  const type = findChild(body, 'typeName') ?? {};
  const names = readNames(listItems(type, 'names'));
  const schema = listItems(type, 'arrayBounds').length > 0 ? { type: 'array' } : getCastSchema(names.at(-1) ?? '');
  const inner = deriveExpression(findChild(body, 'arg') ?? {}, sources);
  return isCertain(inner) ? schema : toNullable(schema);
}

const isCertain = ({ type }: JsonSchema): boolean =>
  type !== undefined && type !== 'null' && !(Array.isArray(type) && type.includes('null'));

function deriveConstant(body: Tree): JsonSchema {
  if (findChild(body, 'ival') !== null) return { type: 'integer' };
  if (findChild(body, 'fval') !== null) return { type: 'number' };
  if (findChild(body, 'boolval') !== null) return { type: 'boolean' };
  return findChild(body, 'sval') === null ? ANY : { type: 'string' };
}

/** Null only if every part may be. */
function deriveCoalesce(parts: readonly JsonSchema[]): JsonSchema {
  const types = new Set(parts.map(({ type }) => JSON.stringify([type].flat()[0] ?? null)));
  const [first] = parts;
  if (first === undefined || types.size !== 1 || parts.some(({ type }) => type === undefined)) return ANY;
  const [type] = [first['type']].flat() as string[];
  const { maxLength: _, format: _format, ...open } = first;
  const bare: JsonSchema = { ...open, ...(type !== undefined && { type }) };
  return parts.some(isCertain) ? bare : toNullable(bare);
}

function findColumnSchema(fields: readonly (string | null)[], sources: readonly Source[]): JsonSchema {
  const name = fields.at(-1) ?? '';
  const from = fields.length === 2 ? sources.filter(({ alias }) => alias === fields[0]) : sources;
  if (fields.length > 2 || from.length === 0 || from.some(({ table }) => table === null)) return ANY;
  const having = from.filter(({ table }) => table?.columns.has(name) === true);
  const [only] = having;
  const schema = having.length === 1 ? only?.table?.columns.get(name) : undefined;
  if (schema === undefined) return ANY;
  return only?.absent === true ? toNullable(schema) : schema;
}
