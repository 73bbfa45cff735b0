/** Compiles one entry of `ciphers`: prepares the key, validates sizes and reads additional data. */
import { BootError } from '../../../contract/boot-error.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Kind } from '../../../contract/kind.js';
import type { PlanTools, Reader } from '../../../contract/plan.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { splitPath } from '../../../language/strings/path.js';
import { cipher } from '../../ciphers/kind.js';
import { encoding } from '../../encodings/kind.js';
import { findBytesFlaw, findCipherKeyFlaw, HEX, BASE64 } from './bytes.light.js';
import { DEFAULT_ENCODING } from './settings.light.js';
import { createFieldCipher, type FieldCipher } from './field.js';

export interface Entry {
  readonly encrypts: boolean;
  readonly paths: readonly (readonly string[])[];
  readonly field: FieldCipher;
  /** The additional data of this request. */
  readonly bound: Reader<Uint8Array>;
  /** The additional data; null if it depends on the request. */
  readonly constant: Uint8Array | null;
}

type Resolve = <H>(kind: Kind<H>, name: string) => H;
type CipherItem = Readonly<Record<string, Json>>;

/** Throws BootError for an invalid key, nonce or additional data. */
export function compileEntry(item: CipherItem, resolve: Resolve, tools: PlanTools): Entry {
  const options = isObject(item['options']) ? item['options'] : {};
  const algorithm = asText(item['algorithm']);
  const handle = resolve(cipher, algorithm);
  const field = createFieldCipher({
    algorithm,
    cipher: handle,
    encoding: resolve(encoding, asText(options['encoding']) || DEFAULT_ENCODING),
    key: resolveKey(options, handle.keyBytes, tools),
    nonce: resolveNonce(options, handle.nonceBytes, tools),
  });
  const paths = Array.isArray(item['properties']) ? (item['properties'] as readonly Json[]) : [];
  return {
    encrypts: item['operation'] === 'Encrypt',
    paths: paths.map((path) => splitPath(asText(path))),
    field,
    ...createAadReader(options['aad'] ?? '', field, tools),
  };
}

function resolveKey({ key }: CipherItem, bytes: number, tools: PlanTools): Uint8Array {
  const text = key === undefined ? '' : readConstantText(key, tools);
  const what = findCipherKeyFlaw(text, bytes);
  if (what !== null) throw new BootError('CPH_KEY', { place: tools.place, what });
  return decodeBytes(text);
}

function resolveNonce({ nonce }: CipherItem, bytes: number, tools: PlanTools): Uint8Array | null {
  if (nonce === undefined) return null;
  const text = readConstantText(nonce, tools);
  const what = tools.testing ? findBytesFlaw(text, bytes) : 'it is the same for every value';
  if (what !== null) throw new BootError('CPH_NONCE', { place: tools.place, what });
  return decodeBytes(text);
}

/** Byte prefixes are decoded only in text of the operator: client values are plain text. */
function createAadReader(aad: Json, { bindAad }: FieldCipher, tools: PlanTools): Pick<Entry, 'bound' | 'constant'> {
  const roots = listAccessors(asText(aad)).map(({ root }) => root);
  if (!roots.every((root) => root === 'ENV')) {
    const read = tools.text(aad);
    return { bound: (frame) => bindAad(Buffer.from(read(frame))), constant: null };
  }
  const text = readConstantText(aad, tools);
  const what = findBytesFlaw(text, null);
  if (what !== null) throw new BootError('CPH_AAD', { place: tools.place, what });
  const constant = bindAad(decodeBytes(text));
  return { bound: () => constant, constant };
}

/** Decodes a text that `findBytesFlaw` accepted. */
export function decodeBytes(text: string): Buffer {
  if (text.startsWith(HEX)) return Buffer.from(text.slice(HEX.length), 'hex');
  return text.startsWith(BASE64) ? Buffer.from(text.slice(BASE64.length), 'base64') : Buffer.from(text);
}
