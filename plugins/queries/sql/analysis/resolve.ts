/** Resolves the names of a parsed statement against the models. Reports only certain errors. */
import type { Columns } from '../../../../contract/statement-text.js';
import { isObject, type Json } from '../../../../contract/json.js';
import { checkConflict, checkInsert, checkTargets, type ResolveContext } from './insert.js';
import { listComparisonUses } from './column-uses.js';
import { findAliasedColumns, listColumnNames, listLockNames, findOutputOrigins, renameSources } from './names.js';
import { listOutputAliases, listOutputNames } from './outputs.js';
import { findColumn, findCommonTable, findSource, createScope, type SqlScope, type SqlSource } from './scope.js';
import { listBodies, findChild, listItems, getByteOffset, readNames, unwrapNode, getWord, type Tree } from './tree.js';

const MAX_DEPTH = 600;
/** Without columns to check, or with scoping rules of their own. */
const LEFT_ALONE = new Set(['MergeStmt', 'TypeName', 'typeName']);

/** Returns the result columns. */
export function resolveStatement(context: ResolveContext, statement: Tree, parent: SqlScope | null): Columns {
  const [type, body] = unwrapNode(statement);
  switch (type) {
    case 'SelectStmt':
      return select(context, body, parent);
    case 'InsertStmt':
      return insert(context, body, parent);
    case 'UpdateStmt':
    case 'DeleteStmt':
      return resolveChange(context, body, parent);
    default:
      return null;
  }
}

function createCommonScope(context: ResolveContext, statement: Tree, parent: SqlScope | null): SqlScope {
  const clause = findChild(statement, 'withClause');
  const tables = new Map<string, Columns>();
  const base = createScope(parent, { tables });
  if (clause === null) return base;
  const entries = listBodies(listItems(clause, 'ctes'), 'CommonTableExpr');
  // A recursive entry may be referenced before its columns are known.
  if (clause['recursive'] === true) for (const entry of entries) tables.set(getWord(entry, 'ctename'), null);
  for (const entry of entries) {
    const columns = resolveStatement(context, findChild(entry, 'ctequery') ?? {}, base);
    const extra = ['search_clause', 'cycle_clause'].some((key) => findChild(entry, key) !== null);
    const known = extra ? null : renameColumns(context, columns, readNames(listItems(entry, 'aliascolnames')));
    tables.set(getWord(entry, 'ctename'), known);
  }
  return base;
}

function renameColumns(context: ResolveContext, columns: Columns, aliases: readonly (string | null)[]): Columns {
  if (aliases.length === 0 || columns === null) return columns;
  const renamed = [...aliases.flatMap((name) => name ?? []), ...columns.slice(aliases.length)];
  renameSources(context, columns, renamed);
  return renamed;
}

function select(context: ResolveContext, statement: Tree, parent: SqlScope | null): Columns {
  if (context.depth > MAX_DEPTH) return null;
  context.depth++;
  const columns = selectAt(context, statement, parent);
  context.depth--;
  return columns;
}

function selectAt(context: ResolveContext, statement: Tree, parent: SqlScope | null): Columns {
  const base = createCommonScope(context, statement, parent);
  const [left, right] = [findChild(statement, 'larg'), findChild(statement, 'rarg')];
  if (left !== null && right !== null) {
    context.mixed = true;
    const columns = select(context, left, base);
    select(context, right, base);
    const sorting = createScope(base, { names: columns ?? [], open: columns === null });
    for (const key of ['sortClause', 'limitCount', 'limitOffset']) visit(context, statement[key], sorting);
    return columns;
  }
  const scope = createScope(base);
  const conditions: Tree[] = [];
  for (const item of listItems(statement, 'fromClause')) addSource(context, item, scope, base, conditions);
  for (const condition of conditions) visit(context, condition, scope);
  const list = listItems(statement, 'targetList');
  for (const key of [
    'targetList',
    'valuesLists',
    'whereClause',
    'havingClause',
    'windowClause',
    'limitCount',
    'limitOffset',
  ]) {
    visit(context, statement[key], scope);
  }
  const named = { ...scope, names: listOutputAliases(list) };
  for (const key of ['sortClause', 'groupClause', 'distinctClause']) visit(context, statement[key], named);
  context.names.push(...listLockNames(scope, listItems(statement, 'lockingClause')));
  const values = listItems(statement, 'valuesLists');
  if (values.length === 0) return resolveOutputs(context, list, scope);
  const width = listItems(findChild(values[0] ?? {}, 'List') ?? {}, 'items').length;
  return Array.from({ length: width }, (_, i) => `column${i + 1}`);
}

