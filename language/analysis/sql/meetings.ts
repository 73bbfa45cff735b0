/** Finds placeholders that are written to, or compared with, a column directly, without casts or calculations. */
import type { Json } from '../../../contract/json.js';
import type { CatalogueTable } from './catalogue.js';
import { findSource, type Scope } from './scope.js';
import { bodiesOf, childOf, itemsOf, namesIn, wordOf, type Tree } from './tree.js';

export interface ColumnUse {
  readonly n: number;
  readonly column: string;
  readonly field: Json;
  /** False if the placeholder is only compared. */
  readonly writes: boolean;
}

const COMPARING = new Set(['=', '<>', '<', '>', '<=', '>=']);

export function written(table: CatalogueTable, column: string, value: Tree): ColumnUse[] {
  const field = table.fields.get(column);
  const n = placeholderIn(value);
  return field === undefined || n === null ? [] : [{ n, column, field, writes: true }];
}

/** `column = $1`, `$1 < column`, `column IN ($1, $2)`. */
export function compared(expression: Tree, scope: Scope): ColumnUse[] {
  const kind = wordOf(expression, 'kind');
  const operator = namesIn(itemsOf(expression, 'name'))[0] ?? '';
  const [left, right] = [childOf(expression, 'lexpr'), childOf(expression, 'rexpr')];
  if (left === null || right === null) return [];
  if (kind === 'AEXPR_IN') {
    return bodiesOf([right], 'List').flatMap((list) =>
      itemsOf(list, 'items').flatMap((item) => meet(left, item, scope)),
    );
  }
  if (kind !== 'AEXPR_OP' || !COMPARING.has(operator)) return [];
  return [...meet(left, right, scope), ...meet(right, left, scope)];
}

function meet(side: Tree, value: Tree, scope: Scope): ColumnUse[] {
  const n = placeholderIn(value);
  const reference = childOf(side, 'ColumnRef');
  if (n === null || reference === null) return [];
  const names = namesIn(itemsOf(reference, 'fields'));
  const [first, second] = names;
  if (typeof first !== 'string' || names.length > 2) return [];
  const [table, column] =
    typeof second === 'string' ? [findSource(scope, first)?.table, second] : [tableWith(scope, first), first];
  const field = table?.fields.get(column);
  return field === undefined ? [] : [{ n, column, field, writes: false }];
}

/** Undefined if another source may have the column. */
function tableWith({ sources }: Scope, column: string): CatalogueTable | undefined {
  if (sources.some(({ columns }) => columns === null)) return undefined;
  const [only, other] = sources.filter(({ columns }) => columns?.includes(column) === true);
  return other === undefined ? only?.table : undefined;
}

function placeholderIn(value: Tree): number | null {
  const parameter = childOf(value, 'ParamRef');
  return parameter === null ? null : Number(parameter['number']);
}
