/** Validates values for columns before the database silently changes them, also in JSON. Resolved at load. */
import type { StatementText } from '../../../contract/statement-text.js';
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import { escapePointer, isObject } from '../../../contract/json.js';
import type { HeldJson, ModelColumn } from '../../../contract/model.js';
import { isWholeDouble } from '../../../language/strings/exact-json.js';
import { truncateInstant, readInstant } from '../../../language/strings/instant.js';

/** Returns the value to bind; `at`: pointer of its payload field, or null. */
export type ParameterValidator = (value: unknown, at: string | null) => unknown;

type Part = Pick<ModelColumn, 'type' | 'holds'> & Partial<ModelColumn>;

/** Fractional digits of a SQL timestamp. */
const DIGITS = 6;
const WHOLE = /^(?:int[248]?|integer|bigint|smallint|numeric|decimal)$/;
const FLOATS = /^(?:float8|float4|real|double precision)$/;

const createValueFault = (at: string | null, detail: string): Fault =>
  createFault('QRY_BAD_VALUE', {}, at === null ? {} : { issues: [{ pointer: at, code: 'QRY_BAD_VALUE', detail }] });

const validateTime: ParameterValidator = (value, at) => {
  // Values from the database or generated ones need no validation.
  if (typeof value !== 'string' || at === null) return value;
  if (readInstant(value) === null)
    throw createValueFault(at, 'must be a time that exists, in ISO 8601, of the years 1 to 9999');
  return truncateInstant(value, DIGITS);
};

/** PostgreSQL 16 reads `0x7` and `1_0` as numbers: other texts of one identity, which limits would count apart. */
const OTHER_DIGITS = /_|^\s*[+-]?0[xob]/i;
const validateNumber: ParameterValidator = (value, at) => {
  if (typeof value === 'string' && OTHER_DIGITS.test(value))
    throw createValueFault(at, 'must be a number in decimal digits');
  return value;
};

const validateFloat: ParameterValidator = (value, at) => {
  validateNumber(value, at);
  const text = value instanceof ExactNumber || typeof value === 'string' ? value.toString() : '';
  if (!isWholeDouble(text.trim()))
    throw createValueFault(at, 'is a whole number that a column of fractions would change');
  return value;
};

/** An object or a list would be stored as its JSON text. */
const validateText: ParameterValidator = (value, at) => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date || value instanceof Uint8Array || value instanceof ExactNumber) return value;
  throw createValueFault(at, 'must be text, and not an object or a list');
};

const FORMS: Readonly<Record<ModelColumn['type'], readonly [fits: (value: unknown) => boolean, detail: string]>> = {
  integer: [
    (value) => Number.isInteger(value) || (value instanceof ExactNumber && value.isWhole),
    'must be a whole number',
  ],
  float: [(value) => typeof value === 'number' || value instanceof ExactNumber, 'must be a number'],
  text: [(value) => typeof value === 'string', 'must be text'],
  boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
  timestamp: [
    (value) => value instanceof Date || (typeof value === 'string' && readInstant(value) !== null),
    'must be a time in ISO 8601',
  ],
  json: [() => true, ''],
};

/** The first flaw: its location below the value, and the reason; null: valid. */
type ValueViolation = { readonly at: string; readonly detail: string } | null;

function findViolation(value: unknown, { type, holds, maxLength = null }: Part, at: string): ValueViolation {
  const [fits, detail] = FORMS[type];
  if (!fits(value)) return { at, detail };
  if (typeof value === 'string' && maxLength !== null && [...value].length > maxLength)
    return { at, detail: `must have at most ${maxLength} characters` };
  return holds === undefined ? null : findJsonViolation(value, holds, at);
}

function findJsonViolation(value: unknown, holds: HeldJson, at: string): ValueViolation {
  if (holds.form === 'array') {
    if (!Array.isArray(value)) return { at, detail: 'must be an array' };
    const { items } = holds;
    return items === null
      ? null
      : findFirst(value.entries(), ([index, item]) => findViolation(item, items, `${at}/${index}`));
  }
  if (!isObject(value)) return { at, detail: 'must be an object' };
  // All fields are optional, and null equals absent.
  return findFirst(holds.fields, (field) => {
    const inner = Object.hasOwn(value, field.name) ? value[field.name] : null;
    return inner === null ? null : findViolation(inner, field, `${at}/${escapePointer(field.name)}`);
  });
}

function findFirst<T>(all: Iterable<T>, validate: (one: T) => ValueViolation): ValueViolation {
  for (const one of all) {
    const wrong = validate(one);
    if (wrong !== null) return wrong;
  }
  return null;
}

const createJsonValidator =
  (holds: HeldJson): ParameterValidator =>
  (value, at) => {
    const wrong = value === null || value === undefined ? null : findJsonViolation(value, holds, at ?? '');
    if (wrong !== null) throw createValueFault(at === null ? null : wrong.at, wrong.detail);
    return value;
  };

const VALIDATORS: Readonly<Partial<Record<ModelColumn['type'], ParameterValidator>>> = {
  timestamp: validateTime,
  integer: validateNumber,
  float: validateFloat,
  text: validateText,
};

/** Offset where written values end and compared values begin. */
const findWritesEnd = ({ verb, text, tokens }: StatementText): number =>
  verb !== 'INSERT' && verb !== 'UPDATE'
    ? 0
    : (tokens.find(({ type, start, end }) => type === 'word' && /^where$/i.test(text.slice(start, end)))?.start ??
      text.length);

/** The validator of the `n`-th parameter; null where its value is bound unchanged. */
export function createParameterValidator(
  scan: StatementText,
  columns: readonly ModelColumn[],
  n: number,
): ParameterValidator | null {
  const written = findWritesEnd(scan);
  const validators = scan.placeholders
    .filter((placeholder) => placeholder.n === n)
    .map(({ cast, column: name, start }): ParameterValidator | null => {
      if (cast?.startsWith('timestamp') === true) return validateTime;
      if (cast !== null && FLOATS.test(cast)) return validateFloat;
      if (cast !== null && WHOLE.test(cast)) return validateNumber;
      const [column, ...others] = columns.filter((one) => one.name === name);
      // Columns of the same name in two tables are ambiguous.
      if (column === undefined || others.some(({ type }) => type !== column.type)) return null;
      if (column.type === 'json')
        return column.holds !== undefined && others.length === 0 && start < written
          ? createJsonValidator(column.holds)
          : null;
      if (cast !== null) return null;
      return VALIDATORS[column.type] ?? null;
    })
    .filter((validate) => validate !== null);
  if (validators.length === 0) return null;
  return (value, at) => validators.reduce((checked, validate) => validate(checked, at), value);
}