function addSource(context: ResolveContext, item: Tree, scope: SqlScope, base: SqlScope, conditions: Tree[]): void {
  const [type, body] = unwrapNode(item);
  const alias = findChild(body, 'alias');
  const aliases = alias === null ? [] : readNames(listItems(alias, 'colnames'));
  switch (type) {
    case 'RangeVar':
      scope.sources.push(createTableSource(context, body, base));
      return;
    case 'RangeSubselect': {
      const around = body['lateral'] === true ? scope : base;
      const columns = resolveStatement(context, findChild(body, 'subquery') ?? {}, around);
      scope.sources.push({ alias: getWord(alias, 'aliasname'), columns: renameColumns(context, columns, aliases) });
      return;
    }
    case 'JoinExpr': {
      for (const side of ['larg', 'rarg']) addSource(context, findChild(body, side) ?? {}, scope, base, conditions);
      // Names of both sides, without a location.
      for (const name of readNames(listItems(body, 'usingClause'))) {
        context.names.push({ sort: 'column', name: name ?? '', model: null, at: 0 });
      }
      const quals = findChild(body, 'quals');
      if (quals !== null) conditions.push(quals);
      if (alias !== null) scope.sources.push({ alias: getWord(alias, 'aliasname'), columns: null });
      return;
    }
    case 'RangeTableSample':
      addSource(context, findChild(body, 'relation') ?? {}, scope, base, conditions);
      return;
    default:
      visit(context, body['functions'], scope);
      scope.sources.push({ alias: getWord(alias, 'aliasname'), columns: null });
  }
}

/** Reports an unknown table only if there are models. */
function createTableSource(context: ResolveContext, table: Tree, scope: SqlScope | null): SqlSource {
  const { catalogue, findings, origins } = context;
  const name = getWord(table, 'relname');
  const alias = findChild(table, 'alias');
  const hidden = alias === null ? [] : readNames(listItems(alias, 'colnames'));
  const createSource = (columns: Columns): SqlSource => ({
    alias: getWord(alias, 'aliasname') || name,
    columns: renameColumns(context, columns, hidden),
  });
  if (getWord(table, 'schemaname') !== '') return createSource(null);
  const common = findCommonTable(scope, name);
  if (common !== undefined) return createSource(common);
  const known = catalogue.table(name);
  if (known !== undefined) {
    // The column order is unknown, so aliases may hide any column.
    if (hidden.length > 0) return createSource(null);
    if (!origins.has(known.columns))
      origins.set(known.columns, new Map(known.columns.map((one) => [one, known.model])));
    return { ...createSource(known.columns), table: known, own: alias === null };
  }
  const isSystem = name.startsWith('pg_');
  if (catalogue.tables.length > 0 && !isSystem) findings.push({ sort: 'table', name, at: getByteOffset(table) });
  return createSource(null);
}

function insert(context: ResolveContext, statement: Tree, parent: SqlScope | null): Columns {
  const base = createCommonScope(context, statement, parent);
  const relation = findChild(statement, 'relation') ?? {};
  const target = createTableSource(context, relation, null);
  const rows = findChild(statement, 'selectStmt');
  const given = rows === null ? null : resolveStatement(context, rows, base);
  checkInsert(context, statement, relation, given);
  const conflict = findChild(statement, 'onConflictClause');
  if (conflict !== null) {
    const row = { alias: 'excluded', columns: target.columns };
    const scope = createScope(base, { sources: [target, row] });
    checkTargets(context, relation, listItems(conflict, 'targetList'));
    visit(context, conflict['targetList'], scope);
    visit(context, conflict['whereClause'], scope);
    visit(context, conflict['infer'], createScope(base, { sources: [target] }));
    checkConflict(context, relation, findChild(conflict, 'infer'));
  }
  const returned = resolveReturning(context, statement, createScope(base, { sources: [target] }));
  // Without RETURNING, the runtime returns the inserted row.
  return returned ?? target.columns;
}

/** UPDATE and DELETE. */
function resolveChange(context: ResolveContext, statement: Tree, parent: SqlScope | null): Columns {
  const base = createCommonScope(context, statement, parent);
  const relation = findChild(statement, 'relation') ?? {};
  const scope = createScope(base, { sources: [createTableSource(context, relation, base)] });
  const conditions: Tree[] = [];
  for (const key of ['fromClause', 'usingClause']) {
    for (const item of listItems(statement, key)) addSource(context, item, scope, base, conditions);
  }
  for (const condition of conditions) visit(context, condition, scope);
  checkTargets(context, relation, listItems(statement, 'targetList'));
  visit(context, statement['targetList'], scope);
  visit(context, statement['whereClause'], scope);
  return findChild(statement, 'returningClause') === null ? [] : resolveReturning(context, statement, scope);
}

