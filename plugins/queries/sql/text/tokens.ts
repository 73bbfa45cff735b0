/** Splits SQL text into tokens and reports unterminated quotes and unbalanced brackets. Does not interpret statements. */
import type { LexicalFault, StatementToken, TokenType } from '../../../../contract/statement-text.js';
import { findTypeEnd } from './types.js';

/** `open` names an unterminated construct. */
interface Piece {
  readonly type: TokenType;
  readonly end: number;
  readonly open?: string;
}

const OTHER_SPACE = /\s/;
const LINE = /[^\r\n]*/y;
const NUMBER =
  /0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
/** Character codes, for fast lookup. */
const OPERATORS: ReadonlySet<number> = new Set([...'-+*/<>=~!@#%^&|`?:'].map((sign) => sign.charCodeAt(0)));
/** With one of these, PostgreSQL lets an operator end in `+` or `-`. */
const FREE_OPERATOR = /[~!@#%^&|`?]/;
const SINGLE: Readonly<Record<string, TokenType>> = {
  '(': 'open',
  '[': 'open',
  ')': 'close',
  ']': 'close',
  ',': 'comma',
  ';': 'semicolon',
  '.': 'dot',
};

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isWordStart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code >= 128;
const isWord = (code: number): boolean => isWordStart(code) || isDigit(code) || code === 36; /* $ */
const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 128 && OTHER_SPACE.test(String.fromCharCode(code)));

/** Returns the end of the match at `at`, or -1. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function readLineComment(text: string, at: number): Piece {
  return { type: 'comment', end: match(LINE, text, at) };
}

function readBlockComment(text: string, at: number): Piece {
  let depth = 0;
  for (let i = at; i < text.length - 1; i++) {
    const pair = text.slice(i, i + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    i++;
    if (depth === 0) return { type: 'comment', end: i + 1 };
  }
  return { type: 'comment', end: text.length, open: 'comment' };
}

/** `at` is the opening quote. A backslash escapes only in E'...'. */
function readQuoted(text: string, at: number, type: 'string' | 'quoted-identifier', backslash: boolean): Piece {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    if (backslash && text[i] === '\\') i++;
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return { type, end: i + 1 };
      i++;
    }
  }
  return { type, end: text.length, open: type === 'string' ? 'string' : 'quoted identifier' };
}

/** `$1`, `$$...$$`, `$tag$...$tag$` or a lone dollar. */
function readDollar(text: string, at: number): Piece {
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  if (end > at + 1) return { type: 'placeholder', end };
  const body = match(DOLLAR_TAG, text, at);
  if (body < 0) return { type: 'operator', end };
  const close = text.indexOf(text.slice(at, body), body);
  if (close < 0) return { type: 'dollar-string', end: text.length, open: 'dollar-quoted string' };
  return { type: 'dollar-string', end: close + (body - at) };
}

/** A word, or a string with a prefix: E'..', B'..', X'..', N'..', U&'..', U&"..". */
function readWord(text: string, at: number): Piece {
  const first = text[at] ?? '';
  const second = text[at + 1];
  if (second === "'" && 'eEbBxXnN'.includes(first))
    return readQuoted(text, at + 1, 'string', first === 'e' || first === 'E');
  if (second === '&' && (first === 'u' || first === 'U')) {
    if (text[at + 2] === "'") return readQuoted(text, at + 2, 'string', false);
    if (text[at + 2] === '"') return readQuoted(text, at + 2, 'quoted-identifier', false);
  }
  let end = at + 1;
  while (isWord(text.charCodeAt(end))) end++;
  return { type: 'word', end };
}

const ENDS_OPERATOR: ReadonlySet<string> = new Set(['--', '/*', '::']);

function readOperator(text: string, at: number): Piece {
  let end = at + 1;
  while (OPERATORS.has(text.charCodeAt(end)) && !ENDS_OPERATOR.has(text.slice(end, end + 2))) end++;
  if (!FREE_OPERATOR.test(text.slice(at, end))) while (end > at + 1 && /[-+]/.test(text[end - 1] ?? '')) end--;
  return { type: 'operator', end };
}

