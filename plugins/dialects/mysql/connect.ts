/** Reports why a database could not be opened, in fixed texts: server messages may contain the password. */
import { Fault, createFault } from '../../../contract/fault.js';
import { NETWORK_REASONS } from '../../shared/network-reasons.light.js';
import { getErrorCode, getErrno, isMysqlConnectionLost } from './errors.js';

const REASONS: Readonly<Record<number, string>> = {
  1040: 'the server has too many connections',
  1044: 'login refused by the server',
  1045: 'user name or password refused',
  1049: 'the database does not exist',
  1053: 'the server is starting up or shutting down',
  1698: 'user name or password refused',
};

function describeConnectError(error: unknown): string {
  const known = REASONS[getErrno(error)];
  if (known !== undefined) return known;
  const name = getErrorCode(error);
  if (Object.hasOwn(NETWORK_REASONS, name)) return NETWORK_REASONS[name] ?? '';
  if (name === 'HANDSHAKE_NO_SSL_SUPPORT') return 'the server does not offer an encrypted connection';
  return /timeout/i.test(name) ? 'no answer in time' : 'the connection failed';
}

export const createMysqlAddressFault = (instance: string): Fault =>
  createFault('QRY_CONNECT', { instance, reason: 'the address is not valid' });

/** `retryable` when the reason may be temporary. */
export function createMysqlConnectFault(instance: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const passing = isMysqlConnectionLost(error) || /^(?:1040|1053)$/.test(String(getErrno(error)));
  const fatal = /^(?:1044|1045|1049|1698)$/.test(String(getErrno(error)));
  return createFault(
    'QRY_CONNECT',
    { instance, reason: describeConnectError(error) },
    { cause: error, retryable: passing && !fatal },
  );
}
