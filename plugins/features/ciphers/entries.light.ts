/** Parses `ciphers` entries for the checks, with defaults for invalid parts. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';

export interface CheckedEntry {
  readonly encrypts: boolean;
  readonly algorithm: string;
  readonly options: JsonObject;
  readonly properties: readonly string[];
  readonly at: string;
}

export const toJsonObjects = (json: Json | undefined): readonly JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

export const parseCipherEntries = (holder: Readonly<Record<string, Json>>): CheckedEntry[] =>
  (Array.isArray(holder['ciphers']) ? (holder['ciphers'] as readonly Json[]) : []).flatMap((item, index) =>
    isObject(item) ? [parseEntry(item, index)] : [],
  );

function parseEntry(item: JsonObject, index: number): CheckedEntry {
  const { operation, algorithm, options, properties } = item;
  return {
    encrypts: operation === 'Encrypt',
    algorithm: asText(algorithm),
    options: isObject(options) ? options : {},
    properties: Array.isArray(properties) ? (properties as readonly Json[]).map(asText) : [],
    at: `/ciphers/${index}`,
  };
}