function readCast(text: string, at: number): Piece {
  const end = findTypeEnd(text, at + 2);
  return end < 0 ? { type: 'operator', end: at + 2 } : { type: 'cast', end };
}

function readPiece(text: string, at: number): Piece {
  const code = text.charCodeAt(at);
  if (isWordStart(code)) return readWord(text, at);
  const c = text[at] ?? '';
  const next = text.charCodeAt(at + 1);
  if (isDigit(code) || (c === '.' && isDigit(next))) return { type: 'number', end: match(NUMBER, text, at) };
  const single = Object.hasOwn(SINGLE, c) ? SINGLE[c] : undefined;
  if (single) return { type: single, end: at + 1 };
  if (c === "'") return readQuoted(text, at, 'string', false);
  if (c === '"') return readQuoted(text, at, 'quoted-identifier', false);
  if (c === '$') return readDollar(text, at);
  if (!OPERATORS.has(code)) return { type: 'operator', end: at + 1 };
  const pair = text.slice(at, at + 2);
  if (pair === '--') return readLineComment(text, at);
  if (pair === '/*') return readBlockComment(text, at);
  if (pair === '::') return readCast(text, at);
  return readOperator(text, at);
}

/** A closing bracket of the wrong kind is skipped, so that the rest is still checked. */
function findUnbalanced(text: string, tokens: readonly StatementToken[]): LexicalFault[] {
  const faults: LexicalFault[] = [];
  const open: StatementToken[] = [];
  const addFault = (token: StatementToken): number =>
    faults.push({ code: 'SQL_UNBALANCED', what: text[token.start] ?? '', start: token.start, end: token.end });
  for (const token of tokens) {
    if (token.type === 'open') open.push(token);
    if (token.type !== 'close') continue;
    const partner = open.at(-1);
    const fits = partner && (text[partner.start] === '(') === (text[token.start] === ')');
    if (fits) open.pop();
    else addFault(token);
  }
  for (const token of open) addFault(token);
  return faults;
}

/** A statement has dozens of tokens, and statements are alike: an equal token is the same object. */
const shared = new Map<number, StatementToken>();
const MAX_SHARED = 20_000;
const MAX_START = 65_536;
const MAX_LENGTH = 256;
const TYPES: readonly TokenType[] = [
  ...(['word', 'quoted-identifier', 'string', 'dollar-string', 'number', 'comment', 'placeholder'] as const),
  ...(['cast', 'operator', 'open', 'close', 'comma', 'semicolon', 'dot'] as const),
];

function shareToken(type: TokenType, start: number, end: number): StatementToken {
  const length = end - start;
  if (start >= MAX_START || length >= MAX_LENGTH) return { type, start, end };
  const key = (start * MAX_LENGTH + length) * TYPES.length + TYPES.indexOf(type);
  const known = shared.get(key);
  if (known !== undefined) return known;
  const token = Object.freeze({ type, start, end });
  if (shared.size < MAX_SHARED) shared.set(key, token);
  return token;
}

export function tokenizeSql(text: string): { tokens: StatementToken[]; faults: LexicalFault[] } {
  const tokens: StatementToken[] = [];
  const faults: LexicalFault[] = [];
  let at = 0;
  while (at < text.length) {
    if (isSpace(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const piece = readPiece(text, at);
    const end = Math.max(piece.end, at + 1);
    if (piece.open) faults.push({ code: 'SQL_UNTERMINATED', what: piece.open, start: at, end });
    tokens.push(shareToken(piece.type, at, end));
    at = end;
  }
  return { tokens, faults: [...faults, ...findUnbalanced(text, tokens)].sort((a, b) => a.start - b.start) };
}

/** Likely names of models that are reserved in PostgreSQL or MySQL. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    'case check column constraint default end grant group like limit offset order primary references table user values window ' +
    'change condition database databases function groups index interval key keys line lines lock option partition procedure ' +
    'range rank read release require row rows schema schemas signal system trigger usage write'
  ).split(' '),
);
