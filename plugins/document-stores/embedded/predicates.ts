/**
 * Comparison operators with MongoDB's semantics: equality includes field order, ordering applies within a type,
 * arrays also match by their elements.
 */
import type { Document } from '../kind.js';
import { isObjectId } from './codec.js';
import { compareDocumentValues, isFields, getTypeRank } from './sort-order.js';
import { getPattern } from './patterns.js';

type Predicate = (document: Document) => boolean;
/** The parameters are those of the library. */
export type Operator = (path: string, operand: unknown, options?: unknown) => Predicate;

/** `whole`: an array selected by a number; `flat`: includes the elements of a final array. */
function listValuesAt(value: unknown, parts: readonly string[], whole: boolean, flat = true): readonly unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return Array.isArray(value) && !whole && flat ? [value, ...(value as unknown[])] : [value];
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    const number = /^\d+$/.test(part);
    const inner =
      number && Number(part) < items.length ? listValuesAt(items[Number(part)], rest, rest.length === 0, flat) : [];
    const objects = items.filter(
      (item) => isFields(item) && !Array.isArray(item) && (!number || Object.hasOwn(item, part)),
    );
    return [...inner, ...objects.flatMap((item) => listValuesAt(item, parts, false, flat))];
  }
  return isFields(value) && Object.hasOwn(value, part) ? listValuesAt(value[part], rest, false, flat) : [undefined];
}

/** Applies to arrays at the path, each as a whole. */
const matchAnyList =
  (path: string, matches: (list: readonly unknown[]) => boolean): Predicate =>
  (document) =>
    listValuesAt(document, path.split('.'), false, false).some((value) => Array.isArray(value) && matches(value));

const matchAny =
  (path: string, matches: (value: unknown) => boolean): Predicate =>
  (document) => {
    const value = Object.hasOwn(document, path) ? document[path] : undefined;
    if (!path.includes('.')) return matches(value) || (Array.isArray(value) && value.some(matches));
    return listValuesAt(document, path.split('.'), false).some(matches);
  };

const negate =
  (operator: Operator): Operator =>
  (path, operand) => {
    const inner = operator(path, operand);
    return (document) => !inner(document);
  };

const createPatternTest = (pattern: Pick<RegExp, 'source' | 'flags'>): ((value: unknown) => boolean) => {
  const own = getPattern(pattern.source, pattern.flags);
  return (value) => typeof value === 'string' && own.test(value);
};

const createEqualityTest = (operand: unknown): ((value: unknown) => boolean) => {
  if (operand instanceof RegExp) return createPatternTest(operand);
  return (value) => (value === operand && value !== undefined) || compareDocumentValues(value, operand) === 0;
};
const requireList = (operand: unknown): readonly unknown[] => {
  if (!Array.isArray(operand)) throw new Error(`the operator needs a list`);
  return operand;
};

const $eq: Operator = (path, operand) => matchAny(path, createEqualityTest(operand));
const $in: Operator = (path, operand) => {
  const tests = requireList(operand).map(createEqualityTest);
  return matchAny(path, (value) => tests.some((test) => test(value)));
};

const createRange =
  (fits: (order: number) => boolean): Operator =>
  (path, operand) => {
    const rank = getTypeRank(operand);
    const orEqual = fits(0);
    if (Number.isNaN(operand)) return matchAny(path, (value) => orEqual && Number.isNaN(value));
    return matchAny(
      path,
      (value) => getTypeRank(value) === rank && !Number.isNaN(value) && fits(compareDocumentValues(value, operand)),
    );
  };

const INT = 2_147_483_647;
const isInt = (value: unknown): boolean => Number.isInteger(value) && Number(value) <= INT && Number(value) >= -INT - 1;
const isLong = (value: unknown): boolean => Number.isInteger(value) && !isInt(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  int: isInt,
  long: isLong,
  double: (value) => typeof value === 'number' && !Number.isInteger(value),
  decimal: () => false,
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  objectId: isObjectId,
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => isFields(value) && !Array.isArray(value),
};
const NUMBERED: Readonly<Record<string, string>> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  16: 'int',
  18: 'long',
  19: 'decimal',
};

