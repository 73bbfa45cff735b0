/** Headers of a webhook sender, for the verifiers of a definition. Created with node:crypto only. */
import { createHmac, sign, type KeyObject } from 'node:crypto';
import { isObject, type Json } from '../../contract/json.js';
import { signJwt } from './tokens.js';

export const signHmac = (body: string | Buffer, key: string, algorithm = 'sha256'): string =>
  createHmac(algorithm, key).update(body).digest('hex');

export const signRsa = (body: string | Buffer, key: KeyObject): string =>
  sign('sha256', Buffer.from(body), key).toString('base64');

/** `webhook` of a definition; `env` contains its secrets, `target` is path and query string. */
export async function createSignedHeaders(
  webhook: Json | undefined,
  body: string,
  env: Readonly<Record<string, string>>,
  sender: KeyObject,
  target = '/',
): Promise<Record<string, string>> {
  const verifications = isObject(webhook) && isObject(webhook['verifications']) ? webhook['verifications'] : {};
  const headers: Record<string, string> = {};
  for (const [name, options] of Object.entries(verifications)) {
    if (!isObject(options)) continue;
    const text = (field: string): string => (typeof options[field] === 'string' ? options[field] : '');
    const header = (text('header_key') || text('sig_header')).replace('$HEADER.', '');
    const secret = env[text('secret_key').replace('$ENV.', '')] ?? '';
    const algorithm = text('algorithm');
    const signed = text('path') === 'signed' ? `${target}\n${body}` : body;
    if (name === 'HmacSignatureVerifier') headers[header] = signHmac(signed, secret, algorithm || 'sha256');
    if (name === 'HeaderTokenVerifier') headers[header] = secret;
    if (name === 'PublicKeySignatureVerifier') headers[header] = signRsa(signed, sender);
    if (name === 'JwtVerifier') {
      const claims = { iss: options['issuer'], aud: options['audience'] };
      headers[header] = `Bearer ${await signJwt(claims, secret, algorithm || 'HS256')}`;
    }
  }
  return headers;
}
