/** Validates documents by the rules of their collection. */
import { Fault, createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { escapePointer } from '../../../contract/json.js';
import type { Document } from '../kind.js';
import type { CollectionIndex } from '../shared/plan.js';
import type { FieldSchema, Rules } from '../shared/rules.js';

export interface CollectionMetadata {
  readonly rules: Rules | null;
  readonly indexes: readonly CollectionIndex[];
}
export const NO_METADATA: CollectionMetadata = { rules: null, indexes: [] };

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

type ValidationResult = Issue | null;

const createIssue = (pointer: string, [code, detail]: readonly [code: string, detail: string]): Issue => ({
  pointer,
  code,
  detail,
});

function validateValue(value: unknown, rule: FieldSchema, pointer: string): ValidationResult {
  const { bsonType, multipleOf, maxLength, items, properties } = rule;
  if (bsonType?.some((type) => FITS[type]?.(value)) === false)
    return createIssue(pointer, value === null ? NO_VALUE : WRONG);
  if (typeof value === 'number' && multipleOf !== undefined && value % multipleOf !== 0)
    return createIssue(pointer, WRONG);
  if (typeof value === 'string' && maxLength !== undefined && [...value].length > maxLength)
    return createIssue(pointer, LONG);
  if (items !== undefined && Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = validateValue(item, items, `${pointer}/${i}`);
      if (found !== null) return found;
    }
  }
  if (properties === undefined || FITS['object']?.(value) !== true) return null;
  return validateFields(value as Document, properties, [], pointer);
}

function validateFields(
  document: Document,
  properties: Rules['properties'],
  required: readonly string[],
  pointer: string,
): ValidationResult {
  for (const [name, rule] of Object.entries(properties)) {
    const place = `${pointer}/${escapePointer(name)}`;
    const there = Object.hasOwn(document, name) && document[name] !== undefined;
    const found = there
      ? validateValue(document[name], rule, place)
      : required.includes(name)
        ? createIssue(place, NO_VALUE)
        : null;
    if (found !== null) return found;
  }
  return null;
}

/** The first violation, or null. */
export const validateDocument = ({ required = [], properties }: Rules, document: Document): ValidationResult =>
  validateFields(document, properties, required, '');

/** `indexes`: fields by index name in the database. */
export function nameFields(error: unknown, indexes: ReadonlyMap<string, readonly string[]>): unknown {
  if (!(error instanceof Fault)) return error;
  const { cause, issues: _, ...options } = error.options;
  // Issues of other errors refer to positions in internal statements.
  if (error.code !== 'QRY_UNIQUE') return createFault(error.code, error.params, { ...options, cause });
  const name = String(((cause ?? {}) as { constraint?: unknown }).constraint);
  const fields = indexes.get(name) ?? (name.endsWith('_pkey') ? ['_id'] : []);
  const issues = fields.map((field) => ({ pointer: `/${escapePointer(field)}`, code: error.code, detail: TAKEN }));
  return createFault(error.code, error.params, { ...options, cause, issues });
}
const TAKEN = 'is taken already';
