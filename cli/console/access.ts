/** Requests may read the console with its token or the cookie of a session, from its own page. */
import { createFault } from '../../contract/fault.js';
import type { RouteReply, RouteRequest } from '../../contract/route.js';
import { isLocalName, parseHostName } from '../../language/strings/host-name.js';
import { createToken, isSameText } from '../loopback-address.js';

export interface ConsoleAccess {
  /** Throws a Fault for a host or an origin that may not ask. */
  checkOrigin(request: RouteRequest): void;
  /** Throws a Fault without a session, too. */
  admitRequest(request: RouteRequest): void;
  /** The reply that begins a session; null for a wrong token. `after`: the next page. */
  beginSession(request: RouteRequest, token: string, after: string | null): RouteReply | null;
}

/** Sent with each call of the page. Pages of other origins cannot send it without permission. */
export const CALL_HEADER = 'x-lintel-console';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

export const isLoopbackName = (name: string): boolean => isLocalName(name) || LOOPBACK.test(name);

/** `isLocal`: only this machine, as in `lintel dev`. */
export function createAccess(token: string, isLocal: boolean): ConsoleAccess {
  // The address with the token stays in histories; the cookie is worth nothing after a restart.
  const session = createToken();

  const readOnly = (request: RouteRequest, name: string): string => {
    const [value = '', ...more] = request.header(name);
    return more.length === 0 ? value : '';
  };
  /** Cookies do not know ports, so that of another server on this machine has another name. */
  const getCookieName = (request: RouteRequest): string =>
    `lintel_console_${/:(\d+)$/.exec(readOnly(request, 'host'))?.[1] ?? '0'}`;

  function checkOrigin(request: RouteRequest): void {
    const isOwnHost = isLoopbackName(parseHostName(readOnly(request, 'host')));
    const isForwarded = request.header('x-forwarded-for').length > 0;
    if (isLocal && (!isOwnHost || isForwarded || !LOOPBACK.test(request.remote))) throw createFault('REQ_HOST');
    const site = readOnly(request, 'sec-fetch-site');
    const origin = readOnly(request, 'origin');
    const isOwn = origin === '' || (URL.canParse(origin) && new URL(origin).host === readOnly(request, 'host'));
    if (!isOwn || site === 'cross-site' || site === 'same-site') throw createFault('REQ_CROSS_SITE');
  }

  function hasSession(request: RouteRequest): boolean {
    const name = getCookieName(request);
    const pairs = request.header('cookie').flatMap((line) => line.split(/; */));
    return pairs.some((pair) => pair.startsWith(`${name}=`) && isSameText(pair.slice(name.length + 1), session));
  }

  return {
    checkOrigin,
    admitRequest(request) {
      checkOrigin(request);
      const sent = /^bearer +(\S+)$/i.exec(readOnly(request, 'authorization'))?.[1];
      if (sent !== undefined && isSameText(sent, token)) return;
      if (!hasSession(request)) throw createFault('OBS_CONSOLE', {}, { headers: { 'www-authenticate': 'Bearer' } });
      if (request.method !== 'GET' && request.method !== 'HEAD' && readOnly(request, CALL_HEADER) === '')
        throw createFault('REQ_CROSS_SITE');
    },
    beginSession(request, sent, after) {
      if (!isSameText(sent, token)) return null;
      const isPlain = isLoopbackName(parseHostName(readOnly(request, 'host')));
      const cookie = `${getCookieName(request)}=${session}; Path=/console; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
      const headers = { 'set-cookie': cookie, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
      return after === null
        ? { status: 204, headers, body: null }
        : { status: 303, headers: { ...headers, location: after }, body: null };
    },
  };
}
