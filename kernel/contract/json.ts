/** Plain data as JSON knows it: what definitions, payloads and manifests are made of. No behaviour here. */
import { ExactNumber } from './exact-number.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** An own property of a record, never an inherited one: `constructor` and friends are not data. */
export function own(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
}

/** Segments that would reach the prototype chain in a careless walk; refused wherever a path is written or read. */
export const POISON_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The value where it is text, the empty text otherwise: for fields the checker has already judged. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Freezes plain data without cycles all the way down, and gives it back. */
export function deepFreeze<T>(data: T): T {
  if (typeof data === 'object' && data !== null) {
    Object.freeze(data);
    Object.values(data).forEach(deepFreeze);
  }
  return data;
}

/** A name as a segment of a JSON pointer (RFC 6901). */
export const escapePointer = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');

export const pointerOf = (path: readonly string[]): string =>
  path.map((segment) => `/${escapePointer(segment)}`).join('');
