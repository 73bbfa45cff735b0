/**
 * From what a driver throws to a Fault of the catalogue, by SQLSTATE. Texts of the driver and of the server stay in
 * `cause`, for the log; of a violated constraint only column names go out, never values.
 */
import { Fault, fault } from '../../../kernel/contract/fault.js';
import type { FaultOptions, Issue } from '../../../kernel/contract/fault.js';
import { escapePointer } from '../../../kernel/contract/json.js';
import { refusedFields, type dialectErrors } from '../../kinds/dialect-errors.js';

type Code = keyof typeof dialectErrors;

/** What drivers tell about an error; everything may be missing. */
interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly severity?: unknown;
  readonly detail?: unknown;
  readonly where?: unknown;
  /** Where in the statement as it was sent, which is the definition's text. */
  readonly position?: unknown;
  readonly internalQuery?: unknown;
  readonly column?: unknown;
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly routine?: unknown;
}

const RETRY_AFTER = { 'retry-after': '1' };

const EXACT: Readonly<Record<string, Code>> = {
  '23505': 'QRY_UNIQUE',
  '23P01': 'QRY_UNIQUE',
  '23503': 'QRY_FOREIGN_KEY',
  '23001': 'QRY_FOREIGN_KEY',
  '23502': 'QRY_NOT_NULL',
  '23514': 'QRY_CHECK',
  '40001': 'QRY_SERIALIZATION',
  '40P01': 'QRY_SERIALIZATION',
  '57014': 'QRY_TIMEOUT',
  '55P03': 'QRY_TIMEOUT',
  '25P03': 'QRY_TIMEOUT',
  // An index entry or a row beyond the limits of the server: always a matter of the value.
  '54000': 'QRY_BAD_VALUE',
  '57P05': 'QRY_UNAVAILABLE',
};
const CLASSES: readonly (readonly [RegExp, Code])[] = [
  [/^22/, 'QRY_BAD_VALUE'],
  [/^(?:08|53|57P0)/, 'QRY_UNAVAILABLE'],
];
const NETWORK = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_STREAM|ERR_SOCKET)/;
/** Errors that pg, its pool and PGlite make themselves have no code. */
const LOST =
  /connection (?:terminated|error|timeout)|timeout exceeded|timeout expired|not queryable|calling end on the pool|PGlite is clos|read timeout/i;

/** What is not read any further: its connection is of no use. `fault`: why, where it is not that no answer came in time. */
export class GivenUp extends Error {
  constructor(readonly fault: Fault | null = null) {
    super(fault?.code ?? 'no answer in time');
  }
}

const asError = (error: unknown): DriverError => (typeof error === 'object' && error !== null ? error : {});
export const sqlState = (error: unknown): string => {
  const { code } = asError(error);
  return typeof code === 'string' ? code : '';
};

export const isNetwork = (code: string): boolean => NETWORK.test(code);

/** The connection itself is gone or going: it must not be used again. */
export function isLost(error: unknown): boolean {
  const { severity, message } = asError(error);
  if (error instanceof GivenUp) return true;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  const state = sqlState(error);
  if (/^[0-9A-Z]{5}$/.test(state) && !NETWORK.test(state)) return /^(?:08|57P0)/.test(state);
  return NETWORK.test(state) || (typeof message === 'string' && LOST.test(message));
}

/**
 * The server does not know the prepared statement any more, or a table behind it has other columns since. It says so
 * before it runs anything, so that sending the statement again is always safe.
 */
export const isStale = (error: unknown): boolean =>
  sqlState(error) === '26000' || (sqlState(error) === '0A000' && asError(error).routine === 'RevalidateCachedQuery');

/** A name or a little language that stood in a value (`to_tsquery($1)`), not in the statement. */
const isInValue = (error: unknown): boolean => {
  const { position, internalQuery } = asError(error);
  return /^(?:42601|42602|42704)$/.test(sqlState(error)) && isAbsent(position) && isAbsent(internalQuery);
};
const isAbsent = (field: unknown): boolean => field === undefined || field === null || field === '';

function codeOf(error: unknown): Code {
  const state = sqlState(error);
  if (error instanceof GivenUp) return 'QRY_TIMEOUT';
  if (isInValue(error)) return 'QRY_BAD_VALUE';
  const exact = Object.hasOwn(EXACT, state) ? EXACT[state] : undefined;
  if (exact) return exact;
  if (/^[0-9A-Z]{5}$/.test(state)) {
    const found = CLASSES.find(([pattern]) => pattern.test(state));
    if (found) return found[1];
  }
  return isLost(error) ? 'QRY_UNAVAILABLE' : 'QRY_FAILED';
}

