/**
 * The conformance operations of ciphers, encodings and encrypted fields, through the plugins' own code. `aead.*` is the bare
 * algorithm, `field.*` the stored form of a value.
 */
import { createFieldCipher, NOT_OPENED, type FieldCipher } from '../../plugins/features/ciphers/field.js';
import { decodeBytes as bytesOfText } from '../../plugins/features/ciphers/entry.js';
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
import { readHexInput, readTextInput, type Ops, type Outcome } from './ops.js';

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

function requireEntry<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new RangeError(`there is no ${name}`);
  return found;
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const toOpenOutcome = (bytes: Uint8Array | null): Outcome =>
  bytes === null ? { ok: false, error: 'refused' } : { ok: true, out: toHex(bytes) };

/** An exception is a rejection too: the caller returns it as one. */
const importKey = (input: Input) => requireEntry(CIPHERS, readTextInput(input, 'alg')).key(readHexInput(input, 'key'));

/** Hexadecimal digits, or text as a definition writes it. */
function readHexOrText(input: Input, name: string): Buffer {
  const text = typeof input[name] === 'string' ? input[name] : '';
  return /^(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : bytesOfText(text);
}

function createField(input: Input): { readonly field: FieldCipher; readonly bound: Uint8Array } {
  const algorithm = readTextInput(input, 'alg');
  const field = createFieldCipher({
    algorithm,
    cipher: requireEntry(CIPHERS, algorithm),
    encoding: requireEntry(ENCODINGS, typeof input['encoding'] === 'string' ? input['encoding'] : 'Base64'),
    key: readHexOrText(input, 'key'),
    nonce: null,
  });
  return { field, bound: field.bindAad(readHexOrText(input, 'aad')) };
}

export const ops: Ops = {
  'aead.seal': (input) =>
    toOpenOutcome(
      importKey(input).seal(readHexInput(input, 'nonce'), readHexInput(input, 'data'), readHexInput(input, 'aad')),
    ),
  'aead.open': (input) =>
    toOpenOutcome(
      importKey(input).open(readHexInput(input, 'nonce'), readHexInput(input, 'data'), readHexInput(input, 'aad')),
    ),
  'codec.encode': (input) => ({
    ok: true,
    out: requireEntry(ENCODINGS, readTextInput(input, 'encoding')).encode(readHexInput(input, 'hex')),
  }),
  'codec.decode': (input) =>
    toOpenOutcome(requireEntry(ENCODINGS, readTextInput(input, 'encoding')).decode(readTextInput(input, 'text'))),
  'field.encrypt': (input) => {
    const { field, bound } = createField(input);
    return { ok: true, out: field.seal(input['value'] ?? null, bound) };
  },
  'field.decrypt': (input) => {
    const { field, bound } = createField(input);
    const out = field.open(input['value'] ?? input['text'] ?? input['data'], bound);
    return out === NOT_OPENED ? { ok: false, error: 'CPH_OPEN' } : { ok: true, out };
  },
};
