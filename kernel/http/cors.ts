/** Answers preflight requests and adds CORS headers to other responses. */
import type { IncomingMessage } from 'node:http';

export interface Cors {
  /** The same object for equal requests. */
  getHeaders(req: IncomingMessage): Readonly<Record<string, string>>;
  /** Null for any other request. */
  handlePreflight(req: IncomingMessage): Readonly<Record<string, string>> | null;
}

const EXPOSED = 'x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, server-timing';
/** Seconds for which a browser caches the preflight. */
const MAX_AGE = '600';
const NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~ ,-]{1,1024}$/;

/** Null where no origin is allowed; browsers then block cross-origin calls. */
export function createCors(origins: readonly string[], methods: readonly string[]): Cors | null {
  if (origins.length === 0) return null;
  const all = origins.includes('*');
  const createOriginHeaders = (allowed: string) =>
    Object.freeze({
      'access-control-allow-origin': allowed,
      'access-control-expose-headers': EXPOSED,
      ...(!all && { vary: 'origin' }),
    });
  // Browsers send origins without the default port.
  const sent = all ? [] : origins.map((origin) => new URL(origin).origin);
  const known = new Map(sent.map((origin) => [origin, createOriginHeaders(origin)]));
  const everyone = createOriginHeaders('*');
  const foreign = Object.freeze({ vary: 'origin' });
  const getHeaders: Cors['getHeaders'] = ({ headers: { origin } }) => {
    // Sent to all clients, because a cache may reuse the response for a page.
    if (all) return everyone;
    return (origin === undefined ? undefined : known.get(origin)) ?? foreign;
  };
  return {
    getHeaders,
    handlePreflight(req) {
      if (req.method !== 'OPTIONS' || req.headers.origin === undefined) return null;
      if (req.headers['access-control-request-method'] === undefined) return null;
      const found = getHeaders(req);
      if (found['access-control-allow-origin'] === undefined) return found;
      const requested = req.headers['access-control-request-headers'];
      return {
        ...found,
        'access-control-allow-methods': methods.join(', '),
        ...(requested !== undefined && NAMES.test(requested) && { 'access-control-allow-headers': requested }),
        'access-control-max-age': MAX_AGE,
      };
    },
  };
}