/** Null without a RETURNING clause, or if the columns are unknown. */
function resolveReturning(context: ResolveContext, statement: Tree, scope: SqlScope): Columns {
  const clause = findChild(statement, 'returningClause');
  if (clause === null) return null;
  const list = listItems(clause, 'exprs');
  const before = ['old', 'new'].map((alias) => ({ alias, columns: scope.sources[0]?.columns ?? null }));
  visit(context, list, createScope(scope, { sources: before }));
  return resolveOutputs(context, list, scope);
}

function resolveOutputs({ origins, aliased }: ResolveContext, list: readonly Tree[], scope: SqlScope): Columns {
  const columns = listOutputNames(list, scope);
  if (columns !== null && !origins.has(columns)) {
    origins.set(columns, findOutputOrigins(origins, list, scope));
    aliased.set(columns, findAliasedColumns({ origins, aliased }, list, scope));
  }
  return columns;
}

function visit(context: ResolveContext, value: Json | undefined, scope: SqlScope): void {
  if (value === undefined || context.depth > MAX_DEPTH) return;
  context.depth++;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(context, item, scope);
  else if (isObject(value)) for (const type of Object.keys(value)) visitNode(context, type, value[type], scope);
  context.depth--;
}

function visitNode(context: ResolveContext, type: string, body: Json | undefined, scope: SqlScope): void {
  if (LEFT_ALONE.has(type)) return;
  if (!isObject(body)) visit(context, body, scope);
  else if (type === 'ColumnRef') visitColumn(context, body, scope);
  else if (type === 'A_Expr' && isPlaceholderLike(context, body, scope)) return;
  else if (type === 'A_Expr') {
    context.uses.push(...listComparisonUses(body, scope));
    visit(context, body, scope);
  } else if (/^(Select|Insert|Update|Delete)Stmt$/.test(type)) resolveStatement(context, { [type]: body }, scope);
  else visit(context, body, scope);
}

function visitColumn({ findings, names, origins }: ResolveContext, column: Tree, scope: SqlScope): void {
  const fields = readNames(listItems(column, 'fields'));
  const at = getByteOffset(column);
  names.push(...listColumnNames(origins, scope, column, at));
  const [first, second] = fields;
  if (typeof first !== 'string' || fields.length > 2) return;
  if (fields.length === 1) {
    if (findColumn(scope, first) === 'missing') findings.push({ ...createMissingColumn(scope, first), at });
    return;
  }
  const source = findSource(scope, first);
  if (source === undefined) {
    if (isOpen(scope)) return;
    findings.push({ sort: 'alias', name: first, near: listScopeAliases(scope), at });
    return;
  }
  if (typeof second !== 'string' || source.columns === null) return;
  const only = createScope(null, { sources: [source] });
  if (findColumn(only, second) !== 'missing') return;
  findings.push({ sort: 'column', name: second, table: first, near: source.columns, at });
}

const createMissingColumn = (
  scope: SqlScope,
  name: string,
): { sort: 'column'; name: string; table: null; near: string[] } => {
  const near: string[] = [];
  for (let at: SqlScope | null = scope; at !== null; at = at.parent) {
    near.push(...at.names, ...at.sources.flatMap(({ columns }) => columns ?? []));
  }
  return { sort: 'column', name, table: null, near };
};

const listScopeAliases = (scope: SqlScope | null): string[] =>
  scope === null ? [] : [...scope.sources.map(({ alias }) => alias), ...listScopeAliases(scope.parent)];
const isOpen = (scope: SqlScope | null): boolean => scope !== null && (scope.open || isOpen(scope.parent));

/** A missing space before `@name` makes these operators. */
const BEFORE_NAME = new Set(['@', '=@', '<>@', '!=@', '<=@', '>=@']);

/** Valid SQL for an absolute value, but usually a placeholder. */
function isPlaceholderLike({ findings }: ResolveContext, expression: Tree, scope: SqlScope): boolean {
  const operator = readNames(listItems(expression, 'name'))[0] ?? '';
  if (!BEFORE_NAME.has(operator)) return false;
  const column = findChild(findChild(expression, 'rexpr') ?? {}, 'ColumnRef');
  if (column === null || getByteOffset(column) !== getByteOffset(expression) + operator.length) return false;
  const [name, ...more] = readNames(listItems(column, 'fields'));
  if (typeof name !== 'string' || more.length > 0 || findColumn(scope, name) === 'found') return false;
  findings.push({ sort: 'placeholder', name, at: getByteOffset(column) });
  return true;
}
