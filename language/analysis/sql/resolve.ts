/** Resolves the names of a parsed statement against the models. Reports only certain errors, never names of unknown sources. */
import { isObject, type Json } from '../../../contract/json.js';
import type { Catalogue } from './catalogue.js';
import { checkConflict, checkInsert, checkTargets } from './insert.js';
import { compared, type ColumnUse } from './meetings.js';
import {
  aliasedIn,
  namesOfColumn,
  namesOfLocks,
  outputOrigins,
  type Aliased,
  type Origins,
  type SqlName,
} from './names.js';
import { aliasesIn, outputNames } from './outputs.js';
import { findColumn, findCommon, findSource, scopeIn, type Columns, type Scope, type Source } from './scope.js';
import { bodiesOf, childOf, itemsOf, locationOf, namesIn, typed, wordOf, type Tree } from './tree.js';

export type SqlFinding = {
  /** Byte offset at which the search for the name begins. */
  readonly at: number;
} & (
  | { readonly sort: 'table'; readonly name: string }
  | { readonly sort: 'alias'; readonly name: string; readonly near: readonly string[] }
  | { readonly sort: 'column'; readonly name: string; readonly table: string | null; readonly near: readonly string[] }
  | { readonly sort: 'placeholder'; readonly name: string }
  | { readonly sort: 'count'; readonly names: number; readonly values: number; readonly last: number }
  | { readonly sort: 'needed'; readonly table: string; readonly columns: readonly string[] }
);

export interface Resolving {
  readonly catalogue: Catalogue;
  readonly findings: SqlFinding[];
  /** Placeholders bound to columns. */
  readonly uses: ColumnUse[];
  readonly names: SqlName[];
  readonly origins: Origins;
  readonly aliased: Map<readonly string[], Aliased>;
  /** A set operation was found. */
  mixed: boolean;
  /** Levels deeper than `MAX_DEPTH` are not visited. */
  depth: number;
}

const MAX_DEPTH = 600;
/** Nodes without columns to check, or with scoping rules of their own. */
const LEFT_ALONE = new Set(['MergeStmt', 'TypeName', 'typeName']);

/** Returns the result columns. */
export function resolveStatement(context: Resolving, statement: Tree, parent: Scope | null): Columns {
  const [type, body] = typed(statement);
  switch (type) {
    case 'SelectStmt':
      return select(context, body, parent);
    case 'InsertStmt':
      return insert(context, body, parent);
    case 'UpdateStmt':
    case 'DeleteStmt':
      return change(context, body, parent);
    default:
      return null;
  }
}

function withCommon(context: Resolving, statement: Tree, parent: Scope | null): Scope {
  const clause = childOf(statement, 'withClause');
  const tables = new Map<string, Columns>();
  const base = scopeIn(parent, { tables });
  if (clause === null) return base;
  const entries = bodiesOf(itemsOf(clause, 'ctes'), 'CommonTableExpr');
  // A recursive entry may be referenced before its columns are known.
  if (clause['recursive'] === true) for (const entry of entries) tables.set(wordOf(entry, 'ctename'), null);
  for (const entry of entries) {
    const columns = resolveStatement(context, childOf(entry, 'ctequery') ?? {}, base);
    const extra = ['search_clause', 'cycle_clause'].some((key) => childOf(entry, key) !== null);
    const known = extra ? null : renamed(columns, namesIn(itemsOf(entry, 'aliascolnames')));
    tables.set(wordOf(entry, 'ctename'), known);
  }
  return base;
}

/** Column aliases replace the first columns. */
function renamed(columns: Columns, aliases: readonly (string | null)[]): Columns {
  if (aliases.length === 0 || columns === null) return columns;
  return [...aliases.flatMap((name) => name ?? []), ...columns.slice(aliases.length)];
}

function select(context: Resolving, statement: Tree, parent: Scope | null): Columns {
  if (context.depth > MAX_DEPTH) return null;
  context.depth++;
  const columns = selectAt(context, statement, parent);
  context.depth--;
  return columns;
}

function selectAt(context: Resolving, statement: Tree, parent: Scope | null): Columns {
  const base = withCommon(context, statement, parent);
  const [left, right] = [childOf(statement, 'larg'), childOf(statement, 'rarg')];
  if (left !== null && right !== null) {
    context.mixed = true;
    const columns = select(context, left, base);
    select(context, right, base);
    const sorting = scopeIn(base, { names: columns ?? [], open: columns === null });
    for (const key of ['sortClause', 'limitCount', 'limitOffset']) visit(context, statement[key], sorting);
    return columns;
  }
  const scope = scopeIn(base);
  const conditions: Tree[] = [];
  for (const item of itemsOf(statement, 'fromClause')) addSource(context, item, scope, base, conditions);
  for (const condition of conditions) visit(context, condition, scope);
  const list = itemsOf(statement, 'targetList');
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
  const named = { ...scope, names: aliasesIn(list) };
  for (const key of ['sortClause', 'groupClause', 'distinctClause']) visit(context, statement[key], named);
  context.names.push(...namesOfLocks(scope, itemsOf(statement, 'lockingClause')));
  const values = itemsOf(statement, 'valuesLists');
  if (values.length === 0) return outputs(context, list, scope);
  const width = itemsOf(childOf(values[0] ?? {}, 'List') ?? {}, 'items').length;
  return Array.from({ length: width }, (_, i) => `column${i + 1}`);
}

