/** Maps driver errors to Faults by number. Responses contain only column names, never values of the server. */
import { Fault, createFault, type FaultOptions } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { escapePointer } from '../../../contract/json.js';
import { findWordAt, type StatementWord } from '../../queries/sql/text/word.js';
import { toUnknownOutcome } from '../../shared/unknown-outcome.js';
import { rejectedFields, type dialectErrors } from '../shared/errors.light.js';
import type { MysqlCatalogue } from './catalogue.js';
import type { MysqlConnection } from './connection.js';
import type { MysqlPreparedStatement } from './prepare.js';

type Code = keyof typeof dialectErrors;

interface DriverError {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly fatal?: unknown;
  readonly message?: unknown;
}

const CODES: readonly (readonly [Code, readonly number[]])[] = [
  ['QRY_UNIQUE', [1022, 1062, 1169, 1586, 1859]],
  ['QRY_FOREIGN_KEY', [1216, 1217, 1451, 1452]],
  ['QRY_NOT_NULL', [1048, 1263, 1364]],
  ['QRY_CHECK', [1406, 3819, 4025]],
  // oxfmt-ignore
  ['QRY_BAD_VALUE', [1264, 1265, 1292, 1300, 1365, 1366, 1367, 1411, 1525, 1690, 3140, 3141, 3143, 3155, 3156, 3157, 3158, 3903, 3904, 3905, 3906, 3907, 3908, 4037, 4038]],
  ['QRY_SERIALIZATION', [1020, 1213]],
  // A lock wait ends at the deadline of statements.
  ['QRY_TIMEOUT', [1205, 1317, 1907, 1969, 3024, 3572]],
  // In addition to the errors that end the session.
  ['QRY_UNAVAILABLE', [1040, 1203, 1226]],
];
const BY_NUMBER = new Map(CODES.flatMap(([code, numbers]) => numbers.map((number) => [number, code] as const)));

/** The connection must not be used again. */
const ENDS = new Set([1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 4031]);
const NETWORK =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_STREAM|ERR_SOCKET|PROTOCOL_CONNECTION_LOST|HANDSHAKE)/;

const asError = (error: unknown): DriverError => (typeof error === 'object' && error !== null ? error : {});

export const getErrno = (error: unknown): number => {
  const { errno } = asError(error);
  return typeof errno === 'number' && errno > 0 ? errno : 0;
};

export const getErrorCode = (error: unknown): string => {
  const { code } = asError(error);
  return typeof code === 'string' ? code : '';
};

export function isMysqlConnectionLost(error: unknown): boolean {
  if (error instanceof OverdueError) return true;
  const number = getErrno(error);
  if (number > 0) return ENDS.has(number);
  const { fatal, message } = asError(error);
  return (
    NETWORK.test(getErrorCode(error)) ||
    fatal === true ||
    (typeof message === 'string' && /closed state|connection lost|malformed packet/i.test(message))
  );
}

/** The client-side deadline expired, and the connection was closed. */
export class OverdueError extends Error {}

/** The result was not read, and the connection closed. */
export class ResultAbortedError extends OverdueError {
  constructor(readonly fault: Fault) {
    super(fault.code);
  }
}

/** Another execution passes the text on; the connection was closed. */
export class LargeTextError extends OverdueError {}

/** No connection was available in time; nothing was sent. */
export class ConnectionUnavailableError extends Error {}

function toErrorCode(error: unknown): Code {
  if (error instanceof OverdueError) return 'QRY_TIMEOUT';
  if (error instanceof ConnectionUnavailableError) return 'QRY_UNAVAILABLE';
  return BY_NUMBER.get(getErrno(error)) ?? (isMysqlConnectionLost(error) ? 'QRY_UNAVAILABLE' : 'QRY_FAILED');
}

/** Names in an error message, without values. */
export interface ErrorNames {
  /** The violated key, with its table if known. */
  readonly key?: { readonly table: string | null; readonly name: string };
  readonly columns?: readonly string[];
  readonly check?: string;
}

