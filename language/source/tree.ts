/**
 * Parses JSON with comments and trailing commas. Invalid text still yields a tree; every error is a fault with a range. Duplicate
 * keys are errors, because parsers disagree about which one counts.
 */
import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { parseValidTree, createDuplicateFault } from './valid-tree.js';
import { escapePointer, isObject, splitPointer, type Json } from '../../contract/json.js';
import type { Document } from './document.js';
import { addFixes } from './syntax-fixes.js';
import type { TextChange } from './format.js';

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
  readonly mend?: { readonly title: string; readonly changes: readonly TextChange[]; readonly asks?: true };
}

export interface SourceTree {
  readonly root: LocatedNode | null;
  readonly faults: readonly SourceFault[];
}

/** Limits nesting, because the recursive parser must not overflow; definitions never need more. */
export const MAX_DEPTH = 64;

const SYNTAX_WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is neither a value nor text in double quotes',
  InvalidNumberFormat: 'this is not a JSON number',
  PropertyNameExpected: 'a property name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected before this',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'nothing may follow the end of the definition',
  UnexpectedEndOfComment: 'this comment is not closed',
  UnexpectedEndOfString: 'this string is not closed',
  UnexpectedEndOfNumber: 'this number is not finished',
  InvalidUnicode: 'this \\u escape is not complete',
  InvalidEscapeCharacter: 'this escape is not known to JSON',
  InvalidCharacter: 'this control character must be escaped',
};

export function parseSource(doc: Document): SourceTree {
  const sound = parseValidTree(doc.text, MAX_DEPTH);
  if (sound !== null) return { root: sound.root, faults: addFixes(doc, sound.root, sound.faults) };
  const deep = findTooDeep(doc.text);
  if (deep !== null) {
    return { root: null, faults: [{ code: 'SRC_TOO_DEEP', params: { max: MAX_DEPTH }, start: deep, end: deep + 1 }] };
  }
  const errors: ParseError[] = [];
  const text = doc.text.charCodeAt(0) === 0xfeff ? ` ${doc.text.slice(1)}` : doc.text;
  const parsed = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  if (parsed === undefined && isBlank(text, errors)) {
    return { root: null, faults: [{ code: 'SRC_EMPTY', params: {}, start: 0, end: doc.text.length }] };
  }
  const faults = listSyntaxFaults(errors, text);
  const reading: Reading = { faults, length: text.length };
  const root = parsed === undefined ? null : locateNode(parsed, '', reading);
  return { root, faults: addFixes(doc, root, faults) };
}

/** Merges equal errors: three missing braces at the end of a file are one fault. */
function listSyntaxFaults(errors: readonly ParseError[], text: string): SourceFault[] {
  const faults = new Map<string, SourceFault>();
  for (const { error, offset, length } of errors) {
    const what = SYNTAX_WORDS[printParseErrorCode(error)] ?? 'this is not JSON';
    const missing = printParseErrorCode(error) === 'CommaExpected' ? { missing: 'comma' } : {};
    const end = Math.min(text.length, offset + Math.max(length, 1));
    const place = `${offset} ${what}`;
    if (!faults.has(place)) faults.set(place, { code: 'SRC_SYNTAX', params: { what, ...missing }, start: offset, end });
  }
  return [...faults.values()];
}

function isBlank(text: string, errors: readonly ParseError[]): boolean {
  if (errors.some(({ error }) => printParseErrorCode(error) === 'UnexpectedEndOfComment')) return false;
  return (createScanner(text, true).scan() as number) === 17; /* EOF */
}

/** Offset of the first bracket beyond the limit, found without recursion. */
function findTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const token = scanner.getToken() as number;
    if (token === 17 /* EOF */) return null;
    if (token === 1 /* { */ || token === 3 /* [ */) {
      if (++depth > MAX_DEPTH) return scanner.getTokenOffset();
    } else if (token === 2 || token === 4) depth--;
  }
}

interface Reading {
  readonly faults: SourceFault[];
  readonly length: number;
}

/** With an unclosed comment, the parser reports lengths beyond the end of the text. */
const getNodeEnd = ({ offset, length }: Node, reading: Reading): number => Math.min(offset + length, reading.length);

function locateNode(node: Node, pointer: string, reading: Reading): LocatedNode {
  return Object.freeze({
    type: node.type === 'property' ? 'null' : node.type,
    start: node.offset,
    end: getNodeEnd(node, reading),
    pointer,
    scalar: node.type === 'object' || node.type === 'array' ? null : (node.value as string | number | boolean | null),
    members: node.type === 'object' ? locateMembers(node, pointer, reading) : [],
    items:
      node.type === 'array' ? (node.children ?? []).map((item, i) => locateNode(item, `${pointer}/${i}`, reading)) : [],
  });
}

function locateMembers(node: Node, pointer: string, reading: Reading): Member[] {
  const members: Member[] = [];
  const seen = new Map<string, Member>();
  for (const property of node.children ?? []) {
    const [key, child] = property.children ?? [];
    if (key === undefined || typeof key.value !== 'string') continue;
    const name = key.value;
    const member: Member = {
      key: name,
      keyStart: key.offset,
      keyEnd: getNodeEnd(key, reading),
      value: child === undefined ? null : locateNode(child, `${pointer}/${escapePointer(name)}`, reading),
    };
    const first = seen.get(name);
    if (first === undefined) seen.set(name, member);
    else reading.faults.push(createDuplicateFault(first, member));
    members.push(member);
  }
  return members;
}

export const findMember = (node: LocatedNode, key: string): Member | undefined =>
  node.members.find((member) => member.key === key);

/** Cached, because nodes are immutable and many stages need the same values. */
const values = new WeakMap<LocatedNode, Json>();

/** The node's value as frozen objects with null prototype, so that no key of a definition can reach a prototype. */
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

/** The node (and its member, if any) at a JSON pointer relative to `node`. */
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
