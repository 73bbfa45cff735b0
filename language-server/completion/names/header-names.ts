/** Common headers with their purpose. Data only. */
import type { Name } from './name-source.js';

const toNames = (rows: Readonly<Record<string, string>>): readonly Name[] =>
  Object.entries(rows).map(([name, detail]) => ({ name, detail }));

export const REQUEST_HEADERS = toNames({
  authorization: 'credentials of the caller',
  'content-type': 'media type of the body',
  accept: 'media types of the answer that are wanted',
  'accept-language': 'languages that are wanted',
  'user-agent': 'program of the caller',
  'idempotency-key': 'the same for a request that is sent again',
  'x-api-key': 'key of the caller',
  'x-request-id': 'number by which a request is known',
  'x-tenant': 'whom the request is about',
  'x-forwarded-for': 'addresses of the client and the proxies',
  'x-signature': 'signature of the body',
  'if-none-match': 'version that the caller has',
  origin: 'page that calls',
  referer: 'page that the caller comes from',
  host: 'name that was called',
  traceparent: 'trace that the request belongs to',
});

export const ANSWER_HEADERS = toNames({
  'strict-transport-security': 'browsers come back by TLS only',
  'content-security-policy': 'what a page may load',
  'x-content-type-options': 'browsers do not guess media types',
  'x-frame-options': 'which pages may show it in a frame',
  'referrer-policy': 'what browsers tell the next page',
  'permissions-policy': 'what a page may use of the browser',
  'cache-control': 'which caches may store the response, and how long',
  'cross-origin-resource-policy': 'which pages may load the answer',
});
