/** Reads a SQL parse tree: nodes are keyed by their type. */
import { asText, isObject, getOwn, type JsonObject } from '../../../../contract/json.js';

export type Tree = JsonObject;

export const findChild = (node: Tree, key: string): Tree | null => {
  const value = getOwn(node, key);
  return isObject(value) ? value : null;
};

export const listItems = (node: Tree, key: string): readonly Tree[] => {
  const value = getOwn(node, key);
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];
};

export const getWord = (node: Tree | null, key: string): string => asText(node === null ? '' : getOwn(node, key));

/** Returns a byte offset, which the parser omits at offset 0. */
export const getByteOffset = (node: Tree): number => {
  const value = getOwn(node, 'location');
  return typeof value === 'number' ? value : 0;
};

export function unwrapNode(node: Tree): readonly [type: string, body: Tree] {
  const [type] = Object.keys(node);
  const body = type === undefined ? undefined : node[type];
  return type !== undefined && isObject(body) ? [type, body] : ['', node];
}

export const listBodies = (nodes: readonly Tree[], type: string): Tree[] =>
  nodes.flatMap((node) => {
    const body = findChild(node, type);
    return body === null ? [] : [body];
  });

/** `u.email` is `['u', 'email']`; null represents `*`. */
export const readNames = (nodes: readonly Tree[]): (string | null)[] =>
  nodes.map((node) => {
    const [, body] = unwrapNode(node);
    return Object.hasOwn(body, 'sval') ? getWord(body, 'sval') : null;
  });

/** Converts UTF-8 byte offsets to UTF-16 offsets. */
export function createUnitLookup(text: string): (byte: number) => number {
  // oxlint-disable-next-line no-control-regex -- the plain case, in which both are the same
  if (/^[\u0000-\u007f]*$/.test(text)) return (byte) => byte;
  const units: number[] = [];
  let unit = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let i = 0; i < bytes; i++) units.push(unit);
    unit += character.length;
  }
  return (byte) => units[byte] ?? text.length;
}
