/** Finds the definitions of a file without parsing: its object, or those of its list. */
import { MAX_DEPTH } from './parse.js';

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The known end of an object that starts at `start`, or undefined. */
export type KnownEnd = (start: number) => number | undefined;

/**
 * Null if anything but white space, comments and single commas surrounds the objects. An object without errors parses
 * equally alone.
 */
export function findObjects(text: string, knownEnd: KnownEnd): TextRange[] | null {
  const first = skipTrivia(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (text[first] === '{') {
    const end = knownEnd(first) ?? findClosing(text, first);
    return end !== -1 && skipTrivia(text, end) === text.length ? [{ start: first, end }] : null;
  }
  if (text[first] !== '[') return null;
  const found: TextRange[] = [];
  let at = skipTrivia(text, first + 1);
  while (text[at] === '{') {
    const end = knownEnd(at) ?? findClosing(text, at);
    if (end === -1) return null;
    found.push({ start: at, end });
    at = skipTrivia(text, end);
    if (text[at] !== ',') break;
    at = skipTrivia(text, at + 1);
  }
  return text[at] === ']' && skipTrivia(text, at + 1) === text.length ? found : null;
}

/** Offset after white space and comments; stops at an unclosed comment. */
function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 9 || code === 10 || code === 13) at++;
    else if (code === 47 /* / */) {
      const end = findCommentEnd(text, at);
      if (end === -1) return at;
      at = end;
    } else return at;
  }
}

/** Returns -1 if no comment starts here or it is unclosed. */
function findCommentEnd(text: string, at: number): number {
  const second = text.charCodeAt(at + 1);
  if (second === 42 /* * */) {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (second !== 47) return -1;
  let end = at + 2;
  while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++;
  return end;
}

/** -1 without a matching bracket, or if nested too deep. */
function findClosing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 34 /* " */) {
      at = findStringEnd(text, at);
      if (at === -1) return -1;
      continue;
    }
    if (code === 47) {
      at = findCommentEnd(text, at);
      if (at === -1) return -1;
      continue;
    }
    // The surrounding list counts as a level.
    if ((code === 123 || code === 91) && ++depth >= MAX_DEPTH) return -1;
    if ((code === 125 || code === 93) && --depth === 0) return at + 1;
    at++;
  }
  return -1;
}

function findStringEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return -1;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92 /* \\ */) slashes++;
    if (slashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}
