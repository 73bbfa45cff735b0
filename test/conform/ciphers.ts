/**
 * The conformance operations of ciphers, encodings and encrypted fields, through the plugins' own code. `aead.*` is the bare
 * algorithm, `field.*` the stored form of a value.
 */
import { fieldCipher, NOT_OPENED, type FieldCipher } from '../../plugins/features/ciphers/field.js';
import { bytesOf as bytesOfText } from '../../plugins/features/ciphers/bytes.js';
import { aes256Gcm } from '../../plugins/ciphers/aes-256-gcm/runtime.js';
import { ascon128a } from '../../plugins/ciphers/ascon-128a/runtime.js';
import { chacha20Poly1305 } from '../../plugins/ciphers/chacha20-poly1305/runtime.js';
import { xchacha20Poly1305 } from '../../plugins/ciphers/xchacha20-poly1305/runtime.js';
import { xsalsa20Poly1305 } from '../../plugins/ciphers/xsalsa20-poly1305/runtime.js';
import { base32 } from '../../plugins/encodings/base32/runtime.js';
import { base58 } from '../../plugins/encodings/base58/runtime.js';
import { base64 } from '../../plugins/encodings/base64/runtime.js';
import { base64Url } from '../../plugins/encodings/base64url/runtime.js';
import { hex } from '../../plugins/encodings/hex/runtime.js';
import type { Cipher } from '../../plugins/ciphers/kind.js';
import type { Encoding } from '../../plugins/encodings/kind.js';
import { bytesOf, textOf, type Ops, type Outcome } from './ops.js';

type Input = Parameters<Ops[string]>[0];

export const CIPHERS: Readonly<Record<string, Cipher>> = {
  Aes256Gcm: aes256Gcm,
  ChaCha20Poly1305: chacha20Poly1305,
  XChaCha20Poly1305: xchacha20Poly1305,
  XSalsa20Poly1305: xsalsa20Poly1305,
  Ascon128a: ascon128a,
};
export const ENCODINGS: Readonly<Record<string, Encoding>> = {
  Base64: base64,
  Base64Url: base64Url,
  Hex: hex,
  Base32: base32,
  Base58: base58,
};

function chosen<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new RangeError(`there is no ${name}`);
  return found;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const opened = (bytes: Uint8Array | null): Outcome =>
  bytes === null ? { ok: false, error: 'refused' } : { ok: true, out: hexOf(bytes) };

/** What throws is a refusal too: the caller gives it as one. */
const keyFor = (input: Input) => chosen(CIPHERS, textOf(input, 'alg')).key(bytesOf(input, 'key'));

/** Hexadecimal digits, or text as a definition writes it. */
function loosely(input: Input, name: string): Buffer {
  const text = typeof input[name] === 'string' ? input[name] : '';
  return /^(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : bytesOfText(text);
}

function fieldOf(input: Input): { readonly field: FieldCipher; readonly bound: Uint8Array } {
  const algorithm = textOf(input, 'alg');
  const field = fieldCipher({
    algorithm,
    cipher: chosen(CIPHERS, algorithm),
    encoding: chosen(ENCODINGS, typeof input['encoding'] === 'string' ? input['encoding'] : 'Base64'),
    key: loosely(input, 'key'),
    nonce: null,
  });
  return { field, bound: field.bound(loosely(input, 'aad')) };
}

export const ops: Ops = {
  'aead.seal': (input) =>
    opened(keyFor(input).seal(bytesOf(input, 'nonce'), bytesOf(input, 'data'), bytesOf(input, 'aad'))),
  'aead.open': (input) =>
    opened(keyFor(input).open(bytesOf(input, 'nonce'), bytesOf(input, 'data'), bytesOf(input, 'aad'))),
  'codec.encode': (input) => ({
    ok: true,
    out: chosen(ENCODINGS, textOf(input, 'encoding')).encode(bytesOf(input, 'hex')),
  }),
  'codec.decode': (input) => opened(chosen(ENCODINGS, textOf(input, 'encoding')).decode(textOf(input, 'text'))),
  'field.encrypt': (input) => {
    const { field, bound } = fieldOf(input);
    return { ok: true, out: field.seal(input['value'] ?? null, bound) };
  },
  'field.decrypt': (input) => {
    const { field, bound } = fieldOf(input);
    const out = field.open(input['value'] ?? input['text'] ?? input['data'], bound);
    return out === NOT_OPENED ? { ok: false, error: 'CPH_OPEN' } : { ok: true, out };
  },
};