function addSource(context: Resolving, item: Tree, scope: Scope, base: Scope, conditions: Tree[]): void {
  const [type, body] = typed(item);
  const alias = childOf(body, 'alias');
  const aliases = alias === null ? [] : namesIn(itemsOf(alias, 'colnames'));
  switch (type) {
    case 'RangeVar':
      scope.sources.push(tableSource(context, body, base));
      return;
    case 'RangeSubselect': {
      const around = body['lateral'] === true ? scope : base;
      const columns = resolveStatement(context, childOf(body, 'subquery') ?? {}, around);
      scope.sources.push({ alias: wordOf(alias, 'aliasname'), columns: renamed(columns, aliases) });
      return;
    }
    case 'JoinExpr': {
      for (const side of ['larg', 'rarg']) addSource(context, childOf(body, side) ?? {}, scope, base, conditions);
      // Names of both sides, without a location.
      for (const name of namesIn(itemsOf(body, 'usingClause'))) {
        context.names.push({ sort: 'column', name: name ?? '', model: null, at: 0 });
      }
      const quals = childOf(body, 'quals');
      if (quals !== null) conditions.push(quals);
      if (alias !== null) scope.sources.push({ alias: wordOf(alias, 'aliasname'), columns: null });
      return;
    }
    case 'RangeTableSample':
      addSource(context, childOf(body, 'relation') ?? {}, scope, base, conditions);
      return;
    default:
      visit(context, body['functions'], scope);
      scope.sources.push({ alias: wordOf(alias, 'aliasname'), columns: null });
  }
}

/** Reports an unknown table only if there are models. */
function tableSource(context: Resolving, table: Tree, scope: Scope | null): Source {
  const { catalogue, findings, origins } = context;
  const name = wordOf(table, 'relname');
  const alias = childOf(table, 'alias');
  const hidden = alias === null ? [] : namesIn(itemsOf(alias, 'colnames'));
  const source = (columns: Columns): Source => ({
    alias: wordOf(alias, 'aliasname') || name,
    columns: renamed(columns, hidden),
  });
  if (wordOf(table, 'schemaname') !== '') return source(null);
  const common = findCommon(scope, name);
  if (common !== undefined) return source(common);
  const known = catalogue.table(name);
  if (known !== undefined) {
    // The column order is unknown, so aliases may hide any column.
    if (hidden.length > 0) return source(null);
    if (!origins.has(known.columns))
      origins.set(known.columns, new Map(known.columns.map((one) => [one, known.model])));
    return { ...source(known.columns), table: known, own: alias === null };
  }
  const isSystem = name.startsWith('pg_');
  if (catalogue.tables.length > 0 && !isSystem) findings.push({ sort: 'table', name, at: locationOf(table) });
  return source(null);
}

function insert(context: Resolving, statement: Tree, parent: Scope | null): Columns {
  const base = withCommon(context, statement, parent);
  const relation = childOf(statement, 'relation') ?? {};
  const target = tableSource(context, relation, null);
  const rows = childOf(statement, 'selectStmt');
  const given = rows === null ? null : resolveStatement(context, rows, base);
  checkInsert(context, statement, relation, given);
  const conflict = childOf(statement, 'onConflictClause');
  if (conflict !== null) {
    const row = { alias: 'excluded', columns: target.columns };
    const scope = scopeIn(base, { sources: [target, row] });
    checkTargets(context, relation, itemsOf(conflict, 'targetList'));
    visit(context, conflict['targetList'], scope);
    visit(context, conflict['whereClause'], scope);
    visit(context, conflict['infer'], scopeIn(base, { sources: [target] }));
    checkConflict(context, relation, childOf(conflict, 'infer'));
  }
  const returned = returning(context, statement, scopeIn(base, { sources: [target] }));
  // Without RETURNING, the runtime returns the inserted row.
  return returned ?? target.columns;
}

