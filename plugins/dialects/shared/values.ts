/** Binds values as text, without what PostgreSQL text cannot store. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { Fault, createFault } from '../../../contract/fault.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import type { PreparedStatement } from '../kind.js';
import { formatArrayLiteral } from './arrays.js';

/** Created only by `preparePostgresStatement`. */
export interface PostgresPreparedStatement extends PreparedStatement {
  /** Parameters (0-based) that bind an array as an array literal. */
  readonly arrays: readonly boolean[];
  /** A single read of tables that serializable transactions write. */
  readonly among: boolean;
  /** Runs in parallel with other statements of its request, so it must not wait behind them. */
  readonly atOnce: boolean;
  /** An INSERT of literal rows. */
  readonly insert: boolean;
}

/**
 * PostgreSQL text cannot contain NUL, and a lone surrogate would silently change. `isWellFormed` takes constant time for one-byte
 * strings, unlike a regular expression.
 */
function validateText(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw createFault('QRY_BAD_VALUE');
  return text;
}

function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = writeJson(value);
    // Infinity would silently become null.
    if (text?.includes('null') === true) JSON.stringify(value, validateFinite);
  } catch (cause) {
    throw createFault('QRY_BAD_VALUE', {}, { cause });
  }
  // Functions and symbols have no JSON form.
  if (text === undefined) throw createFault('QRY_BAD_VALUE');
  return text;
}

function validateFinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a finite number');
  return value;
}

function bindValue(value: unknown, json: boolean, array: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (json) return toJsonText(value);
  switch (typeof value) {
    case 'string':
      return validateText(value);
    case 'number':
      // `1e400` in a body is parsed as Infinity.
      if (!Number.isFinite(value)) throw createFault('QRY_BAD_VALUE');
      return String(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? validateText('\0') : value.toISOString();
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
      if (value instanceof ExactNumber) return value.toString();
      if (array && Array.isArray(value)) return formatArrayLiteral(value, (item) => bindValue(item, false, true));
      return toJsonText(value);
    default:
      return toJsonText(value);
  }
}

/** In the order of the driver. */
export function bindValues(prepared: PostgresPreparedStatement, values: readonly unknown[]): (string | null)[] {
  const { order, json, arrays } = prepared;
  return order.map((parameter) => {
    try {
      return bindValue(values[parameter], json[parameter] === true, arrays[parameter] === true);
    } catch (error) {
      throw addParameterIssue(error, parameter + 1);
    }
  });
}

/** Names the rejected parameter. */
function addParameterIssue(error: unknown, n: number): unknown {
  if (!(error instanceof Fault) || error.options.issues !== undefined) return error;
  const detail = 'cannot be kept in the database';
  return createFault(error.code, error.params, {
    ...error.options,
    issues: [{ pointer: `$${n}`, code: error.code, detail }],
  });
}
