/** Maps driver errors to Faults. Server messages quote values. */
import { Fault, createFault, type FaultOptions } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { escapePointer } from '../../../contract/json.js';
import { rejectedFields, type dialectErrors } from '../../dialects/shared/errors.light.js';
import { toUnknownOutcome } from '../../shared/unknown-outcome.js';

type Code = keyof typeof dialectErrors;

interface DriverError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly codeName?: unknown;
  readonly keyPattern?: unknown;
  readonly errInfo?: unknown;
  readonly errorLabelSet?: ReadonlySet<string>;
  readonly cause?: unknown;
}

const RETRY_AFTER = { 'retry-after': '1' };

const NUMBERS: Readonly<Record<number, Code>> = {
  11000: 'QRY_UNIQUE',
  11001: 'QRY_UNIQUE',
  12582: 'QRY_UNIQUE',
  // Write conflict, lock timeout, no such transaction, snapshot unavailable.
  112: 'QRY_SERIALIZATION',
  24: 'QRY_SERIALIZATION',
  251: 'QRY_SERIALIZATION',
  246: 'QRY_SERIALIZATION',
  50: 'QRY_TIMEOUT',
  262: 'QRY_TIMEOUT',
  // Wrong type, failed conversion, document or key too large.
  14: 'QRY_BAD_VALUE',
  28: 'QRY_BAD_VALUE',
  241: 'QRY_BAD_VALUE',
  10334: 'QRY_BAD_VALUE',
  17280: 'QRY_BAD_VALUE',
  17419: 'QRY_BAD_VALUE',
  17420: 'QRY_BAD_VALUE',
  51091: 'QRY_BAD_VALUE',
  // Not the primary, shutting down, too few servers available.
  6: 'QRY_UNAVAILABLE',
  7: 'QRY_UNAVAILABLE',
  64: 'QRY_UNAVAILABLE',
  89: 'QRY_UNAVAILABLE',
  91: 'QRY_UNAVAILABLE',
  100: 'QRY_UNAVAILABLE',
  133: 'QRY_UNAVAILABLE',
  189: 'QRY_UNAVAILABLE',
  9001: 'QRY_UNAVAILABLE',
  10058: 'QRY_UNAVAILABLE',
  10107: 'QRY_UNAVAILABLE',
  11600: 'QRY_UNAVAILABLE',
  11602: 'QRY_UNAVAILABLE',
  13435: 'QRY_UNAVAILABLE',
  13436: 'QRY_UNAVAILABLE',
};
const INVALID = 121;

/** Errors of the driver have names and no numbers. */
const LOST =
  /Network|ServerSelection|NotConnected|WaitQueue|PoolClear|PoolClosed|ServerClosed|TopologyClosed|ClientClosed|StalePrimary|OperationTimeout/;
/** The last attempt found no connection. */
const UNSENT = /WaitQueue|PoolClosed|PoolClearedError|NotConnected|TopologyClosed|ClientClosed/;
/** Socket errors are sometimes passed on unchanged. */
const PLATFORM = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_STREAM|ERR_SOCKET)/;
/** A cycle, a NUL in a name, or over 16 MiB. */
const UNFIT = /^BSON|^RangeError$/;

const asError = (error: unknown): DriverError => (typeof error === 'object' && error !== null ? error : {});
export const getErrorNumber = (error: unknown): number | null => {
  const { code } = asError(error);
  return typeof code === 'number' ? code : null;
};
export const getErrorName = (error: unknown): string => {
  const { name } = asError(error);
  return typeof name === 'string' ? name : '';
};
export const isMongoConnectionLost = (error: unknown): boolean =>
  getErrorNumber(error) === null && (LOST.test(getErrorName(error)) || PLATFORM.test(findNetworkCode(error)));
export const isSelection = (error: unknown): boolean => getErrorName(error).includes('ServerSelection');
export const isUnsent = (error: unknown): boolean => UNSENT.test(getErrorName(error));
const hasLabel = (error: unknown, label: string): boolean => asError(error).errorLabelSet?.has(label) === true;

function toErrorCode(error: unknown, violations: readonly Violation[]): Code {
  const number = getErrorNumber(error);
  if (number === INVALID) return violations[0]?.code ?? 'QRY_CHECK';
  const exact = number !== null && Object.hasOwn(NUMBERS, number) ? NUMBERS[number] : undefined;
  if (exact) return exact;
  if (isMongoConnectionLost(error)) return 'QRY_UNAVAILABLE';
  if (hasLabel(error, 'TransientTransactionError')) return 'QRY_SERIALIZATION';
  return UNFIT.test(getErrorName(error)) ? 'QRY_BAD_VALUE' : 'QRY_FAILED';
}

