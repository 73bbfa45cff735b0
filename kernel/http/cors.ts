/**
 * Which pages of other origins may call from a browser: the answer to a preflight, and the headers on every other answer.
 * Origins come from the config alone; none is allowed by default.
 */
import type { IncomingMessage } from 'node:http';

export interface Cors {
  /** Headers for the answer to this request; the same object for equal requests. */
  headers(req: IncomingMessage): Readonly<Record<string, string>>;
  /** Headers for the answer to a preflight, or null when this is none. */
  preflight(req: IncomingMessage): Readonly<Record<string, string>> | null;
}

const EXPOSED = 'x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, server-timing';
/** Seconds for which a browser need not ask again. */
const MAX_AGE = '600';
const NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~ ,-]{1,1024}$/;

const asSent = (origin: string): string => new URL(origin).origin;

/** Null where no origin is allowed: browsers then refuse by themselves. */
export function createCors(origins: readonly string[], methods: readonly string[]): Cors | null {
  if (origins.length === 0) return null;
  const all = origins.includes('*');
  const granted = (allowed: string) =>
    Object.freeze({
      'access-control-allow-origin': allowed,
      'access-control-expose-headers': EXPOSED,
      ...(!all && { vary: 'origin' }),
    });
  // `:443` behind `https:` is right, and browsers leave it out.
  const known = new Map(all ? [] : origins.map(asSent).map((origin) => [origin, granted(origin)]));
  const everyone = granted('*');
  const stranger = Object.freeze({ vary: 'origin' });
  const headers: Cors['headers'] = ({ headers: { origin } }) => {
    // Said to everybody: a cache may give to a page what it kept for a program.
    if (all) return everyone;
    return (origin === undefined ? undefined : known.get(origin)) ?? stranger;
  };
  return {
    headers,
    preflight(req) {
      if (req.method !== 'OPTIONS' || req.headers.origin === undefined) return null;
      if (req.headers['access-control-request-method'] === undefined) return null;
      const found = headers(req);
      if (found['access-control-allow-origin'] === undefined) return found;
      const asked = req.headers['access-control-request-headers'];
      return {
        ...found,
        'access-control-allow-methods': methods.join(', '),
        ...(asked !== undefined && NAMES.test(asked) && { 'access-control-allow-headers': asked }),
        'access-control-max-age': MAX_AGE,
      };
    },
  };
}
