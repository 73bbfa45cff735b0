/** A column accepts a literal unless every database rejects it. */
import type { Json } from '../../../contract/json.js';

/** Descriptions of the accepted values, by neutral column type. */
export const RIGHT: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  float: 'a number',
  boolean: 'true or false',
  text: 'text, or choose a JSON type for the column',
  timestamp: 'a time as ISO 8601 writes it, such as "2030-01-31T12:00:00Z"',
};

const WHOLE = /^\s*[+-]?\d+\s*$/;
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*$/i;
const TRUTH = /^\s*(?:t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|on|of|off|0|1)\s*$/i;
/** All time formats contain a digit, except for these keywords. */
const TIME = /\d|^\s*[+-]?(?:now|today|tomorrow|yesterday|epoch|infinity)\s*$/i;

export function canStoreValue(column: string, json: Json): boolean {
  if (json === null || column === 'json') return true;
  if (typeof json === 'object') return false;
  if (column === 'text') return true;
  const text = String(json);
  switch (column) {
    case 'integer':
      return typeof json !== 'boolean' && WHOLE.test(text);
    case 'float':
      return typeof json !== 'boolean' && NUMBER.test(text);
    case 'boolean':
      return TRUTH.test(text);
    case 'timestamp':
      return typeof json === 'string' && TIME.test(json);
    default:
      return true;
  }
}