function createIssues(code: Code, error: unknown, violations: readonly Violation[]): Issue[] {
  const detail = rejectedFields[code];
  if (detail === undefined) return [];
  const { keyPattern } = asError(error);
  const taken = code === 'QRY_UNIQUE' && typeof keyPattern === 'object' ? Object.keys(keyPattern ?? {}) : [];
  const paths = [
    ...taken.map((path) => path.split('.')),
    ...violations.filter((one) => one.code === code).map(({ path }) => path),
  ];
  return paths.map((path) => ({ pointer: path.map((name) => `/${escapePointer(name)}`).join(''), code, detail }));
}

export function cleanCause(error: unknown): Error {
  const { code, codeName } = asError(error);
  const inner = findNetworkCode(error);
  const clean = new Error(`database error ${[getErrorName(error), codeName ?? code, inner].filter(Boolean).join(' ')}`);
  clean.name = 'DatabaseError';
  return Object.assign(clean, { code, codeName });
}

/** `ECONNREFUSED` and similar, at the end of the chain of causes. */
export function findNetworkCode(error: unknown): string {
  for (let [one, depth] = [error, 0]; depth < 5; [one, depth] = [asError(one).cause, depth + 1]) {
    const { code } = asError(one);
    if (typeof code === 'string') return code;
  }
  return '';
}

/** `sent`: a write may have been sent before the connection was lost. */
export function toMongoFault(error: unknown, sent = false): Fault {
  if (error instanceof Fault) return error;
  const violations = getErrorNumber(error) === INVALID ? parseViolations(asError(error).errInfo) : [];
  const code = toErrorCode(error, violations);
  const issues = createIssues(code, error, violations);
  const unavailable = code === 'QRY_UNAVAILABLE';
  const options: FaultOptions = {
    cause: cleanCause(error),
    ...(issues.length > 0 && { issues }),
    ...((code === 'QRY_SERIALIZATION' || unavailable) && { retryable: true }),
    ...((unavailable || code === 'QRY_TIMEOUT') && { headers: RETRY_AFTER }),
  };
  const fault = createFault(code, {}, options);
  return unavailable && sent ? toUnknownOutcome(fault) : fault;
}

const BAD_VALUE = 2;

/** In an update, this error concerns stored data ($push to no array), elsewhere the query. */
export async function withUpdateFault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (getErrorNumber(error) !== BAD_VALUE) throw error;
    throw createFault('QRY_BAD_VALUE', {}, { cause: cleanCause(error) });
  }
}

export const isMongoRetryable = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'QRY_SERIALIZATION';

/** Reads only names of fields and operators of a validation error, never values. */
interface Violation {
  readonly path: readonly string[];
  readonly code: 'QRY_NOT_NULL' | 'QRY_BAD_VALUE' | 'QRY_CHECK';
}

type ErrorDetails = Readonly<Record<string, unknown>>;

const toRecords = (value: unknown): readonly ErrorDetails[] =>
  Array.isArray(value) ? value.filter((one): one is ErrorDetails => typeof one === 'object' && one !== null) : [];
const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
const getMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as ErrorDetails)[name] : undefined;

/** Other violations follow from a missing field. */
const ORDER = ['QRY_NOT_NULL', 'QRY_BAD_VALUE', 'QRY_CHECK'] as const;

/** Reads only names of fields and operators, never values. */
export function parseViolations(errInfo: unknown): Violation[] {
  const found = parseRules(getMember(getMember(errInfo, 'details'), 'schemaRulesNotSatisfied'), []);
  const first = new Map<string, Violation>();
  const sorted = found.sort((a, b) => ORDER.indexOf(a.code) - ORDER.indexOf(b.code));
  for (const one of sorted) {
    const key = JSON.stringify(one.path);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

function parseRules(rules: unknown, path: readonly string[]): Violation[] {
  return toRecords(rules).flatMap((rule): Violation[] => {
    switch (rule['operatorName']) {
      case 'required':
        return toTexts(rule['missingProperties']).map((name) => ({ path: [...path, name], code: 'QRY_NOT_NULL' }));
      case 'properties':
        return toRecords(rule['propertiesNotSatisfied']).flatMap((one) =>
          parseRules(one['details'], [...path, String(one['propertyName'])]),
        );
      case 'items':
        return parseRules(rule['details'], [...path, String(rule['itemIndex'])]);
      case 'bsonType':
        return [{ path, code: rule['consideredType'] === 'null' ? 'QRY_NOT_NULL' : 'QRY_BAD_VALUE' }];
      case 'multipleOf':
        return [{ path, code: 'QRY_BAD_VALUE' }];
      default:
        return [{ path, code: 'QRY_CHECK' }];
    }
  });
}
