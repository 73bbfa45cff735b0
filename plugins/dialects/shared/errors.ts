/**
 * Maps driver errors to Faults by SQLSTATE. Messages of driver and server go only to the log; responses contain only column
 * names, never values.
 */
import { Fault, createFault } from '../../../contract/fault.js';
import type { FaultOptions } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { escapePointer } from '../../../contract/json.js';
import { toUnknownOutcome } from '../../shared/unknown-outcome.js';
import { rejectedFields, type dialectErrors } from './errors.light.js';
import { findWordAt, toUnitOffset, type StatementWord } from '../../queries/sql/text/word.js';

type Code = keyof typeof dialectErrors;

interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly severity?: unknown;
  readonly detail?: unknown;
  readonly where?: unknown;
  /** Set for errors in the text of the definition. */
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
  // The value caused an oversized index entry or row.
  '54000': 'QRY_BAD_VALUE',
  '57P05': 'QRY_UNAVAILABLE',
};
const CLASSES: readonly (readonly [RegExp, Code])[] = [
  [/^22/, 'QRY_BAD_VALUE'],
  [/^(?:08|53|57P0)/, 'QRY_UNAVAILABLE'],
];
const NETWORK = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_STREAM|ERR_SOCKET)/;
/** Errors of pg, its pool and PGlite themselves have no code. */
const LOST =
  /connection (?:terminated|error|timeout)|timeout exceeded|timeout expired|not queryable|calling end on the pool|PGlite is clos|read timeout/i;

/** The result is not read to its end, so the connection is dropped. `fault`: null: a timeout. */
export class StatementAbortedError extends Error {
  constructor(readonly fault: Fault | null = null) {
    super(fault?.code ?? 'no answer in time');
  }
}

/** The text is to be passed on, which needs another execution. */
export class LargeTextError extends StatementAbortedError {}

const asError = (error: unknown): DriverError => (typeof error === 'object' && error !== null ? error : {});
export const getSqlState = (error: unknown): string => {
  const { code } = asError(error);
  return typeof code === 'string' ? code : '';
};

export const isNetwork = (code: string): boolean => NETWORK.test(code);

/** The connection must not be used again. */
export function isPostgresConnectionLost(error: unknown): boolean {
  const { severity, message } = asError(error);
  if (error instanceof StatementAbortedError) return true;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  const state = getSqlState(error);
  if (/^[0-9A-Z]{5}$/.test(state) && !NETWORK.test(state)) return /^(?:08|57P0)/.test(state);
  return NETWORK.test(state) || (typeof message === 'string' && LOST.test(message));
}

/** The prepared statement is unknown, or its columns have changed. Nothing has run, so resending is safe. */
export const isStale = (error: unknown): boolean =>
  getSqlState(error) === '26000' ||
  (getSqlState(error) === '0A000' && asError(error).routine === 'RevalidateCachedQuery');

/** A parsed value (`to_tsquery($1)`) is invalid, not the statement. */
const isInValue = (error: unknown): boolean => {
  const { position, internalQuery } = asError(error);
  return /^(?:42601|42602|42704)$/.test(getSqlState(error)) && isAbsent(position) && isAbsent(internalQuery);
};
const isAbsent = (field: unknown): boolean => field === undefined || field === null || field === '';

function toErrorCode(error: unknown): Code {
  const state = getSqlState(error);
  if (error instanceof StatementAbortedError) return 'QRY_TIMEOUT';
  if (isInValue(error)) return 'QRY_BAD_VALUE';
  const exact = Object.hasOwn(EXACT, state) ? EXACT[state] : undefined;
  if (exact) return exact;
  if (/^[0-9A-Z]{5}$/.test(state)) {
    const found = CLASSES.find(([pattern]) => pattern.test(state));
    if (found) return found[1];
  }
  return isPostgresConnectionLost(error) ? 'QRY_UNAVAILABLE' : 'QRY_FAILED';
}

