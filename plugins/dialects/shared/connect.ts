/**
 * Why a database could not be opened, in fixed words: what a server or a driver says never goes into the message, for
 * it may repeat the address with its password.
 */
import { Fault, fault } from '../../../kernel/contract/fault.js';
import { NETWORK_REASONS } from '../../kinds/network-reasons.js';
import { isLost, isNetwork, sqlState } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'user name or password refused',
  '28000': 'login refused by the server',
  '3D000': 'the database does not exist',
  '53300': 'the server has too many connections',
  '57P03': 'the server is starting up or shutting down',
  '55000': 'the database takes no connections at the moment',
  ...NETWORK_REASONS,
};

/** What PgBouncer says to settings of a session that it was not told to ignore. */
const isPoolerRefusal = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

function reasonOf(error: unknown): string {
  if (isPoolerRefusal(error))
    return 'a pooler on the way refuses settings of the session (`ignore_startup_parameters`)';
  const code = sqlState(error);
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (known) return known;
  const message = error instanceof Error ? error.message : '';
  if (/timeout/i.test(message)) return 'no answer in time';
  if (/SSL|TLS/.test(message)) return 'the server does not offer an encrypted connection';
  if (/password must be a string|SASL/i.test(message)) return 'user name or password refused';
  return 'the connection failed';
}

/** An address that no driver should be asked to guess at. */
export const addressFault = (instance: string): Fault =>
  fault('QRY_CONNECT', { instance, reason: 'the address is not valid' });

/** Of those that refuse a session: full, starting, shutting down, or closed for a while. All others stay as they are. */
const PASSING = /^(?:08|53|57P|55000)/;

/** The server may be there later, and take the same address and the same password. */
function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return isLost(error) && (!/^[0-9A-Z]{5}$/.test(state) || isNetwork(state) || PASSING.test(state));
}

/** One clear Fault for an `open` that failed; `retryable` when the reason may pass by itself. */
export function connectFault(instance: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const passing = isPassing(error) && !isPoolerRefusal(error);
  return fault('QRY_CONNECT', { instance, reason: reasonOf(error) }, { cause: error, retryable: passing });
}
