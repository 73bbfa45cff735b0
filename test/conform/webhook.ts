/**
 * `hmac.verify`, `rsa.verify`: a signature header against the bytes of a body. `ip.allowed`: `list` (text), `peer` (address of the
 * connection), `forwarded` (values of `X-Forwarded-For`, one text or a list), `hops` (how many proxies are trusted).
 */
import { resolveClientAddress } from '../../kernel/http/invocation.js';
import { ALGORITHMS } from '../../plugins/verifiers/hmac-signature/algorithms.light.js';
import { createHmacCheck, createSignatureReader } from '../../plugins/verifiers/hmac-signature/runtime.js';
import { compileAddressList } from '../../plugins/verifiers/ip-allow-list/runtime.js';
import { isSignedBy, parseRsaKey, parseSignature } from '../../plugins/verifiers/public-key-signature/runtime.js';
import { readHexInput, readTextInput, type Ops, type Outcome } from './ops.js';

type Input = Readonly<Record<string, unknown>>;

function verifyHmac(input: Input): Outcome {
  const algorithm = ALGORITHMS.find((known) => known === readTextInput(input, 'alg'));
  const key = readHexInput(input, 'key');
  if (algorithm === undefined) return { ok: false, error: 'UNSUPPORTED' };
  // The product reads keys as text, and rejects an empty one at load.
  if (key.length === 0) return { ok: false, error: 'WHK_SETTING' };
  const signature = createSignatureReader(algorithm)(readTextInput(input, 'header'));
  if (signature === null) return { ok: false, error: 'WHK_REFUSED' };
  return toOutcome(createHmacCheck(algorithm, key)(readHexInput(input, 'msg'), signature));
}

function verifyRsa(input: Input): Outcome {
  const key = parseRsaKey(readTextInput(input, 'pem'));
  if (typeof key === 'string') return { ok: false, error: 'WHK_SETTING' };
  const signature = parseSignature(readTextInput(input, 'header'), key);
  return signature === null
    ? { ok: false, error: 'WHK_REFUSED' }
    : toOutcome(isSignedBy(key, readHexInput(input, 'msg'), signature));
}

function checkAddress(input: Input): Outcome {
  const isAllowed = compileAddressList(readTextInput(input, 'list'));
  if (typeof isAllowed === 'string') return { ok: false, error: 'WHK_SETTING' };
  const { forwarded } = input;
  const values = Array.isArray(forwarded) ? forwarded.map(String) : typeof forwarded === 'string' ? [forwarded] : [];
  const hops = typeof input['hops'] === 'number' ? input['hops'] : 0;
  return toOutcome(isAllowed(resolveClientAddress(readTextInput(input, 'peer'), values, hops)));
}

const toOutcome = (ok: boolean): Outcome => (ok ? { ok } : { ok, error: 'WHK_REFUSED' });

export const ops: Ops = { 'hmac.verify': verifyHmac, 'rsa.verify': verifyRsa, 'ip.allowed': checkAddress };
