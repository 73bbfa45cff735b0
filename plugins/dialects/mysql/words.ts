/** A statement as words that are rewritten one by one. Positions come from the scanner. */
import type { StatementText } from '../../../contract/statement-text.js';
import { BootError } from '../../../contract/boot-error.js';
import { findGroupEnd, isName, toLexemes, type Lexeme } from '../../queries/sql/text/read.js';

export type { Lexeme } from '../../queries/sql/text/read.js';

/** Keywords before a parenthesis that is not a call. */
const NO_CALLEE = new Set(
  (
    'SELECT WHERE AND OR NOT ON SET RETURNING THEN ELSE WHEN CASE BETWEEN LIKE ILIKE LIMIT OFFSET BY DISTINCT HAVING ' +
    'IN ANY ALL SOME EXISTS VALUES FROM JOIN AS USING IS UNION EXCEPT INTERSECT'
  ).split(' '),
);

/** Thrown at load, with the replacement to use. */
export const createTranslationError = (what: string, instead: string): BootError =>
  new BootError('QRY_NOT_TRANSLATED', { what, instead });

export interface Words {
  readonly scan: StatementText;
  readonly all: readonly Lexeme[];
  readonly out: string[];
}

export function toWords(scan: StatementText): Words {
  const all = toLexemes(scan.text, scan.tokens);
  return {
    scan,
    all,
    out: all.map(({ type, start, end, text }) => (type === 'word' ? scan.text.slice(start, end) : text)),
  };
}

export const isKeyword = (word: Lexeme | undefined, ...texts: readonly string[]): boolean =>
  word?.type === 'word' && texts.includes(word.text);

/** A name before a parenthesis. */
export const isCalled = (word: Lexeme | undefined, next: Lexeme | undefined): word is Lexeme =>
  next?.text === '(' && isName(word) && !(word.type === 'word' && NO_CALLEE.has(word.text));

/** Index of the parenthesis that opens the group closed at `i`. */
function findOpening(all: readonly Lexeme[], i: number): number {
  const depth = all[i]?.depth ?? 0;
  let at = i - 1;
  while (at > 0 && !(all[at]?.type === 'open' && all[at]?.depth === depth)) at--;
  return at;
}

function findChainStart(all: readonly Lexeme[], i: number): number {
  let at = i;
  while (all[at - 1]?.type === 'dot' && isName(all[at - 2])) at -= 2;
  return at;
}

/** `i` is inclusive. */
export function findOperandStart(all: readonly Lexeme[], i: number): number {
  const word = all[i];
  if (word?.type === 'cast') return findOperandStart(all, i - 1);
  if (word?.type === 'close') {
    const open = findOpening(all, i);
    const before = all[open - 1];
    // `count(*) FILTER (...)` is one operand.
    if (isKeyword(before, 'FILTER', 'OVER')) return findOperandStart(all, open - 2);
    return isCalled(before, all[open]) ? findChainStart(all, open - 1) : open;
  }
  if (isKeyword(word, 'END')) {
    let at = i - 1;
    for (let open = 1; at > 0; at--) {
      if (isKeyword(all[at], 'END')) open++;
      if (isKeyword(all[at], 'CASE') && --open === 0) return at;
    }
  }
  return isName(word) ? findChainStart(all, i) : i;
}

/** Index after the operand that begins at `i`, casts included. */
export function findOperandEnd(all: readonly Lexeme[], i: number): number {
  let at = i;
  if (all[at]?.type === 'open') at = findGroupEnd(all, at);
  else {
    while (isName(all[at]) && all[at + 1]?.type === 'dot') at += 2;
    at++;
    if (all[at]?.text === '(' && isName(all[at - 1])) at = findGroupEnd(all, at);
  }
  while (all[at]?.type === 'cast') at++;
  return at;
}

export interface RenderedSql {
  readonly text: string;
  /** Parameter number (0-based) of each `?`. */
  readonly order: readonly number[];
  /** Position of each `?` in the text of the definition. */
  readonly places: readonly number[];
}

/** Without comments and with single spaces. */
export function renderWords({ scan, all, out }: Words, from = 0, to = all.length): RenderedSql {
  const order: number[] = [];
  const places: number[] = [];
  let text = '';
  for (let i = from; i < to; i++) {
    const word = all[i] as Lexeme;
    const gap = i > from && scan.text.slice(all[i - 1]?.end, word.start) !== '';
    text += (gap ? ' ' : '') + (out[i] ?? '');
    if (word.type !== 'placeholder') continue;
    order.push(Number(word.text.slice(1)) - 1);
    places.push(word.start);
  }
  return { text: text.trim(), order, places };
}

/** Sessions do not support backslash escapes. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
