/** Copies of values for the record: without secrets, and bounded. */
import type { Json } from '../../../contract/json.js';
import type { RecordMask } from '../../../contract/console.js';
import { JsonStream } from '../../../contract/json-stream.js';
import { RawJson } from '../../../contract/raw-json.js';

/** Of one value. */
const MOST_TEXT = 4000;
const MOST_ITEMS = 100;
const MOST_DEPTH = 12;

export interface CopyBudget {
  /** Bytes left, about. */
  left: number;
  /** A secret was replaced, or something was left out. */
  lacks: 'secret' | 'size' | null;
  /** Secret texts of the request, which are replaced wherever they are. */
  readonly secrets: string[];
}

export const createBudget = (bytes: number, secrets: string[]): CopyBudget => ({ left: bytes, lacks: null, secrets });

/** Texts below a secret name, so that copies do not show them inside other texts. */
export function collectSecrets(value: unknown, mask: RecordMask, into: string[], depth = 0): void {
  if (typeof value !== 'object' || value === null || depth >= MOST_DEPTH || ArrayBuffer.isView(value)) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MOST_ITEMS)) collectSecrets(item, mask, into, depth + 1);
    return;
  }
  for (const [name, inner] of Object.entries(value))
    if (mask.isSecret(name)) collectTexts(inner, into);
    else if (typeof inner === 'object') collectSecrets(inner, mask, into, depth + 1);
}

export function copyMasked(value: unknown, mask: RecordMask, budget: CopyBudget, depth = 0): Json {
  budget.left -= 8;
  switch (typeof value) {
    case 'string':
      return copyText(value, mask, budget);
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof RawJson) return copyMasked(value.toJSON(), mask, budget, depth);
  if (ArrayBuffer.isView(value)) return `‹${value.byteLength} bytes›`;
  if (depth >= MOST_DEPTH || budget.left <= 0 || value instanceof JsonStream) {
    budget.lacks ??= 'size';
    return '…';
  }
  if (Array.isArray(value)) return copyItems(value, mask, budget, depth);
  const copy: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (budget.left <= 0) {
      budget.lacks ??= 'size';
      break;
    }
    budget.left -= name.length + 8;
    const isHidden = inner !== null && inner !== undefined && mask.isSecret(name);
    if (isHidden) budget.lacks = 'secret';
    const shown = isHidden ? mask.masked : copyMasked(inner, mask, budget, depth + 1);
    if (name === '__proto__') Object.defineProperty(copy, name, { value: shown, enumerable: true });
    else copy[name] = shown;
  }
  return copy;
}

function copyItems(items: readonly unknown[], mask: RecordMask, budget: CopyBudget, depth: number): Json {
  const copy: Json[] = [];
  for (const item of items) {
    if (copy.length >= MOST_ITEMS || budget.left <= 0) {
      budget.lacks ??= 'size';
      break;
    }
    copy.push(copyMasked(item, mask, budget, depth + 1));
  }
  return copy;
}

function copyText(text: string, mask: RecordMask, budget: CopyBudget): string {
  const shown = mask.maskText(text, budget.secrets);
  if (shown !== text) budget.lacks = 'secret';
  budget.left -= Math.min(shown.length, MOST_TEXT);
  if (shown.length <= MOST_TEXT) return shown;
  budget.lacks ??= 'size';
  return `${shown.slice(0, MOST_TEXT)}…`;
}

const MOST_SECRETS = 50;

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === 'string') {
    if (into.length < MOST_SECRETS && !into.includes(value)) into.push(value);
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const inner of Object.values(value)) collectTexts(inner, into);
}

/** Values that an estimate looks at. */
const MOST_VISITS = 1000;

/** Estimated bytes; Infinity for streams and too many values. */
export const estimateSize = (value: unknown): number => measureValue(value, { left: MOST_VISITS });

function measureValue(value: unknown, visits: { left: number }): number {
  if (--visits.left < 0) return Infinity;
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof RawJson) return value.json.byteLength;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof JsonStream) return Infinity;
  let size = 32;
  for (const name in value) {
    size += name.length + 8 + measureValue((value as Readonly<Record<string, unknown>>)[name], visits);
    if (size === Infinity) break;
  }
  return size;
}
