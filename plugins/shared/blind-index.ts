/**
 * Blind indexes of encrypted columns: HMAC-SHA-256 with a key per table and column. Plaintexts of a request are
 * looked up by ciphertext.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { BootError } from '../../contract/boot-error.js';
import type { Invocation } from '../../contract/plan.js';
import { writeJson } from '../../language/strings/exact-json.js';
import { BLIND_KEY, BLIND_KEY_BYTES } from './blind-key.light.js';

const sealed = new WeakMap<Invocation, Map<string, unknown>>();

export function recordSealed(invocation: Invocation, text: string, value: unknown): void {
  const known = sealed.get(invocation) ?? new Map<string, unknown>();
  sealed.set(invocation, known.set(text, value));
}

export const hasPlaintext = (invocation: Invocation, text: string): boolean =>
  sealed.get(invocation)?.has(text) === true;

/** Follows repeated encryption; other values are returned unchanged. */
export function resolvePlaintext(invocation: Invocation, value: unknown): unknown {
  const known = sealed.get(invocation);
  let clear = value;
  while (typeof clear === 'string' && known?.has(clear) === true) clear = known.get(clear);
  return clear;
}

export type BlindIndex = (value: unknown) => string;

/** `secret`: at least 32 bytes. Throws BootError when it is missing or shorter. */
export function createBlindIndex(secret: string | undefined, table: string, column: string): BlindIndex {
  const bytes = Buffer.byteLength(secret ?? '');
  if (secret === undefined || bytes < BLIND_KEY_BYTES) {
    const what = bytes === 0 ? 'is not set' : `has ${bytes} bytes and needs at least ${BLIND_KEY_BYTES}`;
    throw new BootError('BLD_KEY', { name: BLIND_KEY, what });
  }
  const key = Buffer.from(hkdfSync('sha256', secret, '', `lintel blind index 1\0${table}\0${column}`, 32));
  return (value) => {
    const text = typeof value === 'string' ? value : (writeJson(value) ?? 'null');
    return `blind1:${createHmac('sha256', key).update(text).digest('hex')}`;
  };
}
