/**
 * The other service of the sample's `connect` resources, on this machine: a token endpoint that accepts a form, and one
 * that returns the owner of a token. The result of each code is defined here, nothing is asserted.
 */
import { createJsonBehaviour, startUpstream, type Behaviour, type Upstream } from './upstream.js';

export const ACCESS_TOKEN = 'canary-access-token-9f8e7d6c5b4a';

/** Each code of a callback, and the response of the token endpoint. */
const CODES: Readonly<Record<string, Behaviour>> = {
  good: createJsonBehaviour({ access_token: ACCESS_TOKEN, token_type: 'bearer', expires_in: 3600 }),
  again: createJsonBehaviour({ access_token: `${ACCESS_TOKEN}-2`, token_type: 'bearer' }),
  denied: createJsonBehaviour({ error: 'invalid_grant', error_description: 'canary of the provider' }, 400),
  empty: createJsonBehaviour({ error: 'bad_verification_code' }),
  broken: (_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{"access_'),
};

export interface Provider {
  readonly upstream: Upstream;
  /** For the environment and the config of a kernel. */
  readonly env: Readonly<Record<string, string>>;
  readonly outbound: { readonly allow: readonly string[] };
}

export async function startProvider(): Promise<Provider> {
  const upstream = await startUpstream((req, res, asked) => {
    if (asked.url === '/token') {
      const code = new URLSearchParams(asked.body).get('code') ?? '';
      const behave = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
      return (behave ?? createJsonBehaviour({ error: 'invalid_grant' }, 400))(req, res, asked);
    }
    const token = (asked.headers.authorization ?? '').replace('Bearer ', '');
    const known = token.startsWith(ACCESS_TOKEN);
    return (
      known
        ? createJsonBehaviour({ id: 'p-1', name: 'Ada there', email: 'unasked@example.com' })
        : createJsonBehaviour({}, 401)
    )(req, res, asked);
  });
  return {
    upstream,
    env: {
      OAUTH_AUTHORIZE_URL: `${upstream.url}/authorize`,
      OAUTH_TOKEN_URL: `${upstream.url}/token`,
      OAUTH_ACCOUNT_URL: `${upstream.url}/me`,
    },
    outbound: { allow: [`127.0.0.1:${upstream.port}`] },
  };
}