/** `Key (a, b)=(1, 2) already exists.`: the names before the values, and only when they are plain names. */
function keyColumns(detail: unknown): string[] {
  const list = typeof detail === 'string' ? /^[^()]*\(([^()]*)\)=\(/.exec(detail)?.[1] : undefined;
  const names = list?.split(', ').map((name) => name.replace(/^"(.*)"$/, '$1')) ?? [];
  return names.every((name) => /^[A-Za-z_][A-Za-z0-9_$]*$/.test(name)) ? names : [];
}

/** Length checks made by the migration are called `<table>_<column>_length`. */
function checkedColumn({ table, constraint }: DriverError): string[] {
  if (typeof table !== 'string' || typeof constraint !== 'string') return [];
  const inner = constraint.slice(table.length + 1, -'_length'.length);
  return constraint === `${table}_${inner}_length` && inner ? [inner] : [];
}

/** `portal "..." parameter $1`: the server could not read the text of a value. */
function parameterOf({ where }: DriverError): string[] {
  const found = typeof where === 'string' ? /parameter (\$\d+)/i.exec(where)?.[1] : undefined;
  return found === undefined ? [] : [found];
}

function columnsOf(code: Code, error: DriverError): string[] {
  if (code === 'QRY_NOT_NULL') return typeof error.column === 'string' ? [error.column] : [];
  return code === 'QRY_CHECK' ? checkedColumn(error) : keyColumns(error.detail);
}

function issuesOf(code: Code, error: DriverError): Issue[] {
  const detail = refusedFields[code];
  if (!detail) return [];
  if (code === 'QRY_BAD_VALUE') return parameterOf(error).map((pointer) => ({ pointer, code, detail }));
  return columnsOf(code, error).map((column) => ({
    pointer: `/${escapePointer(column)}`,
    code,
    detail,
  }));
}

/** Classes whose messages name objects and never quote values; whatever else a message says may be a value. */
const WITHOUT_VALUES = /^(?:08|21|23|25|26|28|3D|40|53|54|55|57|58)/;

/** A complaint about the statement's own text names what stands in the definition. */
const isQuotable = (error: unknown): boolean =>
  WITHOUT_VALUES.test(sqlState(error)) || (/^(?:0A|42)/.test(sqlState(error)) && !isAbsent(asError(error).position));

/**
 * What the log may see: of a server's error no detail, query or values, and no message where it could quote a value (data
 * exceptions, texts that are parsed while a statement runs, what functions raise).
 */
function cleanCause(error: unknown): unknown {
  if (!(error instanceof Error) || !/^[0-9A-Z]{5}$/.test(sqlState(error)) || NETWORK.test(sqlState(error)))
    return error;
  const { code, severity, table, column, constraint, routine } = asError(error);
  const state = sqlState(error);
  const clean = new Error(isQuotable(error) ? error.message : `database error ${state}`);
  clean.name = 'DatabaseError';
  return Object.assign(clean, { code, severity, table, column, constraint, routine });
}

const UNKNOWN = { outcome: 'Whether the last statement took effect is not known.' };

/** `unknown`: a writing statement had been sent when the connection went away, so nobody knows whether it ran. */
export function toFault(error: unknown, outcome: 'unknown' | 'none' = 'none'): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof GivenUp && error.fault !== null) {
    const { code: why, params, options: rest } = error.fault;
    return fault(why, outcome === 'unknown' ? { ...params, ...UNKNOWN } : params, rest);
  }
  const code = codeOf(error);
  const issues = issuesOf(code, asError(error));
  const lost = code === 'QRY_UNAVAILABLE';
  const unknown = outcome === 'unknown' && isLost(error);
  const options: FaultOptions = {
    cause: cleanCause(error),
    ...(issues.length > 0 && { issues }),
    ...((code === 'QRY_SERIALIZATION' || (lost && !unknown) || isStale(error)) && { retryable: true }),
    ...((lost || code === 'QRY_TIMEOUT') && { headers: RETRY_AFTER }),
  };
  return fault(code, unknown ? UNKNOWN : {}, options);
}

/** A second try of the whole transaction may succeed. */
export function isRetryable(error: unknown): boolean {
  const cause = error instanceof Fault ? error.options.cause : error;
  return /^(?:40001|40P01)$/.test(sqlState(cause)) || isStale(cause);
}
