/**
 * Parses the JSON object of a token strictly: UTF-8, no duplicate or reserved names, bounded depth, exact numbers.
 * Otherwise two tokens could look equal.
 */
import { isObject, POISON_KEYS, type JsonObject } from '../../../contract/json.js';
import { isBeyondDouble, parseExact } from '../../../language/strings/exact-json.js';
import { TokenRefused } from '../kind.js';

const MAX_DEPTH = 32;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new TokenRefused('not UTF-8');
  }
}

export function readObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseExact(text, rejectOutOfRange);
  } catch (error) {
    throw error instanceof TokenRefused ? error : new TokenRefused('not JSON');
  }
  if (!isObject(value)) throw new TokenRefused('not a JSON object');
  validateStructure(text);
  return value;
}

function rejectOutOfRange(digits: string): void {
  if (isBeyondDouble(digits)) throw new TokenRefused('a number out of range');
}

/** `text` is valid JSON, so only strings and brackets need to be scanned. */
function validateStructure(text: string): void {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') {
      if (open.length === MAX_DEPTH) throw new TokenRefused('nested too deep');
      open.push(character === '{' ? new Set() : null);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const decoded = JSON.parse(text.slice(at, end)) as string;
      // A lone surrogate would be stored as another character.
      if (!decoded.isWellFormed()) throw new TokenRefused('half a character');
      if (isName(text, end)) addName(open.at(-1) ?? null, decoded);
      at = end - 1;
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++;
  return text[at] === ':';
}

function addName(names: Set<string> | null, name: string): void {
  if (POISON_KEYS.has(name)) throw new TokenRefused('a reserved name');
  if (names?.has(name) === true) throw new TokenRefused('a name twice');
  names?.add(name);
}
