/**
 * Finds the definitions of a file apart without reading them: the one object of a file, or the objects of its list. Only for
 * texts in which nothing is odd around them; everything else is for `tree.ts` to read as a whole and to say.
 */
import { MAX_DEPTH } from './tree.js';

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Where an object ends of which it is known that it begins here; undefined where nothing is known. */
export type KnownEnd = (start: number) => number | undefined;

/**
 * Where the objects stand; null when anything but space, comments and single commas stands around them. That each object
 * is sound inside is not said: whoever reads one alone without a fault has read what a reader of the whole would.
 */
export function objectsIn(text: string, knownEnd: KnownEnd): Stretch[] | null {
  const first = skip(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (text[first] === '{') {
    const end = knownEnd(first) ?? closing(text, first);
    return end !== -1 && skip(text, end) === text.length ? [{ start: first, end }] : null;
  }
  if (text[first] !== '[') return null;
  const found: Stretch[] = [];
  let at = skip(text, first + 1);
  while (text[at] === '{') {
    const end = knownEnd(at) ?? closing(text, at);
    if (end === -1) return null;
    found.push({ start: at, end });
    at = skip(text, end);
    if (text[at] !== ',') break;
    at = skip(text, at + 1);
  }
  return text[at] === ']' && skip(text, at + 1) === text.length ? found : null;
}

/** Behind space and comments; a comment that is not closed is left where it is. */
function skip(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 9 || code === 10 || code === 13) at++;
    else if (code === 47 /* / */) {
      const end = commentEnd(text, at);
      if (end === -1) return at;
      at = end;
    } else return at;
  }
}

/** -1 where no comment begins, or it has no end. */
function commentEnd(text: string, at: number): number {
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

/** Behind the bracket that closes the one at `from`; -1 without one, or where brackets nest deeper than anybody writes. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 34 /* " */) {
      at = stringEnd(text, at);
      if (at === -1) return -1;
      continue;
    }
    if (code === 47) {
      at = commentEnd(text, at);
      if (at === -1) return -1;
      continue;
    }
    // The list around the objects counts as well.
    if ((code === 123 || code === 91) && ++depth >= MAX_DEPTH) return -1;
    if ((code === 125 || code === 93) && --depth === 0) return at + 1;
    at++;
  }
  return -1;
}

function stringEnd(text: string, from: number): number {
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
