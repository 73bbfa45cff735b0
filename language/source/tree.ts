/** The syntax tree of a definition, with places in the text. */
import { isObject, splitPointer, type Json } from '../../contract/json.js';
import type { TextChange } from './document.js';

export type LocatedType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Null while the text is incomplete. */
  readonly value: LocatedNode | null;
}

export interface LocatedNode {
  readonly type: LocatedType;
  readonly start: number;
  readonly end: number;
  /** JSON pointer from the root of the document (a file or a window). */
  readonly pointer: string;
  /** Value of a scalar; null for objects and arrays. */
  readonly scalar: string | number | boolean | null;
  readonly members: readonly Member[];
  readonly items: readonly LocatedNode[];
}

export interface SourceFault {
  readonly code: 'SRC_SYNTAX' | 'SRC_DUPLICATE_KEY' | 'SRC_TOO_DEEP' | 'SRC_EMPTY';
  readonly params: Readonly<Record<string, string | number>>;
  readonly start: number;
  readonly end: number;
  readonly related?: { readonly message: string; readonly start: number; readonly end: number };
  /** Edits that fix the problem. `asks`: not safe to apply automatically. */
  readonly fix?: { readonly title: string; readonly changes: readonly TextChange[]; readonly asks?: true };
}

export interface SourceTree {
  readonly root: LocatedNode | null;
  readonly faults: readonly SourceFault[];
}

export const findMember = (node: LocatedNode, key: string): Member | undefined =>
  node.members.find((member) => member.key === key);

/** Nodes are immutable, and many stages need the values. */
const values = new WeakMap<LocatedNode, Json>();

/** Frozen objects with null prototype, so that no key of a definition reaches a prototype. */
export function toJson(node: LocatedNode): Json {
  if (node.type !== 'array' && node.type !== 'object') return node.scalar;
  const known = values.get(node);
  if (known !== undefined) return known;
  const made = node.type === 'array' ? Object.freeze(node.items.map(toJson)) : toFrozenObject(node);
  values.set(node, made);
  return made;
}

/** `Object.create(null)` would make a hash table for each object; this way, objects with the same keys share their shape. */
function toFrozenObject(node: LocatedNode): Json {
  const made = Object.setPrototypeOf({}, null) as Record<string, Json>;
  for (const member of node.members) made[member.key] = member.value === null ? null : toJson(member.value);
  return Object.freeze(made);
}

/** The node with its member; the pointer is relative to `node`. */
export function findNode(node: LocatedNode, pointer: string): { node: LocatedNode; member: Member | null } | null {
  let found: { node: LocatedNode; member: Member | null } = { node, member: null };
  for (const segment of splitPointer(pointer)) {
    const member = findMember(found.node, segment) ?? null;
    const next = member === null ? found.node.items[Number(segment)] : member.value;
    if (next === undefined || next === null) return null;
    found = { node: next, member };
  }
  return found;
}

export const toJsonObject = (node: LocatedNode): Readonly<Record<string, Json>> => {
  const json = toJson(node);
  return isObject(json) ? json : {};
};