/** Parses English messages only. Values precede the names. */
export function parseErrorNames(error: unknown): ErrorNames {
  const { message } = asError(error);
  if (typeof message !== 'string') return {};
  const number = getErrno(error);
  if (number === 1062) {
    const [, table = null, name] = / for key '(?:([^'.]+)\.)?([^'.]+)'$/.exec(message) ?? [];
    return name === undefined ? {} : { key: { table, name } };
  }
  if (number === 1451 || number === 1452) {
    const list = /FOREIGN KEY \(([^()]*)\) REFERENCES/.exec(message)?.[1];
    return { columns: (list?.split(', ') ?? []).map((name) => name.replaceAll(/[`"]/g, '')) };
  }
  if (number === 1048 || number === 1364) return { columns: parseQuotedName(message, /(?:Column|Field) '([^']+)'/) };
  if (number === 1406)
    return { columns: parseQuotedName(message, /for column (?:[`"][^`"]+[`"]\.)*['`"]([^'`"]+)['`"]/) };
  if (number === 3819) return toCheckName(parseQuotedName(message, /'([^']+)' is violated/)[0]);
  if (number === 4025) return toCheckName(parseQuotedName(message, /CONSTRAINT [`"]([^`"]+)[`"] failed/)[0]);
  return {};
}

const toCheckName = (check: string | undefined): ErrorNames => (check === undefined ? {} : { check });
const parseQuotedName = (message: string, pattern: RegExp): string[] => {
  const found = pattern.exec(message)?.[1];
  return found === undefined ? [] : [found];
};

export const createColumnIssues = (code: string, columns: readonly string[]): Issue[] =>
  columns.map((column) => ({
    pointer: `/${escapePointer(column)}`,
    code,
    detail: rejectedFields[code as Code] ?? 'was refused',
  }));

/** These messages quote no values. */
const WITHOUT_VALUES = new Set([
  1040, 1044, 1045, 1049, 1053, 1205, 1213, 1317, 1054, 1146, 1305, 1969, 3024, 1927, 4031,
]);

/** The error for the log, without values. */
function cleanCause(error: unknown): unknown {
  const number = getErrno(error);
  if (!(error instanceof Error) || number === 0) return error;
  const clean = new Error(WITHOUT_VALUES.has(number) ? error.message : `database error ${number}`);
  return Object.assign(clean, { code: getErrorCode(error), errno: number });
}

const DIVISION = 1365;

/** The message of a syntax error quotes at most this length of the text. */
const MOST_QUOTED = 80;

/** Parses English messages only. `text`: the statement as it was sent. */
export function parseErrorWord(error: unknown, text: string): StatementWord | null {
  const { message } = asError(error);
  if (typeof message !== 'string') return null;
  if (getErrno(error) === 1064) {
    const rest = / near '(.*)' at line \d+$/s.exec(message)?.[1] ?? '';
    const at = rest.length < MOST_QUOTED ? text.length - rest.length : text.indexOf(rest);
    return rest !== '' && at >= 0 && text.startsWith(rest, at) ? findWordAt(text, at) : null;
  }
  const name = NAMED.get(getErrno(error))?.exec(message)?.[1]?.split('.').at(-1);
  return name === undefined ? null : { text: name.toLowerCase(), nth: 0 };
}

const NAMED = new Map([
  [1052, /^Column '([^']+)'/],
  [1054, /^Unknown column '([^']+)'/],
  [1146, /^Table '([^']+)'/],
  [1305, /^(?:FUNCTION|PROCEDURE) (\S+) does/],
]);

export interface FailedStatement {
  readonly columns: readonly string[];
  readonly word: StatementWord | null;
}

/** `unknown`: the connection was lost during a write. */
export function toMysqlFault(
  error: unknown,
  outcome: 'none' | 'unknown' = 'none',
  { columns, word }: FailedStatement = { columns: [], word: null },
): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ResultAbortedError) {
    return outcome === 'unknown' ? toUnknownOutcome(error.fault) : error.fault;
  }
  const code = toErrorCode(error);
  const found = createColumnIssues(code, columns);
  const lost = code === 'QRY_UNAVAILABLE';
  const unknown =
    outcome === 'unknown' &&
    (error instanceof OverdueError ||
      (lost && isMysqlConnectionLost(error) && !(error instanceof ConnectionUnavailableError)));
  const options: FaultOptions = {
    cause: cleanCause(error),
    ...(word !== null && { word }),
    ...(found.length > 0 && { issues: found }),
    ...(getErrno(error) === DIVISION && { isDivision: true }),
    ...((code === 'QRY_SERIALIZATION' || lost) && { retryable: true }),
    ...((lost || code === 'QRY_TIMEOUT') && { headers: { 'retry-after': '1' } }),
  };
  const fault = createFault(code, {}, options);
  return unknown ? toUnknownOutcome(fault) : fault;
}

export const isMysqlRetryable = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'QRY_SERIALIZATION';

export class StatementError extends Error {
  constructor(
    readonly error: unknown,
    readonly failed: FailedStatement,
  ) {
    super('refused by the database', { cause: error });
  }
}

export const createStatementError = (
  error: unknown,
  columns: readonly string[],
  { forms }: MysqlPreparedStatement,
  { flavour }: MysqlConnection,
): StatementError => new StatementError(error, { columns, word: parseErrorWord(error, forms[flavour].main.text) });

export function findColumns(
  error: unknown,
  { tables }: MysqlPreparedStatement,
  catalogue: MysqlCatalogue,
): readonly string[] {
  const { key, columns, check } = parseErrorNames(error);
  if (columns !== undefined) return columns;
  if (check !== undefined) return tables.flatMap((table) => parseLengthCheck(table, check));
  if (key === undefined) return [];
  const names = key.table === null ? tables : [key.table];
  for (const name of names) {
    const found = catalogue.get(name)?.keys.find((one) => one.name === key.name);
    if (found) return found.columns;
  }
  return [];
}

/** The migration names its length checks `<table>_<column>_length`. */
function parseLengthCheck(table: string, check: string): string[] {
  const column = check.slice(table.length + 1, -'_length'.length);
  return column !== '' && check === `${table}_${column}_length` ? [column] : [];
}
