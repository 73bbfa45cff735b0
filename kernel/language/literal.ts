/** `{"literal": "new"}`: an entry of a list whose bare strings are names, written so that it can be nothing but a value. */
import { isObject, type Json } from '../contract/json.js';

/** The only member of such an object. */
export const LITERAL = 'literal';

/** The value that an entry is, without the object around it. */
export const valueOf = (json: Json): Json =>
  isObject(json) && Object.keys(json).length === 1 && json[LITERAL] !== undefined ? json[LITERAL] : json;
