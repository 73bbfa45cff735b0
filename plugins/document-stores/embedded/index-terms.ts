/** Index terms of a document, one per value and path. Surplus terms are harmless, but none may be missing. */
import type { Document } from '../kind.js';
import { toScalarKey, shortenKey } from './codec.js';

/** A document with more values is a candidate for every filter. */
const MOST = 400;
export const ANY_TERM = '*';
/** More conditions cost more than they narrow. */
const CONDITIONS = 3;

const toTerm = (path: string, key: string): string => shortenKey(`${path}=${key}`);

export function listTerms(document: Document): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (found.size > MOST) return;
    const key = toScalarKey(value);
    if (key !== null) found.add(toTerm(path, key));
    else if (Array.isArray(value)) for (const item of value) visit(item, path);
    else if (typeof value === 'object' && value !== null) visitFields(value as Document, `${path}.`);
  };
  const visitFields = (value: Document, prefix: string): void => {
    for (const key of Object.keys(value)) visit(value[key], prefix + key);
  };
  visitFields(document, '');
  return found.size > MOST ? [ANY_TERM] : [...found];
}

export const formatTerms = (document: Document): string =>
  `{${listTerms(document)
    .map((term) => `"${term.replace(/["\\]/g, '\\$&')}"`)
    .join(',')}}`;

/** A matching document has at least one term of each list. */
export type Narrow = readonly (readonly string[])[];

export const isFilter = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** It may be an array index, which terms lack. */
const isPlainPath = (path: string): boolean =>
  !path.startsWith('$') && !path.split('.').some((part) => /^\d*$/.test(part));

function toTermList(path: string, values: unknown): readonly string[] | null {
  if (!Array.isArray(values)) return null;
  const keys = values.map(toScalarKey);
  return keys.every((key) => key !== null) ? keys.map((key) => toTerm(path, key)) : null;
}

function narrowOperators(path: string, operators: Document): Narrow {
  return Object.entries(operators).flatMap(([operator, value]): Narrow => {
    if (operator === '$eq') return wrapList(toTermList(path, [value]));
    if (operator === '$in') return wrapList(toTermList(path, value));
    if (operator === '$all') return (toTermList(path, value) ?? []).map((term) => [term]);
    if (operator === '$elemMatch' && isFilter(value) && !Object.keys(value).some((key) => key.startsWith('$')))
      return narrowFilter(value, `${path}.`);
    return [];
  });
}

const wrapList = (list: readonly string[] | null): Narrow => (list === null ? [] : [list]);

function narrowCondition(path: string, condition: unknown): Narrow {
  if (!isFilter(condition)) return wrapList(toTermList(path, [condition]));
  return Object.keys(condition)[0]?.startsWith('$') === true ? narrowOperators(path, condition) : [];
}

/** `$or` narrows only if every branch does. */
function narrowBranches(branches: unknown, prefix: string): Narrow {
  if (!Array.isArray(branches)) return [];
  const firsts = branches.map((branch) =>
    isFilter(branch) ? sortByLength(narrowFilter(branch, prefix))[0] : undefined,
  );
  return firsts.every((list) => list !== undefined) ? [firsts.flat()] : [];
}

const sortByLength = (narrow: Narrow): Narrow => [...narrow].sort((a, b) => a.length - b.length);

function narrowFilter(filter: Document, prefix: string): Narrow {
  return Object.entries(filter).flatMap(([key, condition]): Narrow => {
    if (key === '$and' && Array.isArray(condition))
      return condition.flatMap((one) => (isFilter(one) ? narrowFilter(one, prefix) : []));
    if (key === '$or') return narrowBranches(condition, prefix);
    return isPlainPath(key) ? narrowCondition(prefix + key, condition) : [];
  });
}

export const createNarrowing = (filter: Document): Narrow =>
  sortByLength(narrowFilter(filter, '')).slice(0, CONDITIONS);
