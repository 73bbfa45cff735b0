/** `{"literal": "new"}` is a value in a list in which bare strings are names. */
import { isObject, type Json } from '../../contract/json.js';

export const LITERAL = 'literal';

export const unwrapLiteral = (json: Json): Json =>
  isObject(json) && Object.keys(json).length === 1 && json[LITERAL] !== undefined ? json[LITERAL] : json;
