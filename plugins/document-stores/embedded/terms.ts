/**
 * Index terms of a document, one per value and path. Matches are tested again, so surplus terms are harmless, but none may be
 * missing.
 */
import type { Document } from '../kind.js';
import { scalarKey, short } from './codec.js';

/** A document with more values is a candidate for every filter. */
const MOST = 400;
export const EVERY = '*';
/** More conditions cost more than they narrow. */
const CONDITIONS = 3;

const termOf = (path: string, key: string): string => short(`${path}=${key}`);

export function termsOf(document: Document): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (found.size > MOST) return;
    const key = scalarKey(value);
    if (key !== null) found.add(termOf(path, key));
    else if (Array.isArray(value)) for (const item of value) visit(item, path);
    else if (typeof value === 'object' && value !== null) fields(value as Document, `${path}.`);
  };
  const fields = (value: Document, prefix: string): void => {
    for (const key of Object.keys(value)) visit(value[key], prefix + key);
  };
  fields(document, '');
  return found.size > MOST ? [EVERY] : [...found];
}

export const termsLiteral = (document: Document): string =>
  `{${termsOf(document)
    .map((term) => `"${term.replace(/["\\]/g, '\\$&')}"`)
    .join(',')}}`;

/** A matching document has at least one term of each list. */
export type Narrow = readonly (readonly string[])[];

const isFilter = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A numeric segment may be an array index, which terms do not contain. */
const isPlainPath = (path: string): boolean =>
  !path.startsWith('$') && !path.split('.').some((part) => /^\d*$/.test(part));

function listOf(path: string, values: unknown): readonly string[] | null {
  if (!Array.isArray(values)) return null;
  const keys = values.map(scalarKey);
  return keys.every((key) => key !== null) ? keys.map((key) => termOf(path, key)) : null;
}

function ofOperators(path: string, operators: Document): Narrow {
  return Object.entries(operators).flatMap(([operator, value]): Narrow => {
    if (operator === '$eq') return single(listOf(path, [value]));
    if (operator === '$in') return single(listOf(path, value));
    if (operator === '$all') return (listOf(path, value) ?? []).map((term) => [term]);
    if (operator === '$elemMatch' && isFilter(value) && !Object.keys(value).some((key) => key.startsWith('$')))
      return ofFilter(value, `${path}.`);
    return [];
  });
}

const single = (list: readonly string[] | null): Narrow => (list === null ? [] : [list]);

function ofCondition(path: string, condition: unknown): Narrow {
  if (!isFilter(condition)) return single(listOf(path, [condition]));
  return Object.keys(condition)[0]?.startsWith('$') === true ? ofOperators(path, condition) : [];
}

/** `$or` narrows only if every branch does. */
function ofBranches(branches: unknown, prefix: string): Narrow {
  if (!Array.isArray(branches)) return [];
  const firsts = branches.map((branch) => (isFilter(branch) ? shortest(ofFilter(branch, prefix))[0] : undefined));
  return firsts.every((list) => list !== undefined) ? [firsts.flat()] : [];
}

const shortest = (narrow: Narrow): Narrow => [...narrow].sort((a, b) => a.length - b.length);

function ofFilter(filter: Document, prefix: string): Narrow {
  return Object.entries(filter).flatMap(([key, condition]): Narrow => {
    if (key === '$and' && Array.isArray(condition))
      return condition.flatMap((one) => (isFilter(one) ? ofFilter(one, prefix) : []));
    if (key === '$or') return ofBranches(condition, prefix);
    return isPlainPath(key) ? ofCondition(prefix + key, condition) : [];
  });
}

export const narrowOf = (filter: Document): Narrow => shortest(ofFilter(filter, '')).slice(0, CONDITIONS);
