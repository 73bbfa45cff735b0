/**
 * Reads a text that lacks a brace, a bracket, a quote or a colon as if it were there, by the layout. One lost
 * character is then one problem, and the rest is checked.
 */
import { createScanner } from 'jsonc-parser';
import type { Document } from './document.js';
import type { LocatedNode, Member, SourceFault, SourceTree } from './tree.js';
import { MAX_DEPTH, parseSource } from './parse.js';
import { COLON, END, FIRST_TRIVIA, LAST_TRIVIA, parseValidTree, STRING } from './valid-tree.js';

export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

export interface RepairedTree extends SourceTree {
  /** Null if the text is valid or nothing is found. */
  readonly insertion: Insertion | null;
}

/** Characters that all attempts may read, and their number. */
const MOST_READ = 1_500_000;
const MOST_TRIES = 80;
/** Characters of a line in which names are looked for. */
const MOST_LINE = 4000;
const LOST: Readonly<Record<string, string>> = {
  '}': 'a closing brace is missing',
  ']': 'a closing bracket is missing',
  '{': 'an opening brace is missing',
  '[': 'an opening bracket is missing',
  '"': 'a quote is missing',
  ':': 'a colon is missing',
  ',': 'a comma is missing',
};

export function parseDamagedSource(doc: Document): RepairedTree {
  const plain = parseSource(doc);
  const isComma =
    plain.faults.length === 1 && plain.faults[0]?.params['missing'] === 'comma' && plain.faults[0].fix !== undefined;
  if (isComma || plain.faults.every(({ code }) => code !== 'SRC_SYNTAX')) return { ...plain, insertion: null };
  const { text } = doc;
  let left = Math.min(MOST_TRIES, Math.ceil(MOST_READ / text.length));
  const tokens = listTokens(text);
  const guesses = tokens === null ? guessQuotes(text) : guessBrackets(tokens, plain.faults[0]?.start ?? 0);
  for (const insertion of guesses) {
    if (left-- <= 0) break;
    const { offset, text: put } = insertion;
    const found = parseValidTree(text.slice(0, offset) + put + text.slice(offset), MAX_DEPTH);
    if (found !== null && found.faults.length === 0)
      return { root: moveNode(found.root, insertion), faults: [createFault(text, insertion)], insertion };
  }
  return { ...plain, insertion: null };
}

/** In the first line with an open string, at the edges of words. */
function* guessQuotes(text: string): Generator<Insertion> {
  const line = findOpenString(text);
  if (line === null) return;
  const isEdge = (offset: number): boolean => {
    const [before, after] = [text[offset - 1] ?? ' ', text[offset] ?? ' '];
    if (/\s/.test(before) && /[\s}\],:]/.test(after)) return false;
    return /[\s{}[\],:]/.test(after) || /[\s{}[\],:"]/.test(before) !== (after === '"');
  };
  const whole = text.slice(line.start, line.end);
  if (whole.length <= MOST_LINE) yield* guessQuotesByNames(whole, line.start);
  // The end of the value is the next most frequent place.
  const order = [...listOffsets(line.open + 1, line.end), ...listOffsets(line.start, line.open).reverse()];
  for (const offset of order) if (isEdge(offset)) yield { offset, text: '"' };
}

