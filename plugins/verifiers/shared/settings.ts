/** Reads verifier settings at load. An invalid one is a startup error; messages never contain a value. */
import { BootError } from '../../../contract/boot-error.js';
import { asText, type Json } from '../../../contract/json.js';
import type { Invocation, PlanTools } from '../../../contract/plan.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { findKeyFlaw } from '../../tokens/shared/keys.light.js';
import type { VerificationResult } from '../kind.js';

/** What settings need: constant texts, and the place for errors. */
export type ConstantTools = Pick<PlanTools, 'text' | 'place'>;

type Options = Readonly<Record<string, Json>>;

export function throwSettingError(field: string, tools: ConstantTools, what: string, cause?: unknown): never {
  throw new BootError('WHK_SETTING', { field: `\`${field}\``, place: `"${tools.place}"`, what }, cause);
}

/** The text of a setting, which is never empty. */
export function readSetting(options: Options, field: string, tools: ConstantTools): string {
  const written = options[field];
  if (typeof written !== 'string') return throwSettingError(field, tools, 'there is none');
  const text = readConstantText(written, tools);
  return text.trim() === '' ? throwSettingError(field, tools, 'it is empty') : text;
}

export function readSecret(options: Options, tools: ConstantTools): string {
  const key = readSetting(options, 'secret_key', tools);
  const flaw = findKeyFlaw(key);
  if (flaw !== null) throwSettingError('secret_key', tools, flaw);
  return key;
}

/** The lower-case name in `$HEADER.<name>`. */
export function readHeaderName(options: Options, field: string, tools: ConstantTools): string {
  const name = /^\$HEADER\.([A-Za-z0-9_-]+)$/.exec(asText(options[field]))?.[1]?.toLowerCase();
  return name ?? throwSettingError(field, tools, 'write it like `$HEADER.x-signature`');
}

/** The value of a header that must be sent exactly once. */
export function readSingleValue(
  invocation: Invocation,
  name: string,
): { readonly value: string } | { readonly refused: string } {
  const values = invocation.header(name);
  const [value] = values;
  if (value === undefined) return { refused: 'no header' };
  return values.length === 1 ? { value } : { refused: 'the header was sent twice' };
}

/** Values in the URL are no part of a body: without a signed path, a caller could choose them freely. */
export async function readSignedBytes(invocation: Invocation, { path }: Options): Promise<Uint8Array | null> {
  const bytes = await invocation.readRawBody();
  if (path === 'signed')
    return invocation.target === undefined ? null : Buffer.concat([Buffer.from(`${invocation.target}\n`), bytes]);
  return bytes.length === 0 && invocation.texts !== null ? null : bytes;
}

export const UNSIGNED: VerificationResult = { refused: 'the payload is in the URL, which is not signed' };
