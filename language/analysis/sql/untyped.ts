/** Finds parameters without an inferable type, which PostgreSQL rejects: `concat('%', $1)`, `$1 IS NULL`. */
import { isObject, type Json } from '../../../contract/json.js';
import { childOf, itemsOf, locationOf, namesIn, type Tree } from './tree.js';

export interface Untyped {
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

interface Found extends Untyped {
  readonly loose: boolean;
  /** PostgreSQL analyses sources first. */
  readonly early: boolean;
}

/** Returns only the first occurrence, because one cast fixes all. */
export function untypedIn(statement: Tree): Untyped[] {
  const found: Found[] = [];
  visit(statement, false, found);
  const order = [...found].sort((a, b) => Number(b.early) - Number(a.early) || a.at - b.at);
  return order.filter((one, i) => one.loose && order.findIndex(({ n }) => n === one.n) === i);
}

function visit(value: Json | undefined, early: boolean, found: Found[]): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) visit(item, early, found);
  if (!isObject(value)) return;
  for (const [key, body] of Object.entries(value)) {
    if (!isObject(body)) {
      visit(body, early || key === 'fromClause' || key === 'usingClause', found);
      continue;
    }
    if (key === 'ParamRef') {
      found.push({ n: Number(body['number']), at: locationOf(body), loose: false, early });
      continue;
    }
    const loose = looseIn(key, body);
    for (const parameter of loose) {
      found.push({ n: Number(parameter['number']), at: locationOf(parameter), loose: true, early });
    }
    visit(withoutLoose(body, loose), early, found);
  }
}

function looseIn(type: string, body: Tree): Tree[] {
  const parameterOf = (node: Tree | null): Tree[] => {
    const parameter = node === null ? null : childOf(node, 'ParamRef');
    return parameter === null ? [] : [parameter];
  };
  if (type === 'NullTest') return parameterOf(childOf(body, 'arg'));
  if (type !== 'FuncCall') return [];
  const from = ANYTHING.get(namesIn(itemsOf(body, 'funcname')).at(-1) ?? '');
  return from === undefined ? [] : itemsOf(body, 'args').slice(from).flatMap(parameterOf);
}

function withoutLoose(body: Tree, loose: readonly Tree[]): Tree {
  if (loose.length === 0) return body;
  const isLoose = (node: Json | undefined): boolean =>
    isObject(node) && loose.includes(childOf(node, 'ParamRef') ?? {});
  const { arg, args, ...rest } = body;
  return {
    ...rest,
    ...(arg !== undefined && !isLoose(arg) && { arg }),
    ...(Array.isArray(args) && { args: (args as readonly Json[]).filter((item) => !isLoose(item)) }),
  };
}