/** UPDATE and DELETE. */
function change(context: Resolving, statement: Tree, parent: Scope | null): Columns {
  const base = withCommon(context, statement, parent);
  const relation = childOf(statement, 'relation') ?? {};
  const scope = scopeIn(base, { sources: [tableSource(context, relation, base)] });
  const conditions: Tree[] = [];
  for (const key of ['fromClause', 'usingClause']) {
    for (const item of itemsOf(statement, key)) addSource(context, item, scope, base, conditions);
  }
  for (const condition of conditions) visit(context, condition, scope);
  checkTargets(context, relation, itemsOf(statement, 'targetList'));
  visit(context, statement['targetList'], scope);
  visit(context, statement['whereClause'], scope);
  return childOf(statement, 'returningClause') === null ? [] : returning(context, statement, scope);
}

/** Null without a RETURNING clause, or if the columns are unknown. */
function returning(context: Resolving, statement: Tree, scope: Scope): Columns {
  const clause = childOf(statement, 'returningClause');
  if (clause === null) return null;
  const list = itemsOf(clause, 'exprs');
  const before = ['old', 'new'].map((alias) => ({ alias, columns: scope.sources[0]?.columns ?? null }));
  visit(context, list, scopeIn(scope, { sources: before }));
  return outputs(context, list, scope);
}

/** Also records the origins of the columns. */
function outputs({ origins, aliased }: Resolving, list: readonly Tree[], scope: Scope): Columns {
  const columns = outputNames(list, scope);
  if (columns !== null && !origins.has(columns)) {
    origins.set(columns, outputOrigins(origins, list, scope));
    aliased.set(columns, aliasedIn(origins, list, scope));
  }
  return columns;
}

function visit(context: Resolving, value: Json | undefined, scope: Scope): void {
  if (value === undefined || context.depth > MAX_DEPTH) return;
  context.depth++;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(context, item, scope);
  else if (isObject(value)) for (const [type, body] of Object.entries(value)) visitNode(context, type, body, scope);
  context.depth--;
}

function visitNode(context: Resolving, type: string, body: Json, scope: Scope): void {
  if (LEFT_ALONE.has(type)) return;
  if (!isObject(body)) visit(context, body, scope);
  else if (type === 'ColumnRef') visitColumn(context, body, scope);
  else if (type === 'A_Expr' && isAtName(context, body, scope)) return;
  else if (type === 'A_Expr') {
    context.uses.push(...compared(body, scope));
    visit(context, body, scope);
  } else if (/^(Select|Insert|Update|Delete)Stmt$/.test(type)) resolveStatement(context, { [type]: body }, scope);
  else visit(context, body, scope);
}

function visitColumn({ findings, names, origins }: Resolving, column: Tree, scope: Scope): void {
  const fields = namesIn(itemsOf(column, 'fields'));
  const at = locationOf(column);
  names.push(...namesOfColumn(origins, scope, column, at));
  const [first, second] = fields;
  if (typeof first !== 'string' || fields.length > 2) return;
  if (fields.length === 1) {
    if (findColumn(scope, first) === 'missing') findings.push({ ...missing(scope, first), at });
    return;
  }
  const source = findSource(scope, first);
  if (source === undefined) {
    if (isOpen(scope)) return;
    findings.push({ sort: 'alias', name: first, near: aliasesOf(scope), at });
    return;
  }
  if (typeof second !== 'string' || source.columns === null) return;
  const only = scopeIn(null, { sources: [source] });
  if (findColumn(only, second) !== 'missing') return;
  findings.push({ sort: 'column', name: second, table: first, near: source.columns, at });
}

const missing = (scope: Scope, name: string): { sort: 'column'; name: string; table: null; near: string[] } => {
  const near: string[] = [];
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    near.push(...at.names, ...at.sources.flatMap(({ columns }) => columns ?? []));
  }
  return { sort: 'column', name, table: null, near };
};

const aliasesOf = (scope: Scope | null): string[] =>
  scope === null ? [] : [...scope.sources.map(({ alias }) => alias), ...aliasesOf(scope.parent)];
const isOpen = (scope: Scope | null): boolean => scope !== null && (scope.open || isOpen(scope.parent));

/** A missing space before `@name` makes these operators. */
const BEFORE_NAME = new Set(['@', '=@', '<>@', '!=@', '<=@', '>=@']);

/** `@name` is an absolute value in SQL, but almost always intended as a placeholder. */
function isAtName({ findings }: Resolving, expression: Tree, scope: Scope): boolean {
  const operator = namesIn(itemsOf(expression, 'name'))[0] ?? '';
  if (!BEFORE_NAME.has(operator)) return false;
  const column = childOf(childOf(expression, 'rexpr') ?? {}, 'ColumnRef');
  if (column === null || locationOf(column) !== locationOf(expression) + operator.length) return false;
  const [name, ...more] = namesIn(itemsOf(column, 'fields'));
  if (typeof name !== 'string' || more.length > 0 || findColumn(scope, name) === 'found') return false;
  findings.push({ sort: 'placeholder', name, at: locationOf(column) });
  return true;
}
