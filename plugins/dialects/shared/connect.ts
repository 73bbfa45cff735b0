/** Reports why a database could not be opened, in fixed texts: messages of servers and drivers may contain the password. */
import { Fault, createFault } from '../../../contract/fault.js';
import { NETWORK_REASONS } from '../../shared/network-reasons.light.js';
import { isPostgresConnectionLost, isNetwork, getSqlState } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'user name or password refused',
  '28000': 'login refused by the server',
  '3D000': 'the database does not exist',
  '53300': 'the server has too many connections',
  '57P03': 'the server is starting up or shutting down',
  '55000': 'the database takes no connections at the moment',
  ...NETWORK_REASONS,
};

/** PgBouncer rejects session settings that it is not configured to ignore. */
const isPoolerRefusal = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

function describeConnectError(error: unknown): string {
  if (isPoolerRefusal(error))
    return 'a pooler on the way refuses settings of the session (`ignore_startup_parameters`)';
  const code = getSqlState(error);
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (known) return known;
  const message = error instanceof Error ? error.message : '';
  if (/timeout/i.test(message)) return 'no answer in time';
  if (/SSL|TLS/.test(message)) return 'the server does not offer an encrypted connection';
  if (/password must be a string|SASL/i.test(message)) return 'user name or password refused';
  return 'the connection failed';
}

/** For an address that must not reach the driver. */
export const createAddressFault = (instance: string): Fault =>
  createFault('QRY_CONNECT', { instance, reason: 'the address is not valid' });

/** The server rejects sessions temporarily: full, starting, shutting down, or closed. */
const PASSING = /^(?:08|53|57P|55000)/;

function isPassing(error: unknown): boolean {
  const state = getSqlState(error);
  return isPostgresConnectionLost(error) && (!/^[0-9A-Z]{5}$/.test(state) || isNetwork(state) || PASSING.test(state));
}

/** `retryable` when the reason may be temporary. */
export function createConnectFault(instance: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const passing = isPassing(error) && !isPoolerRefusal(error);
  return createFault(
    'QRY_CONNECT',
    { instance, reason: describeConnectError(error) },
    { cause: error, retryable: passing },
  );
}
