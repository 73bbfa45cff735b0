/**
 * What is judged before a connection is taken: that WebSocket is asked for, from which page, with which sub-protocols. Who
 * is refused here gets an answer of HTTP; nothing of a connection exists yet.
 */
import { fault, type Fault } from '../contract/fault.js';
import type { HttpConfig } from '../analysis/config.js';
import { senderJudge } from '../http/senders.js';
import type { WebSocketConfig } from '../analysis/config-websocket.js';

/** A request to connect, wherever its parts are read from. */
export interface Asked {
  readonly method: string;
  /** Address of the client. */
  readonly remote: string;
  /** The values of a header (lower-case name). */
  readonly header: (name: string) => readonly string[];
}

export interface HandshakeInput {
  readonly websocket: WebSocketConfig;
  readonly http: Pick<HttpConfig, 'allowed_origins'>;
  readonly closing: () => boolean;
  readonly count: () => number;
  /** Connections of the network of an address. */
  readonly countOf: (remote: string) => number;
}

/** Null: it may connect. */
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

/** The sub-protocols in the order of the client. */
export const offeredBy = (header: Asked['header']): readonly string[] =>
  header('sec-websocket-protocol').flatMap((line) => line.split(',').map((name) => name.trim()));

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** No token of ours looks like this: they have dots. */
const HEADER_LIKE = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** The first one is said to the client again, so it must not be a token. */
function protocolFlaw(offered: readonly string[]): string | null {
  if (offered.length === 0) return null;
  if (!offered.every((name) => TOKEN.test(name)) || new Set(offered).size !== offered.length)
    return 'the list of sub-protocols is not valid';
  if (offered.length < 2 || !HEADER_LIKE.test(offered[0] ?? ''))
    return 'the sub-protocols have to be the name of a header, then the token';
  return null;
}
