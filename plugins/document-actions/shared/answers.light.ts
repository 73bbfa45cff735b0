/** Of documents after an inclusive projection; null where unknown. */
import { isObject, type Json } from '../../../contract/json.js';

const isOff = (json: Json): boolean => json === 0 || json === false;
/** `$slice` alone keeps every other field. */
const isCut = (json: Json): boolean => isObject(json) && Object.hasOwn(json, '$slice');

export function listProjectedNames(projection: Json | undefined): readonly string[] | null {
  if (projection === undefined || !isObject(projection)) return null;
  const entries = Object.entries(projection).filter(([name]) => name !== '_id');
  if (entries.length === 0 || entries.some(([, json]) => isOff(json) || isCut(json))) return null;
  const names = entries.map(([path]) => path.split('.')[0] ?? path);
  const id = Object.hasOwn(projection, '_id') && isOff(projection['_id'] ?? null) ? [] : ['_id'];
  return [...new Set([...id, ...names])];
}
