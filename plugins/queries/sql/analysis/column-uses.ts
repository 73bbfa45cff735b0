/** Placeholders that directly meet a column, without casts or calculations. */
import type { CatalogueTable, ColumnUse } from '../../../../contract/statement-text.js';
import { findSource, type SqlScope } from './scope.js';
import { listBodies, findChild, listItems, readNames, getWord, type Tree } from './tree.js';

const COMPARING = new Set(['=', '<>', '<', '>', '<=', '>=']);

export function listWriteUses(table: CatalogueTable, column: string, value: Tree): ColumnUse[] {
  const field = table.fields.get(column);
  const n = findPlaceholder(value);
  return field === undefined || n === null ? [] : [{ n, column, field, writes: true }];
}

/** `column = $1`, `$1 < column`, `column IN ($1, $2)`. */
export function listComparisonUses(expression: Tree, scope: SqlScope): ColumnUse[] {
  const kind = getWord(expression, 'kind');
  const operator = readNames(listItems(expression, 'name'))[0] ?? '';
  const [left, right] = [findChild(expression, 'lexpr'), findChild(expression, 'rexpr')];
  if (left === null || right === null) return [];
  if (kind === 'AEXPR_IN') {
    return listBodies([right], 'List').flatMap((list) =>
      listItems(list, 'items').flatMap((item) => matchColumn(left, item, scope)),
    );
  }
  if (kind !== 'AEXPR_OP' || !COMPARING.has(operator)) return [];
  return [...matchColumn(left, right, scope), ...matchColumn(right, left, scope)];
}

function matchColumn(side: Tree, value: Tree, scope: SqlScope): ColumnUse[] {
  const n = findPlaceholder(value);
  const reference = findChild(side, 'ColumnRef');
  if (n === null || reference === null) return [];
  const names = readNames(listItems(reference, 'fields'));
  const [first, second] = names;
  if (typeof first !== 'string' || names.length > 2) return [];
  const [table, column] =
    typeof second === 'string' ? [findSource(scope, first)?.table, second] : [findTableWith(scope, first), first];
  const field = table?.fields.get(column);
  return field === undefined ? [] : [{ n, column, field, writes: false }];
}

/** Undefined if another source may have the column. */
function findTableWith({ sources }: SqlScope, column: string): CatalogueTable | undefined {
  if (sources.some(({ columns }) => columns === null)) return undefined;
  const [only, other] = sources.filter(({ columns }) => columns?.includes(column) === true);
  return other === undefined ? only?.table : undefined;
}

function findPlaceholder(value: Tree): number | null {
  const parameter = findChild(value, 'ParamRef');
  return parameter === null ? null : Number(parameter['number']);
}