/** At names, which a colon follows, and ends of values. */
function* guessQuotesByNames(line: string, start: number): Generator<Insertion> {
  // A name is followed by a colon, and follows a brace, a comma or the line's beginning.
  for (const { index } of line.matchAll(/(?<=^\s*|[{,]\s*)[\w$]/g)) yield { offset: start + index, text: '"' };
  for (const { index } of line.matchAll(/(?<="[\w$.-]*[\w$])(?=\s*:)/g)) yield { offset: start + index, text: '"' };
  // After its colon, often to the end of its line.
  for (const { index } of line.matchAll(/(?<=:\s*)[^\s"{[\d-]/g)) yield { offset: start + index, text: '"' };
  yield { offset: start + line.search(/,?\s*$/), text: '"' };
}

const listOffsets = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

function findOpenString(text: string): { start: number; open: number; end: number } | null {
  // A backslash outside of a string is one of a string without its first quote.
  const strings = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*("|(?=\r?\n|$))|\\.*/g;
  for (const match of text.matchAll(strings)) {
    if (match[0].startsWith('/') || match[1] === '"') continue;
    const start = text.lastIndexOf('\n', match.index) + 1;
    return { start, open: match.index, end: match.index + match[0].length };
  }
  return null;
}

/** For a bracket or a colon; places of the layout first. */
function* guessBrackets(tokens: readonly Token[], firstError: number): Generator<Insertion> {
  const count = (kind: string): number => tokens.filter((token) => token.kind === kind).length;
  const isBefore = ({ start }: Token): boolean => start <= firstError;
  for (const [open, close] of ['{}', '[]'].map((pair) => [pair[0] ?? '', pair[1] ?? ''] as const)) {
    const balance = count(open) - count(close);
    if (balance === 1) for (const offset of guessEnds(tokens, open)) yield { offset, text: close };
    if (balance !== -1) continue;
    if (tokens[0] !== undefined) yield { offset: tokens[0].start, text: open };
    // An object begins before its first name, a list before its first item.
    for (const [i, token] of [...tokens.entries()].reverse())
      if (isBefore(token) && /[:[,]/.test(tokens[i - 1]?.kind ?? '')) yield { offset: token.start, text: open };
  }
  for (const [i, { kind, end }] of tokens.entries())
    if (kind === '"' && tokens[i + 1] !== undefined && /["{[v]/.test(tokens[i + 1]?.kind ?? ''))
      yield { offset: end, text: ':' };
}

/** Where the layout says that a container ends, then all ends of tokens from the back. */
function guessEnds(tokens: readonly Token[], open: string): number[] {
  const stack: Token[] = [];
  const likely: number[] = [];
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    const top = stack.at(-1);
    if (before !== undefined && top !== undefined && token.isFirst) {
      const isDeeper = token.indent > top.indent;
      const isEnd = /[}\]]/.test(token.kind);
      // A line that is no deeper than that of an open container is outside of it.
      if (!isDeeper && top.kind === open && (!isEnd || top.kind !== OPENING[token.kind] || token.indent < top.indent)) {
        likely.push(...endsBetween(tokens, top, i));
        break;
      }
    }
    if (token.kind === '{' || token.kind === '[') stack.push(token);
    else if (token.kind === '}' || token.kind === ']') {
      if (top?.kind !== OPENING[token.kind]) {
        if (top !== undefined) likely.push(...endsBetween(tokens, top, i));
        break;
      }
      stack.pop();
    }
  }
  return [...new Set([...likely, ...tokens.map(({ end }) => end).reverse()])];
}

const OPENING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

/** From the last token before `until` to the opening one. */
function endsBetween(tokens: readonly Token[], open: Token, until: number): number[] {
  const ends: number[] = [];
  for (let i = until - 1; i >= 0; i--) {
    const token = tokens[i];
    if (token === undefined || token === open) break;
    if (token.kind !== ',' && token.kind !== ':') ends.push(token.end);
  }
  return [...ends, open.end];
}

function createFault(text: string, { offset, text: put }: Insertion): SourceFault {
  const what = LOST[put] ?? 'a character is missing';
  const change = { start: offset, end: offset, text: put };
  const start = Math.min(offset, Math.max(0, text.length - 1));
  return {
    code: 'SRC_SYNTAX',
    params: { what },
    start,
    end: Math.min(text.length, start + 1),
    fix: { title: `add ${put}`, changes: [change], asks: true },
  };
}

/** The node with its places in the text without the insertion. */
function moveNode(root: LocatedNode, { offset: at, text }: Insertion): LocatedNode {
  const moveOffset = (offset: number): number => (offset > at ? offset - text.length : offset);
  const moveMember = (member: Member): Member => ({
    ...member,
    keyStart: moveOffset(member.keyStart),
    keyEnd: moveOffset(member.keyEnd),
    value: member.value && visit(member.value),
  });
  const visit = (node: LocatedNode): LocatedNode =>
    Object.freeze({
      ...node,
      start: moveOffset(node.start),
      end: moveOffset(node.end),
      members: node.members.map(moveMember),
      items: node.items.map(visit),
    });
  return visit(root);
}

interface Token {
  /** The bracket, colon or comma itself; `"` for a string, `v` for any other value. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Of its line, in characters. */
  readonly indent: number;
  readonly isFirst: boolean;
}

/** With the indentation of lines. Null if something is not closed. */
function listTokens(text: string): Token[] | null {
  const scanner = createScanner(text.replace(/^\ufeff/, ' '), false);
  const tokens: Token[] = [];
  let line = -1;
  let indent = 0;
  for (;;) {
    const found = scanner.scan() as number;
    if ((scanner.getTokenError() as number) !== 0) return null;
    if (found === END) return tokens;
    if (found >= FIRST_TRIVIA && found <= LAST_TRIVIA) continue;
    const start = scanner.getTokenOffset();
    const isFirst = scanner.getTokenStartLine() !== line;
    if (isFirst) {
      line = scanner.getTokenStartLine();
      indent = scanner.getTokenStartCharacter();
    }
    const kind = found <= COLON ? (text[start] ?? '') : found === STRING ? '"' : 'v';
    const end = start + scanner.getTokenLength();
    if (kind === 'v' && text.slice(start, end).includes('\\')) return null;
    tokens.push({ kind, start, end, indent, isFirst });
  }
}
