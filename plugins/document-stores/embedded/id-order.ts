/**
 * Ranges and order of `_id` by an index: type, number or time, text of the key. Keys that are digests or JSON have no
 * place in it: each first read returns them too, and the library decides.
 */
import type { Row } from '../../dialects/kind.js';
import type { Document, FindOptions } from '../kind.js';
import { isFilter } from './index-terms.js';
import { toScalarKey } from './codec.js';
import { compareDocumentValues } from './sort-order.js';

/** Keys, inclusive. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** Below and above the keys of each type, in MongoDB's order. */
const FIRST: Readonly<Record<string, string>> = { n: 'n-Infinity', s: 's', o: 'o', b: 'b', d: 'd-Infinity' };
const LAST: Readonly<Record<string, string>> = { n: 'nInfinity', s: 'o', o: 'b', b: 'd-Infinity', d: 'dInfinity' };
export const ALL_IDS: IdRange = { from: 'n-Infinity', to: 'dInfinity' };

const listExpressions = (key: string): readonly string[] => [
  `(strpos('nsobd', left(${key}, 1)))`,
  `(CASE WHEN left(${key}, 1) IN ('n', 'd') THEN substr(${key}, 2)::float8 ELSE 0 END)`,
  `(${key} COLLATE "C")`,
];

export const ORDER_INDEX = `(${listExpressions('id').join(', ')})`;

export type RangeNames = readonly [from: string, to: string];

const formatRange = (place: readonly string[], [from, to]: RangeNames): string => {
  const compare = (operator: string, name: string): string =>
    `(${place.join(', ')}) ${operator} (${listExpressions(`${name}::text`).join(', ')})`;
  return `${compare('>=', from)} AND ${compare('<=', to)}`;
};

/** In the range, or without a place. */
export const formatIdCondition = (range: RangeNames, place = listExpressions('id')): string =>
  `(${place[0]} = 0 OR ${formatRange(place, range)})`;

export const hasPlace = ({ id }: Row): boolean => !/^[#j]/.test(String(id));

export interface OrderedRead {
  readonly descending: boolean;
  readonly conditions: readonly string[];
  readonly range: RangeNames | null;
  /** Also documents without a place. */
  readonly isFirst: boolean;
  /** The most of these; those of conditions count in `size`. */
  readonly others: number;
  readonly size: number;
}

export function formatOrderedRead(table: string, read: OrderedRead): string {
  const { descending, conditions, range, isFirst, others, size } = read;
  const [type = '', ...rest] = listExpressions('id');
  const select = (all: readonly string[], order: readonly string[], limit: number): string =>
    `SELECT id, seq, doc FROM ${table} WHERE ${all.join(' AND ')}${order.length > 0 ? ` ORDER BY ${order.join(', ')}` : ''} LIMIT ${limit}`;
  const byIndex = conditions.length === 0;
  // A sum does not use this index.
  const place = byIndex ? [type, ...rest] : [`(${type} + 0)`, ...rest];
  const order = place.map((part) => (descending ? `${part} DESC` : part));
  if (!byIndex) {
    const own = range === null ? [] : [isFirst ? formatIdCondition(range, place) : formatRange(place, range)];
    return select([...conditions, ...own], [`${place[0]} > 0`, ...order], size);
  }
  const ordered = select(range === null ? [`${type} > 0`] : [formatRange(place, range)], order, size);
  return isFirst
    ? `SELECT id, seq, doc FROM (${select([`${type} = 0`], [], others)}) AS others UNION ALL (${ordered})`
    : ordered;
}

/** Further fields do not matter: ids are unique. */
export function isDescendingById(sort: FindOptions['sort']): boolean | null {
  const [field, direction] = Object.entries(sort ?? {})[0] ?? [];
  return field === '_id' ? Number(direction) < 0 : null;
}

function listBounds(filter: Document, operators: readonly string[]): readonly unknown[] {
  const { $and: all, _id: own } = filter;
  const inner = Array.isArray(all) ? all.flatMap((one) => (isFilter(one) ? listBounds(one, operators) : [])) : [];
  const bounds = isFilter(own) ? operators.flatMap((name) => (Object.hasOwn(own, name) ? [own[name]] : [])) : [];
  return [...bounds, ...inner].filter((bound) => toBoundKey(bound) !== null);
}

/** Parameters cannot contain `\0`. */
function toBoundKey(bound: unknown): string | null {
  if (typeof bound === 'string') return `s${(bound.split('\0')[0] ?? '').toWellFormed()}`;
  const key = toScalarKey(bound);
  return key === 'dNaN' ? null : key;
}

const findTightest = (bounds: readonly unknown[], sign: number): string | null =>
  toBoundKey(bounds.reduce((best, bound) => (compareDocumentValues(bound, best) * sign > 0 ? bound : best), bounds[0]));

/** Of every matching document with a place. Null: all. */
export function findIdRange(filter: Document): IdRange | null {
  const from = findTightest(listBounds(filter, ['$gt', '$gte']), 1);
  const to = findTightest(listBounds(filter, ['$lt', '$lte']), -1);
  if (from === null && to === null) return null;
  const type = (from ?? to ?? '').charAt(0);
  return { from: from ?? FIRST[type] ?? '', to: to ?? LAST[type] ?? '' };
}
