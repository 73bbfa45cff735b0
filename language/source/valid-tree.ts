/**
 * Fast single-pass parser for valid texts, the usual case. Returns null on any error; `tree.ts` then parses again and reports.
 */
import { createScanner } from 'jsonc-parser';
import { escapePointer } from '../../contract/json.js';
import { trimList } from './trim-list.js';
import type { LocatedNode, LocatedType, Member, SourceFault } from './tree.js';

/** Token numbers of the scanner's `const enum`. */
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
export const CLOSE_BRACKET = 4;
const COMMA = 5;
export const COLON = 6;
const NULL = 7;
const TRUE = 8;
const FALSE = 9;
export const STRING = 10;
const NUMBER = 11;
export const FIRST_TRIVIA = 12;
export const LAST_TRIVIA = 15;
const UNKNOWN = 16;
export const END = 17;

interface ValidTree {
  readonly root: LocatedNode;
  /** Duplicate keys, the only error that still yields a complete tree. */
  readonly faults: SourceFault[];
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Enough for the keys and pointers of definitions, which are alike in all resources. */
const MAX_SHARED = 20_000;
const MAX_LENGTH = 100;
const shared = new Map<string, string>();

/** The same string for equal texts: a tree has one for each key and each node. */
function shareText(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED || text.length > MAX_LENGTH) return text;
  // A slice would keep the text of its file in memory.
  const own = JSON.parse(JSON.stringify(text)) as string;
  shared.set(own, own);
  return own;
}

/** Returns null if the text is invalid. */
export function parseValidTree(text: string, maxDepth: number): ValidTree | null {
  const scanner = createScanner(text.charCodeAt(0) === 0xfeff ? ` ${text.slice(1)}` : text, false);
  const faults: SourceFault[] = [];
  let token = next();

  function next(): number {
    for (;;) {
      const found = scanner.scan() as number;
      if ((scanner.getTokenError() as number) !== 0) return UNKNOWN;
      if (found < FIRST_TRIVIA || found > LAST_TRIVIA) return found;
    }
  }

  /** Parses the value at the current token and advances past it. */
  function parseValue(pointer: string, depth: number): LocatedNode | null {
    switch (token) {
      case OPEN_BRACE:
        return depth < maxDepth ? parseObject(pointer, depth + 1) : null;
      case OPEN_BRACKET:
        return depth < maxDepth ? parseArray(pointer, depth + 1) : null;
      case STRING:
        return parseScalar('string', scanner.getTokenValue(), pointer);
      case NUMBER: {
        const read = Number(scanner.getTokenValue());
        return Number.isNaN(read) ? null : parseScalar('number', read, pointer);
      }
      case TRUE:
        return parseScalar('boolean', true, pointer);
      case FALSE:
        return parseScalar('boolean', false, pointer);
      case NULL:
        return parseScalar('null', null, pointer);
      default:
        return null;
    }
  }

  function parseScalar(type: LocatedType, read: LocatedNode['scalar'], pointer: string): LocatedNode {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    token = next();
    return Object.freeze({ type, start, end, pointer, scalar: read, members: NOTHING, items: NOTHING });
  }

  function parseObject(pointer: string, depth: number): LocatedNode | null {
    const start = scanner.getTokenOffset();
    const members: Member[] = [];
    const seen = new Map<string, Member>();
    token = next();
    while (token !== CLOSE_BRACE) {
      const member = parseProperty(pointer, depth);
      if (member === null) return null;
      const first = seen.get(member.key);
      if (first === undefined) seen.set(member.key, member);
      else faults.push(createDuplicateFault(first, member));
      members.push(member);
      if (token === COMMA) token = next();
      else if (token !== CLOSE_BRACE) return null;
    }
    const end = scanner.getTokenOffset() + 1;
    token = next();
    return Object.freeze({
      type: 'object',
      start,
      end,
      pointer,
      scalar: null,
      members: trimList(members),
      items: NOTHING,
    });
  }

  function parseProperty(pointer: string, depth: number): Member | null {
    if (token !== STRING) return null;
    const key = shareText(scanner.getTokenValue());
    const keyStart = scanner.getTokenOffset();
    const keyEnd = keyStart + scanner.getTokenLength();
    token = next();
    if (token !== COLON) return null;
    token = next();
    const read = parseValue(shareText(`${pointer}/${escapePointer(key)}`), depth);
    return read === null ? null : { key, keyStart, keyEnd, value: read };
  }

  function parseArray(pointer: string, depth: number): LocatedNode | null {
    const start = scanner.getTokenOffset();
    const items: LocatedNode[] = [];
    token = next();
    while (token !== CLOSE_BRACKET) {
      const item = parseValue(shareText(`${pointer}/${items.length}`), depth);
      if (item === null) return null;
      items.push(item);
      if (token === COMMA) token = next();
      else if (token !== CLOSE_BRACKET) return null;
    }
    const end = scanner.getTokenOffset() + 1;
    token = next();
    return Object.freeze({
      type: 'array',
      start,
      end,
      pointer,
      scalar: null,
      members: NOTHING,
      items: trimList(items),
    });
  }

  const root = parseValue('', 0);
  return root === null || token !== END ? null : { root, faults };
}

export const createDuplicateFault = (first: Member, second: Member): SourceFault => ({
  code: 'SRC_DUPLICATE_KEY',
  params: { key: second.key },
  start: second.keyStart,
  end: second.keyEnd,
  related: { message: `"${first.key}" stands here first`, start: first.keyStart, end: first.keyEnd },
});
