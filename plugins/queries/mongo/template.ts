/** Compiled parts of a query: frozen constants and readers. Client values enter only through `Leaf`. */
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
      /** The members of an object. */
      readonly inside?: readonly (readonly [string, Node])[];
    };

export interface Dynamic {
  readonly read: Reader;
  readonly field: string | null;
}

/** Returns the value that a text represents; null for plain text. */
export type Leaf = (text: string) => Dynamic | null;

export const createConstantNode = (value: unknown): Node => ({ constant: true, value });
export const createDynamicNode = (read: Reader, field?: string | null): Node => ({
  constant: false,
  read,
  ...(field !== undefined && { field }),
});

export const toReader = (node: Node): Reader => (node.constant ? () => node.value : node.read);

/** An object of parts; constant where all parts are. */
export function createObjectNode(entries: readonly (readonly [string, Node])[]): Node {
  if (entries.some(([key]) => key === '__proto__'))
    throw createQueryError('the name "__proto__" cannot be kept in a document');
  if (entries.every(([, node]) => node.constant)) {
    return createConstantNode(
      deepFreeze(Object.fromEntries(entries.map(([key, node]) => [key, node.constant ? node.value : null]))),
    );
  }
  const readers = entries.map(([key, node]) => [key, toReader(node)] as const);
  const read = (frame: Frame): unknown => {
    const out: Record<string, unknown> = {};
    for (const [key, read] of readers) out[key] = read(frame);
    return out;
  };
  return { constant: false, read, inside: entries };
}

/** A list of parts; constant where all parts are. */
export function createListNode(nodes: readonly Node[]): Node {
  if (nodes.every((node) => node.constant)) {
    return createConstantNode(deepFreeze(nodes.map((node) => (node.constant ? node.value : null))));
  }
  const readers = nodes.map(toReader);
  return createDynamicNode((frame) => readers.map((read) => read(frame)));
}

/** The checker should have reported it; the service does not start. */
export const createQueryError = (what: string): BootError => new BootError('MQL_WRONG', { what });

/** Requires a literal object; throws BootError otherwise. */
export function requireObject(json: Json | undefined, where: string): JsonObject {
  if (json !== undefined && isObject(json)) return json;
  throw createQueryError(`${where} must be an object that the definition writes out`);
}

export function requireList(json: Json | undefined, where: string): readonly Json[] {
  if (Array.isArray(json)) return json as readonly Json[];
  throw createQueryError(`${where} must be a list that the definition writes out`);
}

/** JSON of the definition with its values inserted unchanged. */
export function compileLiteral(json: Json, leaf: Leaf, put: (found: Dynamic) => Reader): Node {
  if (typeof json === 'string') {
    const found = leaf(json);
    return found === null ? createConstantNode(json) : createDynamicNode(put(found), found.field);
  }
  if (Array.isArray(json))
    return createListNode((json as readonly Json[]).map((item) => compileLiteral(item, leaf, put)));
  if (!isObject(json)) return createConstantNode(json);
  return createObjectNode(Object.entries(json).map(([key, inner]) => [key, compileLiteral(inner, leaf, put)] as const));
}

export function compileFixed(json: Json, leaf: Leaf, where: string): Node {
  return compileLiteral(json, leaf, () => {
    throw createQueryError(`${where} takes no value of a request`);
  });
}