const $type: Operator = (path, operand) => {
  const tests = (Array.isArray(operand) ? (operand as unknown[]) : [operand]).map((type) => {
    const name = typeof type === 'number' ? NUMBERED[type] : String(type);
    const test = name !== undefined && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (test === undefined) throw new Error('there is no such type');
    return test;
  });
  return matchAny(path, (value) => tests.some((test) => test(value)));
};

const $mod: Operator = (path, operand) => {
  const [divisor = NaN, remainder = NaN] = requireList(operand).map((value) => Math.trunc(Number(value)));
  if (!Number.isFinite(divisor) || divisor === 0 || !Number.isFinite(remainder))
    throw new Error('the operator needs two numbers');
  return matchAny(path, (value) => typeof value === 'number' && Math.trunc(value) % divisor === remainder);
};

/** Operands with operators are left to the library. */
const $all =
  (otherwise: Operator): Operator =>
  (path, operand, options) => {
    const values = requireList(operand);
    if (
      values.length === 0 ||
      values.some((value) => isFields(value) && Object.keys(value)[0]?.startsWith('$') === true)
    )
      return otherwise(path, operand, options);
    const tests = values.map((value) => matchAny(path, createEqualityTest(value)));
    return (document) => tests.every((test) => test(document));
  };

const $size: Operator = (path, operand) => {
  if (!Number.isInteger(operand) || Number(operand) < 0) throw new Error('the operator needs a whole number');
  return matchAnyList(path, (list) => list.length === operand);
};

const BRANCHES: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);
const hasOnlyOperators = (operand: unknown): boolean =>
  isFields(operand) &&
  Object.keys(operand).length > 0 &&
  Object.keys(operand).every((key) => key.startsWith('$') && !BRANCHES.has(key));

/** The library also searches nested arrays; one must match only as a whole. */
const $elemMatch =
  (otherwise: Operator): Operator =>
  (path, operand, options) => {
    if (!hasOnlyOperators(operand)) {
      const inner = otherwise('list', operand, options);
      return matchAnyList(path, (list) => inner({ list }));
    }
    const inner = otherwise('list', { 'item.0': operand }, options);
    return matchAnyList(path, (list) => inner({ list: list.map((item) => ({ item: [item] })) }));
  };

const $exists: Operator = (path, operand) => {
  const there = matchAny(path, (value) => value !== undefined);
  return (document) => there(document) === Boolean(operand);
};

const $regex: Operator = (path, operand) => {
  return matchAny(
    path,
    createPatternTest(operand instanceof RegExp ? operand : { source: String(operand), flags: '' }),
  );
};

/** Array elements without fields match nothing. */
const restrictToObjects =
  (operator: Operator): Operator =>
  (...given) => {
    const predicate = operator(...given);
    return (document) => isFields(document) && predicate(document);
  };

/** `known`: the operators of the library. */
export const createPredicates = (known: Readonly<Record<string, unknown>>): Readonly<Record<string, Operator>> =>
  Object.fromEntries(
    Object.entries(createOperators(known)).map(([name, operator]) => [name, restrictToObjects(operator)]),
  );

const createOperators = (known: Readonly<Record<string, unknown>>): Readonly<Record<string, Operator>> => ({
  $eq,
  $ne: negate($eq),
  $in,
  $nin: negate($in),
  $gt: createRange((order) => order > 0),
  $gte: createRange((order) => order >= 0),
  $lt: createRange((order) => order < 0),
  $lte: createRange((order) => order <= 0),
  $type,
  $mod,
  $exists,
  $regex,
  $size,
  $elemMatch: $elemMatch(known['$elemMatch'] as Operator),
  $all: $all(known['$all'] as Operator),
});
