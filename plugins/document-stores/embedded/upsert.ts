/** The document of an upsert: equality conditions, then the update. */
import type { Document } from '../kind.js';
import { updateDocuments, type Fields } from './engine.js';

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function assignPath(fields: Fields, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (first === '__proto__') return;
  if (rest.length === 0) {
    fields[first] = value;
    return;
  }
  const inner = Object.hasOwn(fields, first) ? fields[first] : undefined;
  const made = isFields(inner) ? inner : {};
  fields[first] = made;
  assignPath(made, rest, value);
}

export function createSeed(filter: Document): Fields {
  return Object.entries(filter).reduce<Fields>((seed, [key, condition]) => {
    if (key === '$and' && Array.isArray(condition))
      return condition.reduce<Fields>((made, part) => (isFields(part) ? { ...made, ...createSeed(part) } : made), seed);
    if (key.startsWith('$')) return seed;
    if (!isFields(condition) || Object.keys(condition)[0]?.startsWith('$') !== true)
      return { ...seed, [key]: condition };
    if (Object.hasOwn(condition, '$eq')) return { ...seed, [key]: condition['$eq'] };
    const all = condition['$in'];
    return Array.isArray(all) && all.length === 1 ? { ...seed, [key]: all[0] as unknown } : seed;
  }, {});
}

const isPipeline = (update: Document | readonly Document[]): update is readonly Document[] => Array.isArray(update);

/** Without `$setOnInsert`, for existing documents. */
export function omitInsertOperators(update: Document | readonly Document[]): Document | readonly Document[] {
  if (isPipeline(update)) return update;
  const { $setOnInsert: _, ...others } = update;
  return others;
}

export function createDocument(
  seed: Fields,
  update: Document | readonly Document[],
  arrayFilters: readonly Document[],
): Document {
  const start: Fields = {};
  for (const [path, value] of Object.entries(seed)) assignPath(start, path.split('.'), value);
  if (isPipeline(update)) return updateDocuments([start], {}, update, arrayFilters)[0] ?? start;
  const { $setOnInsert: first, ...others } = update;
  const set = { ...(others['$set'] as Fields | undefined), ...(first as Fields | undefined) };
  const whole = Object.keys(set).length > 0 ? { ...others, $set: set } : others;
  return updateDocuments([start], {}, whole, arrayFilters)[0] ?? start;
}
