/** Validates documents against the rules of their collection, and names the fields of database errors. */
import { Fault, fault, type Issue } from '../../../contract/fault.js';
import { escapePointer } from '../../../contract/json.js';
import type { Document } from '../kind.js';
import type { KnownIndex } from '../shared/plan.js';
import type { FieldRule, Rules } from '../shared/rules.js';

export interface Known {
  readonly rules: Rules | null;
  readonly indexes: readonly KnownIndex[];
}
export const NOTHING: Known = { rules: null, indexes: [] };

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  int: (value) => typeof value === 'number',
  long: (value) => typeof value === 'number',
  double: (value) => typeof value === 'number',
  decimal: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype,
  null: (value) => value === null,
};

const NO_VALUE = ['QRY_NOT_NULL', 'must have a value'] as const;
const WRONG = ['QRY_BAD_VALUE', 'does not fit the type that the query expects'] as const;
const LONG = ['QRY_CHECK', 'breaks a rule of the table'] as const;

type Judgement = Issue | null;

const issue = (pointer: string, [code, detail]: readonly [code: string, detail: string]): Issue => ({
  pointer,
  code,
  detail,
});

function judgeValue(value: unknown, rule: FieldRule, pointer: string): Judgement {
  const { bsonType, multipleOf, maxLength, items, properties } = rule;
  if (bsonType?.some((type) => FITS[type]?.(value)) === false) return issue(pointer, value === null ? NO_VALUE : WRONG);
  if (typeof value === 'number' && multipleOf !== undefined && value % multipleOf !== 0) return issue(pointer, WRONG);
  if (typeof value === 'string' && maxLength !== undefined && [...value].length > maxLength)
    return issue(pointer, LONG);
  if (items !== undefined && Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = judgeValue(item, items, `${pointer}/${i}`);
      if (found !== null) return found;
    }
  }
  if (properties === undefined || FITS['object']?.(value) !== true) return null;
  return judgeFields(value as Document, properties, [], pointer);
}

function judgeFields(
  document: Document,
  properties: Rules['properties'],
  required: readonly string[],
  pointer: string,
): Judgement {
  for (const [name, rule] of Object.entries(properties)) {
    const place = `${pointer}/${escapePointer(name)}`;
    const there = Object.hasOwn(document, name) && document[name] !== undefined;
    const found = there
      ? judgeValue(document[name], rule, place)
      : required.includes(name)
        ? issue(place, NO_VALUE)
        : null;
    if (found !== null) return found;
  }
  return null;
}

/** The first violation, or null. */
export const judge = ({ required = [], properties }: Rules, document: Document): Judgement =>
  judgeFields(document, properties, required, '');

/** `indexes`: fields by index name in the database. */
export function named(error: unknown, indexes: ReadonlyMap<string, readonly string[]>): unknown {
  if (!(error instanceof Fault)) return error;
  const { cause, issues: _, ...options } = error.options;
  // Issues of other errors refer to positions in internal statements.
  if (error.code !== 'QRY_UNIQUE') return fault(error.code, error.params, { ...options, cause });
  const name = String(((cause ?? {}) as { constraint?: unknown }).constraint);
  const fields = indexes.get(name) ?? (name.endsWith('_pkey') ? ['_id'] : []);
  const issues = fields.map((field) => ({ pointer: `/${escapePointer(field)}`, code: error.code, detail: TAKEN }));
  return fault(error.code, error.params, { ...options, cause, issues });
}
const TAKEN = 'is taken already';
