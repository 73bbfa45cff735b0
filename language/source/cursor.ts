/** Finds the cursor's path and token in incomplete JSON, by scanning from the start of the text. */
import { createScanner } from 'jsonc-parser';

/** Of the scanner's `const enum`, which cannot be imported. */
const Kind = {
  OPEN_BRACE: 1,
  CLOSE_BRACE: 2,
  OPEN_BRACKET: 3,
  CLOSE_BRACKET: 4,
  COMMA: 5,
  COLON: 6,
  STRING: 10,
  LINE_COMMENT: 12,
  BLOCK_COMMENT: 13,
  LINE_BREAK: 14,
  TRIVIA: 15,
  EOF: 17,
} as const;

/** The scanner's error for an unterminated string. */
const UNCLOSED = 2;

export interface CursorToken {
  /** Offsets in the text; a string includes its quotes. */
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
  /** False for a string without a closing quote. */
  readonly isClosed: boolean;
  /** Decoded, without quotes. */
  readonly text: string;
}

export interface Cursor {
  readonly offset: number;
  /** `none`: behind a complete value, in a comment, or before a colon. */
  readonly at: 'key' | 'value' | 'none';
  /** From the root. For a key: the path of its object and the partial name. */
  readonly path: readonly (string | number)[];
  /** Offsets of objects and lists, the outermost first. */
  readonly opened: readonly number[];
  readonly token: CursorToken | null;
  /** Where a comma must be inserted before another member. */
  readonly comma: number | null;
}

interface Holder {
  readonly isObject: boolean;
  readonly start: number;
  key: string;
  index: number;
  state: 'key' | 'colon' | 'value' | 'after';
}

/** `offset`: in UTF-16 code units. Never throws. */
export function findCursor(text: string, offset: number): Cursor {
  const scanner = createScanner(text, false);
  const holders: Holder[] = [];
  const outside: Holder = { isObject: false, start: 0, key: '', index: 0, state: 'value' };
  const getTopHolder = (): Holder => holders.at(-1) ?? outside;
  let last = 0;
  for (;;) {
    const kind = scanner.scan() as number;
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (kind === Kind.EOF || start >= offset) return createCursor(offset, holders, getTopHolder(), null, last);
    if (kind === Kind.LINE_BREAK || kind === Kind.TRIVIA) continue;
    if (kind === Kind.LINE_COMMENT || kind === Kind.BLOCK_COMMENT) {
      const open = kind === Kind.LINE_COMMENT || !text.slice(start, end).endsWith('*/');
      if (offset < end || (open && offset === end))
        return { ...createCursor(offset, holders, getTopHolder(), null, last), at: 'none' };
      continue;
    }
    if (kind > Kind.COLON) {
      const isString = kind === Kind.STRING;
      const isClosed = !isString || (scanner.getTokenError() as number) !== UNCLOSED;
      // A string ends at its quote; other tokens may continue.
      if (offset < end || (offset === end && !(isString && isClosed))) {
        const value = isString ? scanner.getTokenValue() : text.slice(start, end);
        const token = { start, end, isString, isClosed, text: value };
        return createCursor(offset, holders, getTopHolder(), token, last);
      }
    }
    applyToken(kind, start, scanner.getTokenValue(), holders, getTopHolder());
    last = end;
  }
}

function applyToken(kind: number, start: number, value: string, holders: Holder[], top: Holder): void {
  switch (kind) {
    case Kind.OPEN_BRACE:
    case Kind.OPEN_BRACKET: {
      const isObject = kind === Kind.OPEN_BRACE;
      top.state = 'after';
      holders.push({ isObject, start, key: '', index: 0, state: isObject ? 'key' : 'value' });
      return;
    }
    case Kind.CLOSE_BRACE:
    case Kind.CLOSE_BRACKET:
      holders.pop();
      return;
    case Kind.COMMA:
      if (top.isObject) Object.assign(top, { key: '', state: 'key' });
      else Object.assign(top, { index: top.index + 1, state: 'value' });
      return;
    case Kind.COLON:
      if (top.isObject) top.state = 'value';
      return;
    default:
      // The next key after a missing comma.
      if (top.isObject && top.state !== 'value') Object.assign(top, { key: value, state: 'colon' });
      else top.state = 'after';
  }
}

function createCursor(
  offset: number,
  holders: readonly Holder[],
  top: Holder,
  token: CursorToken | null,
  last: number,
): Cursor {
  const inObject = top.isObject;
  // The next member may begin without the comma.
  const isNext = inObject && top.state === 'after';
  const at = top.state === 'value' ? 'value' : inObject && (top.state === 'key' || isNext) ? 'key' : ('none' as const);
  const path = holders.map(({ isObject, key, index }) => (isObject ? key : index));
  if (at === 'key') path[path.length - 1] = token?.text ?? '';
  return { offset, at, path, opened: holders.map(({ start }) => start), token, comma: isNext ? last : null };
}

/** At or after `offset`; empty at the end of the text. */
export function findNextCharacter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] ?? '';
}

/** The offset after the closing bracket; the end of the text if unclosed. */
export function findClosingOffset(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  for (let depth = 0; ;) {
    const kind = scanner.scan() as number;
    if (kind === Kind.EOF) return text.length;
    if (kind === Kind.OPEN_BRACE || kind === Kind.OPEN_BRACKET) depth++;
    else if ((kind === Kind.CLOSE_BRACE || kind === Kind.CLOSE_BRACKET) && --depth <= 0) {
      return scanner.getTokenOffset() + scanner.getTokenLength();
    }
  }
}
