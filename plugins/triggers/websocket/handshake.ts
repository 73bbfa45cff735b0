/** Validates a WebSocket handshake (RFC 6455), its origin, sub-protocols and connection limits. No connection exists yet. */
import { createFault, type Fault } from '../../../contract/fault.js';
import type { UpgradeRequest } from '../../../contract/trigger.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';

export type HandshakeRequest = Pick<UpgradeRequest, 'method' | 'remote' | 'header' | 'sender'>;

export interface HandshakeInput {
  readonly limits: Pick<WebSocketConfig['limits'], 'connections' | 'per_address'>;
  readonly closing: () => boolean;
  readonly count: () => number;
  readonly countConnections: (remote: string) => number;
}

/** Returns null for a valid handshake. */
export type HandshakeCheck = (request: HandshakeRequest) => Fault | null;

const RETRY = { headers: { 'retry-after': '1' }, retryable: true };
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export function createHandshakeCheck({ limits, closing, count, countConnections }: HandshakeInput): HandshakeCheck {
  return ({ method, remote, header, sender }) => {
    const [key = '', version = '', upgrade = ''] = ['sec-websocket-key', 'sec-websocket-version', 'upgrade'].map(
      (name) => header(name).join(),
    );
    if (method !== 'GET' || upgrade.toLowerCase() !== 'websocket')
      return createFault('WS_UPGRADE', {}, { headers: { upgrade: 'websocket' } });
    if (version !== '13') return createHandshakeFault('its version is not 13', { 'sec-websocket-version': '13' });
    if (!KEY.test(key)) return createHandshakeFault('`sec-websocket-key` is not 16 bytes in base64');
    if (sender === 'foreign') return createFault('WS_ORIGIN');
    const flaw = findProtocolFlaw(listProtocols(header));
    if (flaw !== null) return createHandshakeFault(flaw);
    if (closing()) return createFault('WS_CLOSING', {}, RETRY);
    const { connections, per_address: most } = limits;
    if (count() >= connections) return createFault('WS_FULL', {}, RETRY);
    return countConnections(remote) >= most ? createFault('WS_ADDRESS_FULL', { max: most }, RETRY) : null;
  };
}

const createHandshakeFault = (what: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  createFault('WS_HANDSHAKE', { what }, { headers });

export const listProtocols = (header: HandshakeRequest['header']): readonly string[] =>
  header('sec-websocket-protocol').flatMap((line) => line.split(',').map((name) => name.trim()));

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Tokens do not match, because they contain dots. */
const HEADER_LIKE = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** The response echoes the first entry, so it must not be a token. */
function findProtocolFlaw(offered: readonly string[]): string | null {
  if (offered.length === 0) return null;
  if (!offered.every((name) => TOKEN.test(name)) || new Set(offered).size !== offered.length)
    return 'the list of sub-protocols is not valid';
  if (offered.length < 2 || !HEADER_LIKE.test(offered[0] ?? ''))
    return 'the sub-protocols have to be the name of a header, then the token';
  return null;
}
