/** Pipeline stages and expression operators that differ from MongoDB in the library. */
import type { Document } from '../kind.js';
import { toScalarKey } from './codec.js';
import { compareDocumentValues, isFields, createOrder } from './sort-order.js';
import { findAll, findOne, isMatch } from './patterns.js';

export type Evaluate = (document: unknown, expression: unknown, options: never) => unknown;

/** A missing field sorts before null. */
const compareValues = (a: unknown, b: unknown): number =>
  a === undefined || b === undefined ? Number(a !== undefined) - Number(b !== undefined) : compareDocumentValues(a, b);

type Expression = (document: unknown, expression: unknown, options: never) => unknown;

const createComparison =
  (evaluate: Evaluate, answer: (order: number) => unknown): Expression =>
  (document, expression, options) => {
    const [a, b] = evaluate(document, expression, options) as readonly unknown[];
    return answer(compareValues(a, b));
  };

const createPatternExpression =
  (evaluate: Evaluate, answer: (operands: Readonly<Record<string, unknown>>) => unknown): Expression =>
  (document, expression, options) =>
    answer(evaluate(document, expression, options) as Readonly<Record<string, unknown>>);

const DATES = [
  'year',
  'month',
  'week',
  'hour',
  'minute',
  'second',
  'millisecond',
  'dayOfMonth',
  'dayOfWeek',
  'dayOfYear',
  'isoWeek',
  'isoWeekYear',
  'isoDayOfWeek',
];

const NO_BRANCH = Symbol('no branch');

/** Weeks begin on Sunday; days before the first Sunday are in week 0. */
const createWeek =
  (known: Readonly<Record<string, unknown>>): Expression =>
  (document, expression, options) => {
    const [day, weekday] = ['$dayOfYear', '$dayOfWeek'].map((name) =>
      Number((known[name] as Expression)(document, expression, options)),
    ) as [number, number];
    return Math.floor((day + 7 - weekday) / 7);
  };

/** Limits the memory of one range. */
const LONGEST_RANGE = 1_000_000;

export function createExpressions(
  evaluate: Evaluate,
  known: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Expression>> {
  const parts = { ...known, $week: createWeek(known) };
  const dates = DATES.flatMap((name): [string, Expression][] => {
    const operator = (parts as typeof known)[`$${name}`] as Expression | undefined;
    if (operator === undefined) return [];
    const evaluateDatePart: Expression = (document, expression, options) => {
      const date = evaluate(
        document,
        isFields(expression) && 'date' in expression ? expression['date'] : expression,
        options,
      );
      return date === null || date === undefined ? null : operator(document, expression, options);
    };
    return [[`$${name}`, evaluateDatePart]];
  });
  const trunc = known['$trunc'] as Expression;
  const choose = known['$switch'] as Expression;
  const range = known['$range'] as Expression;
  return {
    ...Object.fromEntries(dates),
    $eq: createComparison(evaluate, (order) => order === 0),
    $ne: createComparison(evaluate, (order) => order !== 0),
    $gt: createComparison(evaluate, (order) => order > 0),
    $gte: createComparison(evaluate, (order) => order >= 0),
    $lt: createComparison(evaluate, (order) => order < 0),
    $lte: createComparison(evaluate, (order) => order <= 0),
    $cmp: createComparison(evaluate, Math.sign),
    $trunc: (document, expression, options) =>
      trunc(document, Array.isArray(expression) ? expression : [expression, 0], options),
    $switch: (document, expression, options) => {
      const found = choose(document, { default: { $literal: NO_BRANCH }, ...(expression as object) }, options);
      if (found === NO_BRANCH) throw new Error('no branch is right, and there is no default');
      return found;
    },
    // The library's may backtrack exponentially, and loop on empty matches.
    $regexMatch: createPatternExpression(evaluate, isMatch),
    $regexFind: createPatternExpression(evaluate, findOne),
    $regexFindAll: createPatternExpression(evaluate, findAll),
    $range: (document, expression, options) => {
      const [from, to, by = 1] = evaluate(document, expression, options) as readonly number[];
      const count = (Number(to) - Number(from)) / Number(by);
      if (!(count <= LONGEST_RANGE)) throw new Error('the range is too long');
      return range(
        document,
        [from, to, by].map((bound) => ({ $literal: bound })),
        options,
      );
    },
    // The library's own; definitions contain no functions.
    $function: (document, expression, options) => {
      const { body, args } = expression as { body?: unknown; args?: unknown };
      if (typeof body !== 'function') throw new Error('scripts are not run');
      return (body as (...values: unknown[]) => unknown)(...(evaluate(document, args, options) as unknown[]));
    },
  };
}

export interface Stream {
  map(change: (document: Document) => unknown): Stream;
  transform(change: (documents: Document[]) => Stream): Stream;
}

export type StreamFactory = (documents: readonly Document[]) => Stream;

export const createSort =
  (flow: StreamFactory) =>
  (stream: Stream, keys: Readonly<Record<string, unknown>>): Stream =>
    stream.transform((documents) => flow([...documents].sort(createOrder(keys))));

/** `$bucket` as `$group` with `$switch`; lower boundaries are inclusive. */
export function toGroupStages(spec: Document): readonly Document[] {
  const { groupBy, boundaries, output } = spec;
  const all = boundaries as readonly unknown[];
  const branches = all.slice(0, -1).map((least, i) => ({
    case: { $and: [{ $gte: [groupBy, { $literal: least }] }, { $lt: [groupBy, { $literal: all[i + 1] }] }] },
    then: { $literal: least },
  }));
  const choice = { branches, ...('default' in spec && { default: { $literal: spec['default'] } }) };
  const fields = isFields(output) ? output : { count: { $sum: 1 } };
  return [{ $group: { _id: { $switch: choice }, ...fields } }, { $sort: { _id: 1 } }];
}

const toKey = (value: unknown): string =>
  value === null || value === undefined ? 'z' : (toScalarKey(value) ?? `j${JSON.stringify(value)}`);

/** Missing values are null; arrays count by element. */
function listKeys(
  document: Document,
  path: string,
  within: (document: Document, path: string) => unknown,
): readonly string[] {
  const value = within(document, path) ?? null;
  if (!Array.isArray(value)) return [toKey(value)];
  return value.length === 0 ? ['z'] : [toKey(value), ...(value as unknown[]).map(toKey)];
}

/** Joined documents keep the order of their collection. */
export function createJoin(
  others: readonly Document[],
  local: string,
  foreign: string,
  within: (document: Document, path: string) => unknown,
): (document: Document) => readonly Document[] {
  const byKey = new Map<string, number[]>();
  others.forEach((other, i) => {
    for (const key of new Set(listKeys(other, foreign, within))) byKey.set(key, [...(byKey.get(key) ?? []), i]);
  });
  return (document) => {
    const value = within(document, local);
    const keys =
      Array.isArray(value) && value.length > 0 ? (value as unknown[]).map(toKey) : listKeys(document, local, within);
    const places = new Set(keys.flatMap((key) => byKey.get(key) ?? []));
    return others.length === 0 ? [] : [...places].sort((a, b) => a - b).map((i) => others[i] as Document);
  };
}
