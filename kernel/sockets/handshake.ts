/** Validates a WebSocket handshake (RFC 6455), its origin, sub-protocols and connection limits. No connection exists yet. */
import { fault, type Fault } from '../../contract/fault.js';
import type { HttpConfig } from '../../language/analysis/config.js';
import { senderJudge } from '../http/senders.js';
import type { WebSocketConfig } from '../../language/analysis/config-websocket.js';

export interface Asked {
  readonly method: string;
  readonly remote: string;
  /** Lower-case names; one value for each occurrence. */
  readonly header: (name: string) => readonly string[];
}

export interface HandshakeInput {
  readonly websocket: WebSocketConfig;
  readonly http: Pick<HttpConfig, 'allowed_origins'>;
  readonly closing: () => boolean;
  readonly count: () => number;
  readonly countOf: (remote: string) => number;
}

/** Returns null for a valid handshake. */
export type Judge = (asked: Asked) => Fault | null;

const RETRY = { headers: { 'retry-after': '1' }, retryable: true };
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export function handshakeJudge({ websocket, http, closing, count, countOf }: HandshakeInput): Judge {
  const senderOf = senderJudge(http.allowed_origins);
  return ({ method, remote, header }) => {
    const [key = '', version = '', upgrade = ''] = ['sec-websocket-key', 'sec-websocket-version', 'upgrade'].map(
      (name) => header(name).join(),
    );
    if (method !== 'GET' || upgrade.toLowerCase() !== 'websocket')
      return fault('WS_UPGRADE', {}, { headers: { upgrade: 'websocket' } });
    if (version !== '13') return broken('its version is not 13', { 'sec-websocket-version': '13' });
    if (!KEY.test(key)) return broken('`sec-websocket-key` is not 16 bytes in base64');
    if (senderOf(header) === 'foreign') return fault('WS_ORIGIN');
    const flaw = protocolFlaw(offeredBy(header));
    if (flaw !== null) return broken(flaw);
    if (closing()) return fault('WS_CLOSING', {}, RETRY);
    const { connections, per_address: most } = websocket.limits;
    if (count() >= connections) return fault('WS_FULL', {}, RETRY);
    return countOf(remote) >= most ? fault('WS_ADDRESS_FULL', { max: most }, RETRY) : null;
  };
}

const broken = (what: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  fault('WS_HANDSHAKE', { what }, { headers });

export const offeredBy = (header: Asked['header']): readonly string[] =>
  header('sec-websocket-protocol').flatMap((line) => line.split(',').map((name) => name.trim()));

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Tokens do not match, because they contain dots. */
const HEADER_LIKE = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** The response echoes the first entry, so it must not be a token. */
function protocolFlaw(offered: readonly string[]): string | null {
  if (offered.length === 0) return null;
  if (!offered.every((name) => TOKEN.test(name)) || new Set(offered).size !== offered.length)
    return 'the list of sub-protocols is not valid';
  if (offered.length < 2 || !HEADER_LIKE.test(offered[0] ?? ''))
    return 'the sub-protocols have to be the name of a header, then the token';
  return null;
}
