/**
 * `hmac.verify`, `rsa.verify`: a signature header against the bytes of a body. `ip.allowed`: `list` (text), `peer` (address of the
 * connection), `forwarded` (values of `X-Forwarded-For`, one text or a list), `hops` (how many proxies are trusted).
 */
import { createSecretKey } from 'node:crypto';
import { clientAddress } from '../../kernel/http/invocation.js';
import { ALGORITHMS } from '../../plugins/verifiers/hmac-signature/algorithms.light.js';
import { isSigned, signatureReader } from '../../plugins/verifiers/hmac-signature/hmac.js';
import { addressList } from '../../plugins/verifiers/ip-allow-list/allowed.js';
import { isSignedBy, rsaKey, signatureOf } from '../../plugins/verifiers/public-key-signature/rsa.js';
import { bytesOf, textOf, type Ops, type Outcome } from './ops.js';

type Input = Readonly<Record<string, unknown>>;

function hmac(input: Input): Outcome {
  const algorithm = ALGORITHMS.find((known) => known === textOf(input, 'alg'));
  const key = bytesOf(input, 'key');
  if (algorithm === undefined) return { ok: false, error: 'UNSUPPORTED' };
  // The product reads keys as text, and refuses an empty one at load.
  if (key.length === 0) return { ok: false, error: 'WHK_SETTING' };
  const signature = signatureReader(algorithm)(textOf(input, 'header'));
  if (signature === null) return { ok: false, error: 'WHK_REFUSED' };
  return verdict(isSigned(algorithm, createSecretKey(key), bytesOf(input, 'msg'), signature));
}

function rsa(input: Input): Outcome {
  const key = rsaKey(textOf(input, 'pem'));
  if (typeof key === 'string') return { ok: false, error: 'WHK_SETTING' };
  const signature = signatureOf(textOf(input, 'header'), key);
  return signature === null
    ? { ok: false, error: 'WHK_REFUSED' }
    : verdict(isSignedBy(key, bytesOf(input, 'msg'), signature));
}

function allowed(input: Input): Outcome {
  const isAllowed = addressList(textOf(input, 'list'));
  if (typeof isAllowed === 'string') return { ok: false, error: 'WHK_SETTING' };
  const { forwarded } = input;
  const values = Array.isArray(forwarded) ? forwarded.map(String) : typeof forwarded === 'string' ? [forwarded] : [];
  const hops = typeof input['hops'] === 'number' ? input['hops'] : 0;
  return verdict(isAllowed(clientAddress(textOf(input, 'peer'), values, hops)));
}

const verdict = (ok: boolean): Outcome => (ok ? { ok } : { ok, error: 'WHK_REFUSED' });

export const ops: Ops = { 'hmac.verify': hmac, 'rsa.verify': rsa, 'ip.allowed': allowed };
