/** The tokens of a text with their lines' indentation, for guesses of what its author meant. */
import { createScanner } from 'jsonc-parser';

export interface Token {
  /** The bracket, colon or comma itself; `"` for a string, `v` for any other value. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Of its line, in characters. */
  readonly indent: number;
  /** The first of its line. */
  readonly isFirst: boolean;
}

/** Null if a string or a comment is not closed. */
export function listTokens(text: string): Token[] | null {
  const scanner = createScanner(text.replace(/^\ufeff/, ' '), false);
  const tokens: Token[] = [];
  let line = -1;
  let indent = 0;
  for (;;) {
    const found = scanner.scan() as number;
    if ((scanner.getTokenError() as number) !== 0) return null;
    if (found === 17 /* EOF */) return tokens;
    if (found >= 12 && found <= 15) continue;
    const start = scanner.getTokenOffset();
    const isFirst = scanner.getTokenStartLine() !== line;
    if (isFirst) {
      line = scanner.getTokenStartLine();
      indent = scanner.getTokenStartCharacter();
    }
    const kind = found <= 6 ? (text[start] ?? '') : found === 10 ? '"' : 'v';
    tokens.push({ kind, start, end: start + scanner.getTokenLength(), indent, isFirst });
  }
}
