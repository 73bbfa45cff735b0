/**
 * Parses JSON with comments and trailing commas. Invalid text still yields a tree; every error is a fault with a
 * range. Duplicate keys are errors.
 */
import type { Document } from './document.js';
import type { SourceTree, SourceFault, LocatedNode, Member } from './tree.js';
import { parseValidTree, createDuplicateFault } from './valid-tree.js';
import { addFixes } from './syntax-fixes.js';
import { parseTree, printParseErrorCode, createScanner, type ParseError, type Node } from 'jsonc-parser';
import { escapePointer } from '../../contract/json.js';

/** The recursive parser must not overflow. */
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

/** Three missing braces at the end are one fault. */
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

/** Lengths may exceed the text after an unclosed comment. */
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
