/** Rejects updates such as adding a number to text. */
import type { Document } from '../kind.js';
import { createValueFault } from './codec.js';
import { isFields } from './sort-order.js';

const NUMBERS: ReadonlySet<string> = new Set(['$inc', '$mul']);
const LISTS: ReadonlySet<string> = new Set(['$push', '$addToSet', '$pop', '$pull', '$pullAll']);

function getValueAt(document: Document, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Document)[part];
  }, document);
}

/** They create missing parts of the path or change nothing. */
const GOING: ReadonlySet<string> = new Set([
  '$set',
  '$inc',
  '$mul',
  '$min',
  '$max',
  '$push',
  '$addToSet',
  '$pop',
  '$pull',
  '$pullAll',
  '$bit',
  '$currentDate',
]);

/** No field in a scalar, no named one in an array. */
function validatePath(path: string, documents: readonly Document[]): void {
  const parts = path.split('.');
  for (const document of documents) {
    let value: unknown = document;
    for (const part of parts) {
      if (value === undefined) break;
      const inside = Array.isArray(value) ? /^\d+$/.test(part) : isFields(value);
      if (!inside) throw createValueFault(toTopPointer(path), 'has no fields');
      value = Object.hasOwn(value as object, part) ? (value as Document)[part] : undefined;
    }
  }
}

const toTopPointer = (path: string): string => `/${path.split('.')[0] ?? ''}`;

export function validateOperands(update: Document, documents: readonly Document[]): void {
  for (const [operator, fields] of Object.entries(update)) {
    const numeric = NUMBERS.has(operator);
    for (const [path, operand] of Object.entries((fields ?? {}) as Document)) {
      if (GOING.has(operator) && !path.includes('$')) validatePath(path, documents);
      if (!numeric && !LISTS.has(operator)) continue;
      if (numeric && typeof operand !== 'number') throw createValueFault(toTopPointer(path), 'is no number');
      // The library resolves array placeholders.
      if (path.includes('$')) continue;
      for (const document of documents) {
        const value = getValueAt(document, path);
        if (value === undefined || (numeric ? typeof value === 'number' : Array.isArray(value))) continue;
        throw createValueFault(toTopPointer(path), numeric ? 'is no number' : 'is no list');
      }
    }
  }
}
