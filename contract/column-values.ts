/** Which JSON values columns accept, and which they have afterwards. */
import type { Json } from './json.js';

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

/** Parts of a time that its form allows, and no calendar has. */
function isImpossibleTime(text: string): boolean {
  const [whole, day = '', hours = '0', minutes = '0'] = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d))?/.exec(text) ?? [];
  if (whole === undefined) return false;
  const time = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
  return !isDay || Number(hours) > 24 || Number(minutes) > 59;
}

/** False if every database rejects it. */
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
      return typeof json === 'string' && TIME.test(json) && !isImpossibleTime(json);
    default:
      return true;
  }
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

const isInstant = (text: string): boolean => !isImpossibleTime(text) && !Number.isNaN(Date.parse(text));

/** True if a column or a field of a document has the value just so. */
export function canHoldValue(column: string, json: Json): boolean {
  if (json === null) return true;
  switch (column) {
    case 'integer':
      return typeof json === 'number' && Number.isInteger(json);
    case 'float':
      return typeof json === 'number';
    case 'text':
      return typeof json === 'string';
    case 'boolean':
      return typeof json === 'boolean';
    case 'timestamp':
      return typeof json === 'string' && ISO_TIME.test(json) && isInstant(json.replace(' ', 'T'));
    default:
      return true;
  }
}
