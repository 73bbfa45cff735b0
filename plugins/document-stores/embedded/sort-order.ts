/**
 * Sorts as MongoDB does: by type first, missing fields as null, arrays by their least or greatest element, texts by
 * code point.
 */
import type { Document } from '../kind.js';
import { isObjectId } from './codec.js';

export function getTypeRank(value: unknown): number {
  if (value === null || value === undefined) return 1;
  switch (typeof value) {
    case 'number':
      return 2;
    case 'string':
      return 3;
    case 'boolean':
      return 8;
    default:
  }
  if (Array.isArray(value)) return 5;
  if (isObjectId(value)) return 7;
  return value instanceof Date ? 9 : 4;
}

const comparePlain = (a: number | string | boolean, b: number | string | boolean): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** UTF-16 order differs outside the basic plane. */
const compareTexts = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));

function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return comparePlain(a, b);
}

function compareObjects(a: Document, b: Document): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (const [i, [name, value]] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    const found =
      comparePlain(getTypeRank(value), getTypeRank(other[1])) ||
      compareTexts(name, other[0]) ||
      compareDocumentValues(value, other[1]);
    if (found !== 0) return found;
  }
  return comparePlain(left.length, right.length);
}

export function compareDocumentValues(a: unknown, b: unknown): number {
  const rank = getTypeRank(a);
  if (rank !== getTypeRank(b)) return comparePlain(rank, getTypeRank(b));
  switch (rank) {
    case 1:
      return 0;
    case 2:
      return compareNumbers(a as number, b as number);
    case 3:
      return compareTexts(a as string, b as string);
    case 5:
      return compareObjects({ ...(a as unknown[]) }, { ...(b as unknown[]) });
    case 7:
      return comparePlain(String(a), String(b));
    case 8:
      return comparePlain(a as boolean, b as boolean);
    case 9:
      return comparePlain(Number(a), Number(b));
    default:
      return compareObjects(a as Document, b as Document);
  }
}

/** An array on the path stands for its elements, unless it is selected by a number (`whole`). */
function listValuesAt(value: unknown, parts: readonly string[], whole = false): readonly unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) {
    if (!Array.isArray(value)) return [value];
    return value.length === 0 ? [EMPTY] : whole ? [value] : value;
  }
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    if (/^\d+$/.test(part) && Number(part) < items.length)
      return listValuesAt(items[Number(part)], rest, rest.length === 0);
    return items.flatMap((item) => (isFields(item) && !Array.isArray(item) ? listValuesAt(item, parts) : [undefined]));
  }
  return isFields(value) && Object.hasOwn(value, part) ? listValuesAt(value[part], rest) : [undefined];
}

/** An empty array sorts before everything. */
const EMPTY = Symbol('empty');
export const isFields = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !isObjectId(value);

const compareKeys = (a: unknown, b: unknown): number =>
  a === EMPTY || b === EMPTY ? Number(b === EMPTY) - Number(a === EMPTY) : compareDocumentValues(a, b);

export type Compare = (a: Document, b: Document) => number;

export function createOrder(sort: Readonly<Record<string, unknown>>): Compare {
  const keys = Object.entries(sort).map(([path, direction]) => {
    const sign = Number(direction) < 0 ? -1 : 1;
    const parts = path.split('.');
    const findSortKey = (document: Document): unknown => {
      const values = listValuesAt(document, parts);
      return values.length === 0
        ? null
        : values.reduce((best, value) => (compareKeys(value, best) * sign < 0 ? value : best));
    };
    return (a: Document, b: Document): number => compareKeys(findSortKey(a), findSortKey(b)) * sign;
  });
  return (a, b) => {
    for (const key of keys) {
      const found = key(a, b);
      if (found !== 0) return found;
    }
    return 0;
  };
}
