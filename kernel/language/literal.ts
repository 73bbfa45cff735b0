/** `{"literal": "new"}` marks a value in a list in which bare strings are names. */
import { isObject, type Json } from '../contract/json.js';

/** The only member of a literal object. */
export const LITERAL = 'literal';

/** Returns the value of a list entry, without a literal object around it. */
export const valueOf = (json: Json): Json =>
  isObject(json) && Object.keys(json).length === 1 && json[LITERAL] !== undefined ? json[LITERAL] : json;
