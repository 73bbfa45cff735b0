/** Ascon-128a v1.2 (not Ascon-AEAD128). Compares the tag in constant time. The caller must validate sizes. */
import { timingSafeEqual } from 'node:crypto';
import { permuteState } from './permute.js';

const RATE = 16;
const TAG = 16;
/** Key and rate in bits, rounds outside, rounds between blocks. */
const IV = 0x80800c08;
const ENDS = 12;
const BETWEEN = 8;

/** All functions are synchronous; the state is wiped after each. */
const state = new Int32Array(10);
const padded = new Uint8Array(RATE);

/** A 16-byte key as four 32-bit words. */
export type AsconKey = readonly [number, number, number, number];

export const toAsconKey = (bytes: Uint8Array): AsconKey => [
  readWord(bytes, 0),
  readWord(bytes, 4),
  readWord(bytes, 8),
  readWord(bytes, 12),
];

/** Returns the ciphertext followed by its tag. */
export function sealAscon(key: AsconKey, nonce: Uint8Array, plain: Uint8Array, aad: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(plain.length + TAG);
  start(key, nonce, aad);
  cryptBlocks(plain, plain.length, out, false);
  writeTag(key, out, plain.length);
  return out;
}

/** Null when authentication fails. */
export function openAscon(key: AsconKey, nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array | null {
  const length = sealed.length - TAG;
  const out = Buffer.allocUnsafe(length);
  const tag = new Uint8Array(TAG);
  start(key, nonce, aad);
  cryptBlocks(sealed, length, out, true);
  writeTag(key, tag, 0);
  if (timingSafeEqual(tag, sealed.subarray(length))) return out;
  out.fill(0);
  return null;
}

function readWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

function xorWord(at: number, word: number): void {
  state[at] = (state[at] ?? 0) ^ word;
}

function xorKey(at: number, key: AsconKey): void {
  for (let i = 0; i < 4; i++) xorWord(at + i, key[i] ?? 0);
}

function start(key: AsconKey, nonce: Uint8Array, aad: Uint8Array): void {
  state.fill(0);
  state[0] = IV;
  for (let i = 0; i < 4; i++) {
    state[2 + i] = key[i] ?? 0;
    state[6 + i] = readWord(nonce, 4 * i);
  }
  permuteState(state, ENDS);
  xorKey(6, key);
  if (aad.length > 0) absorbAad(aad);
  // Domain separation between additional data and message.
  xorWord(9, 1);
}

/** Absorbs whole blocks, then the rest padded with a one bit. */
function absorbAad(aad: Uint8Array): void {
  let at = 0;
  for (; at + RATE <= aad.length; at += RATE) absorbBlock(aad, at);
  padded.fill(0);
  padded.set(aad.subarray(at));
  padded[aad.length - at] = 0x80;
  absorbBlock(padded, 0);
}

function absorbBlock(block: Uint8Array, at: number): void {
  for (let i = 0; i < 4; i++) xorWord(i, readWord(block, at + 4 * i));
  permuteState(state, BETWEEN);
}

/** The state absorbs the ciphertext in both directions. */
function cryptBlocks(input: Uint8Array, length: number, out: Uint8Array, opening: boolean): void {
  let at = 0;
  for (; at + RATE <= length; at += RATE) {
    for (let i = 0; i < 4; i++) {
      const word = readWord(input, at + 4 * i);
      const other = (state[i] ?? 0) ^ word;
      writeWord(out, at + 4 * i, other);
      state[i] = opening ? word : other;
    }
    permuteState(state, BETWEEN);
  }
  cryptRest(input, at, length, out, opening);
}

/** The last partial block, possibly empty, with its padding bit. */
function cryptRest(input: Uint8Array, from: number, length: number, out: Uint8Array, opening: boolean): void {
  let i = 0;
  for (; from + i < length; i++) {
    const shift = 24 - 8 * (i & 3);
    const byte = input[from + i] ?? 0;
    const other = (((state[i >> 2] ?? 0) >>> shift) & 0xff) ^ byte;
    out[from + i] = other;
    xorWord(i >> 2, (opening ? other : byte) << shift);
  }
  xorWord(i >> 2, 0x80 << (24 - 8 * (i & 3)));
}

function writeTag(key: AsconKey, out: Uint8Array, at: number): void {
  xorKey(4, key);
  permuteState(state, ENDS);
  xorKey(6, key);
  for (let i = 0; i < 4; i++) writeWord(out, at + 4 * i, state[6 + i] ?? 0);
  state.fill(0);
}
