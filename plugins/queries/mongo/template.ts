/**
 * Compiled parts of a query: frozen constants and readers. Client values enter only through `Leaf`; names and operators come
 * from the definition only.
 */
import { BootError } from '../../../contract/boot-error.js';
import { deepFreeze, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { Frame, Reader } from '../../../contract/plan.js';

export type Node =
  | { readonly constant: true; readonly value: unknown }
  | {
      readonly constant: false;
      readonly read: Reader;
      /** The payload field that is read, where it is exactly one; null: none. */
      readonly field?: string | null;
    };

export interface Dynamic {
  readonly read: Reader;
  readonly field: string | null;
}

/** Returns the value that a text represents; null for plain text. */
export type Leaf = (text: string) => Dynamic | null;

export const constant = (value: unknown): Node => ({ constant: true, value });
export const dynamic = (read: Reader, field?: string | null): Node => ({
  constant: false,
  read,
  ...(field !== undefined && { field }),
});

export const readerOf = (node: Node): Reader => (node.constant ? () => node.value : node.read);

/** An object of parts; constant where all parts are. */
export function objectOf(entries: readonly (readonly [string, Node])[]): Node {
  if (entries.some(([key]) => key === '__proto__')) throw wrong('the name "__proto__" cannot be kept in a document');
  if (entries.every(([, node]) => node.constant)) {
    return constant(
      deepFreeze(Object.fromEntries(entries.map(([key, node]) => [key, node.constant ? node.value : null]))),
    );
  }
  const readers = entries.map(([key, node]) => [key, readerOf(node)] as const);
  return dynamic((frame: Frame) => {
    const out: Record<string, unknown> = {};
    for (const [key, read] of readers) out[key] = read(frame);
    return out;
  });
}

/** A list of parts; constant where all parts are. */
export function listOf(nodes: readonly Node[]): Node {
  if (nodes.every((node) => node.constant)) {
    return constant(deepFreeze(nodes.map((node) => (node.constant ? node.value : null))));
  }
  const readers = nodes.map(readerOf);
  return dynamic((frame) => readers.map((read) => read(frame)));
}

/** An error that the checker should have reported; the service does not start. */
export const wrong = (what: string): BootError => new BootError('MQL_WRONG', { what });

/** Requires a literal object; throws BootError otherwise. */
export function written(json: Json | undefined, where: string): JsonObject {
  if (json !== undefined && isObject(json)) return json;
  throw wrong(`${where} must be an object that the definition writes out`);
}

export function writtenList(json: Json | undefined, where: string): readonly Json[] {
  if (Array.isArray(json)) return json as readonly Json[];
  throw wrong(`${where} must be a list that the definition writes out`);
}

/** JSON of the definition with its values inserted unchanged. */
export function literal(json: Json, leaf: Leaf, put: (found: Dynamic) => Reader): Node {
  if (typeof json === 'string') {
    const found = leaf(json);
    return found === null ? constant(json) : dynamic(put(found));
  }
  if (Array.isArray(json)) return listOf((json as readonly Json[]).map((item) => literal(item, leaf, put)));
  if (!isObject(json)) return constant(json);
  return objectOf(Object.entries(json).map(([key, inner]) => [key, literal(inner, leaf, put)] as const));
}

export function fixed(json: Json, leaf: Leaf, where: string): Node {
  return literal(json, leaf, () => {
    throw wrong(`${where} takes no value of a request`);
  });
}
