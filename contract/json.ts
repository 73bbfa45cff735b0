/** JSON types and helpers for definitions, payloads and manifests. */
import { ExactNumber } from './exact-number.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object; false for arrays, null and exact numbers. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Never returns an inherited property such as `constructor`. */
export function getOwn(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
}

/** Path segments that could reach the prototype chain; always rejected. */
export const POISON_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** For fields that the checker has validated. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** For data without cycles. */
export function deepFreeze<T>(data: T): T {
  if (typeof data === 'object' && data !== null) {
    Object.freeze(data);
    Object.values(data).forEach(deepFreeze);
  }
  return data;
}

/** Escapes a segment of a JSON pointer (RFC 6901). */
export const escapePointer = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
export const splitPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

export const formatPointer = (path: readonly string[]): string =>
  path.map((segment) => `/${escapePointer(segment)}`).join('');