/** `Key (a, b)=(1, 2) already exists.`: only plain names are returned. */
function parseKeyColumns(detail: unknown): string[] {
  const list = typeof detail === 'string' ? /^[^()]*\(([^()]*)\)=\(/.exec(detail)?.[1] : undefined;
  const names = list?.split(', ').map((name) => name.replace(/^"(.*)"$/, '$1')) ?? [];
  return names.every((name) => /^[A-Za-z_][A-Za-z0-9_$]*$/.test(name)) ? names : [];
}

/** The migration names its length checks `<table>_<column>_length`. */
function parseLengthCheck({ table, constraint }: DriverError): string[] {
  if (typeof table !== 'string' || typeof constraint !== 'string') return [];
  const inner = constraint.slice(table.length + 1, -'_length'.length);
  return constraint === `${table}_${inner}_length` && inner ? [inner] : [];
}

/** `portal "..." parameter $1`: the server could not parse a value. */
function parseParameter({ where }: DriverError): string[] {
  const found = typeof where === 'string' ? /parameter (\$\d+)/i.exec(where)?.[1] : undefined;
  return found === undefined ? [] : [found];
}

function findColumns(code: Code, error: DriverError): string[] {
  if (code === 'QRY_NOT_NULL') return typeof error.column === 'string' ? [error.column] : [];
  return code === 'QRY_CHECK' ? parseLengthCheck(error) : parseKeyColumns(error.detail);
}

function createIssues(code: Code, error: DriverError): Issue[] {
  const detail = rejectedFields[code];
  if (!detail) return [];
  if (code === 'QRY_BAD_VALUE') return parseParameter(error).map((pointer) => ({ pointer, code, detail }));
  return findColumns(code, error).map((column) => ({
    pointer: `/${escapePointer(column)}`,
    code,
    detail,
  }));
}

/** Messages of these classes name objects and never quote values. */
const WITHOUT_VALUES = /^(?:08|21|22012|23|25|26|28|3D|40|53|54|55|57|58)/;

/** An error with a position quotes the text of the definition. */
const isQuotable = (error: unknown): boolean =>
  WITHOUT_VALUES.test(getSqlState(error)) ||
  (/^(?:0A|42)/.test(getSqlState(error)) && !isAbsent(asError(error).position));

/**
 * For the log. The message is dropped where it could quote a value: data exceptions, text parsed at run time, errors
 * of functions.
 */
function cleanCause(error: unknown): unknown {
  if (!(error instanceof Error) || !/^[0-9A-Z]{5}$/.test(getSqlState(error)) || NETWORK.test(getSqlState(error)))
    return error;
  const { code, severity, table, column, constraint, routine } = asError(error);
  const state = getSqlState(error);
  const clean = new Error(isQuotable(error) ? error.message : `database error ${state}`);
  clean.name = 'DatabaseError';
  return Object.assign(clean, { code, severity, table, column, constraint, routine });
}

const DIVISION = '22012';

/** A column or a function, possibly behind its table or schema. */
export const isAboutName = (state: string): boolean => /^42(?:703|883)$/.test(state);

/** Only errors in the text of the definition have a position. */
function findWord(error: unknown, text: string): StatementWord | null {
  const at = Number(asError(error).position) - 1;
  return Number.isInteger(at) && at >= 0
    ? findWordAt(text, toUnitOffset(text, at), isAboutName(getSqlState(error)))
    : null;
}

/** `unknown`: the connection was lost after a write. `text`: the statement of a definition. */
export function toPostgresFault(
  error: unknown,
  outcome: 'unknown' | 'none' = 'none',
  text: string | null = null,
): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof StatementAbortedError && error.fault !== null) {
    return outcome === 'unknown' ? toUnknownOutcome(error.fault) : error.fault;
  }
  const code = toErrorCode(error);
  const issues = createIssues(code, asError(error));
  const lost = code === 'QRY_UNAVAILABLE';
  const unknown = outcome === 'unknown' && isPostgresConnectionLost(error);
  const word = text === null ? null : findWord(error, text);
  const options: FaultOptions = {
    cause: cleanCause(error),
    ...(word !== null && { word }),
    ...(issues.length > 0 && { issues }),
    ...(getSqlState(error) === DIVISION && { isDivision: true }),
    ...((code === 'QRY_SERIALIZATION' || lost || isStale(error)) && { retryable: true }),
    ...((lost || code === 'QRY_TIMEOUT') && { headers: RETRY_AFTER }),
  };
  const fault = createFault(code, {}, options);
  return unknown ? toUnknownOutcome(fault) : fault;
}

export function isPostgresRetryable(error: unknown): boolean {
  const cause = error instanceof Fault ? error.options.cause : error;
  return /^(?:40001|40P01)$/.test(getSqlState(cause)) || isStale(cause);
}
