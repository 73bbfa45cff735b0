/**
 * Values on their way into a statement. Everything is bound as text, whose type the database takes from the statement;
 * no value ever becomes part of the SQL. What text cannot hold in the database is refused here, before it is sent.
 */
import { ExactNumber } from '../../../kernel/contract/exact-number.js';
import { Fault, fault } from '../../../kernel/contract/fault.js';
import { writeJson } from '../../../kernel/language/exact-json.js';
import type { Prepared } from '../../kinds/dialect.js';
import { arrayLiteral } from './arrays.js';

/** A statement of PostgreSQL and its embedded sibling; made by `prepareStatement` only. */
export interface PgPrepared extends Prepared {
  /** For each parameter (0-based): bind an array as an array literal. */
  readonly arrays: readonly boolean[];
  /** It only reads, by itself, what serializable transactions write. */
  readonly among: boolean;
  /** Waits behind no other statement. */
  readonly atOnce: boolean;
  /** Inserts rows that are written out in the statement. */
  readonly insert: boolean;
}

/** Well-formedness is a flag check for most strings, unlike a pattern. */
interface CheckedString {
  isWellFormed(): boolean;
}

/** NUL is no character of PostgreSQL text, and half a surrogate pair would silently become another character. */
function checked(text: string): string {
  if (text.includes('\0') || !(text as unknown as CheckedString).isWellFormed()) throw fault('QRY_BAD_VALUE');
  return text;
}

function jsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = writeJson(value);
    // A number beyond all bounds would silently become null.
    if (text?.includes('null') === true) JSON.stringify(value, finite);
  } catch (cause) {
    throw fault('QRY_BAD_VALUE', {}, { cause });
  }
  // A function or a symbol has no JSON form.
  if (text === undefined) throw fault('QRY_BAD_VALUE');
  return text;
}

function finite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a finite number');
  return value;
}

/** One value as the text that is sent; `null` is the SQL NULL. */
function bindValue(value: unknown, json: boolean, array: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (json) return jsonText(value);
  switch (typeof value) {
    case 'string':
      return checked(value);
    case 'number':
      // `1e400` in a body is larger than any number.
      if (!Number.isFinite(value)) throw fault('QRY_BAD_VALUE');
      return String(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? checked('\0') : value.toISOString();
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
      if (value instanceof ExactNumber) return value.toString();
      if (array && Array.isArray(value)) return arrayLiteral(value, (item) => bindValue(item, false, true));
      return jsonText(value);
    default:
      return jsonText(value);
  }
}

/** All values of a run, in the order in which the driver wants them. */
export function bindValues(prepared: PgPrepared, values: readonly unknown[]): (string | null)[] {
  const { order, json, arrays } = prepared;
  const bound = new Array<string | null>(order.length);
  for (let i = 0; i < order.length; i++) {
    const parameter = order[i] ?? i;
    try {
      bound[i] = bindValue(values[parameter], json[parameter] === true, arrays[parameter] === true);
    } catch (error) {
      throw refused(error, parameter + 1);
    }
  }
  return bound;
}

/** Names the parameter whose value was refused. */
function refused(error: unknown, n: number): unknown {
  if (!(error instanceof Fault) || error.options.issues !== undefined) return error;
  const detail = 'cannot be kept in the database';
  return fault(error.code, error.params, {
    ...error.options,
    issues: [{ pointer: `$${n}`, code: error.code, detail }],
  });
}
