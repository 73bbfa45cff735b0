/** Parameters without an inferable type, which PostgreSQL rejects: `concat('%', $1)`, `$1 IS NULL`. */
import { isObject, type Json } from '../../../../contract/json.js';
import { findChild, listItems, getByteOffset, readNames, type Tree } from './tree.js';

export interface UntypedParameter {
  readonly n: number;
  readonly at: number;
}

/** The index of the first argument of any type. */
const ANYTHING: ReadonlyMap<string, number> = new Map([
  ['concat', 0],
  ['concat_ws', 1],
  ['format', 1],
  ['json_build_array', 0],
  ['json_build_object', 0],
  ['jsonb_build_array', 0],
  ['jsonb_build_object', 0],
  ['num_nonnulls', 0],
  ['num_nulls', 0],
  ['to_json', 0],
  ['to_jsonb', 0],
  ['json_agg', 0],
  ['jsonb_agg', 0],
  ['count', 0],
]);

interface UntypedUse extends UntypedParameter {
  readonly loose: boolean;
  /** PostgreSQL analyses sources first. */
  readonly early: boolean;
}

/** Returns only the first occurrence, because one cast fixes all. */
export function findUntyped(statement: Tree): UntypedParameter[] {
  const found: UntypedUse[] = [];
  visit(statement, false, found);
  const order = [...found].sort((a, b) => Number(b.early) - Number(a.early) || a.at - b.at);
  return order.filter((one, i) => one.loose && order.findIndex(({ n }) => n === one.n) === i);
}

function visit(value: Json | undefined, early: boolean, found: UntypedUse[]): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(item, early, found);
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const body = value[key];
    if (!isObject(body)) {
      visit(body, early || key === 'fromClause' || key === 'usingClause', found);
      continue;
    }
    if (key === 'ParamRef') {
      found.push({ n: Number(body['number']), at: getByteOffset(body), loose: false, early });
      continue;
    }
    const loose = listLooseParameters(key, body);
    for (const parameter of loose) {
      found.push({ n: Number(parameter['number']), at: getByteOffset(parameter), loose: true, early });
    }
    visit(omitLoose(body, loose), early, found);
  }
}

function listLooseParameters(type: string, body: Tree): Tree[] {
  const toParameters = (node: Tree | null): Tree[] => {
    const parameter = node === null ? null : findChild(node, 'ParamRef');
    return parameter === null ? [] : [parameter];
  };
  if (type === 'NullTest') return toParameters(findChild(body, 'arg'));
  if (type !== 'FuncCall') return [];
  const from = ANYTHING.get(readNames(listItems(body, 'funcname')).at(-1) ?? '');
  return from === undefined ? [] : listItems(body, 'args').slice(from).flatMap(toParameters);
}

function omitLoose(body: Tree, loose: readonly Tree[]): Tree {
  if (loose.length === 0) return body;
  const isLoose = (node: Json | undefined): boolean =>
    isObject(node) && loose.includes(findChild(node, 'ParamRef') ?? {});
  const { arg, args, ...rest } = body;
  return {
    ...rest,
    ...(arg !== undefined && !isLoose(arg) && { arg }),
    ...(Array.isArray(args) && { args: (args as readonly Json[]).filter((item) => !isLoose(item)) }),
  };
}
