/** Reports why a database could not be opened, in fixed texts: server messages may contain the password. */
import { Fault, fault } from '../../../contract/fault.js';
import { NETWORK_REASONS } from '../../shared/network-reasons.light.js';
import { errorName, errorNumber, isLost } from './errors.js';

const REASONS: Readonly<Record<number, string>> = {
  1040: 'the server has too many connections',
  1044: 'login refused by the server',
  1045: 'user name or password refused',
  1049: 'the database does not exist',
  1053: 'the server is starting up or shutting down',
  1698: 'user name or password refused',
};

function reasonOf(error: unknown): string {
  const known = REASONS[errorNumber(error)];
  if (known !== undefined) return known;
  const name = errorName(error);
  if (Object.hasOwn(NETWORK_REASONS, name)) return NETWORK_REASONS[name] ?? '';
  if (name === 'HANDSHAKE_NO_SSL_SUPPORT') return 'the server does not offer an encrypted connection';
  return /timeout/i.test(name) ? 'no answer in time' : 'the connection failed';
}

export const addressFault = (instance: string): Fault =>
  fault('QRY_CONNECT', { instance, reason: 'the address is not valid' });

/** `retryable` when the reason may be temporary. */
export function connectFault(instance: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const passing = isLost(error) || /^(?:1040|1053)$/.test(String(errorNumber(error)));
  const fatal = /^(?:1044|1045|1049|1698)$/.test(String(errorNumber(error)));
  return fault('QRY_CONNECT', { instance, reason: reasonOf(error) }, { cause: error, retryable: passing && !fatal });
}
