/** Finds the aliases of secret columns, as in `upper(password) AS pw`. The result of a comparison or a count is not secret. */
import type { SqlScan } from '../strings/sql.js';
import { findGroupEnd, findHolder, isName, getLexemeName, toLexemes, type Lexeme } from '../strings/sql-read.js';
import type { SqlText } from './facts.js';

export function addRenamed(names: Iterable<string>, statements: readonly SqlText[]): ReadonlySet<string> {
  const all = new Set(names);
  if (all.size === 0) return all;
  // A column may be renamed several times in a WITH list.
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const { scan } of statements) for (const alias of findAliases(scan, all)) all.add(alias);
  }
  return all;
}

function findAliases(scan: SqlScan, names: ReadonlySet<string>): string[] {
  const words = toLexemes(scan.text, scan.tokens);
  return words.flatMap((word, i) =>
    isName(word) && names.has(getLexemeName(word)) ? findFollowingName(words, i) : [],
  );
}

const splitWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Functions that reveal the text of an argument, or a hash that can be compared. */
const KEEPS_TEXT = splitWords(
  'CAST UPPER LOWER INITCAP SUBSTR SUBSTRING LEFT RIGHT TRIM LTRIM RTRIM BTRIM LPAD RPAD REPLACE REGEXP_REPLACE REVERSE TRANSLATE ' +
    'OVERLAY CONCAT CONCAT_WS FORMAT SPLIT_PART COALESCE NULLIF IFNULL GREATEST LEAST MIN MAX ANY_VALUE STRING_AGG ARRAY_AGG ' +
    'GROUP_CONCAT JSON_AGG JSONB_AGG JSON_ARRAYAGG TO_JSON TO_JSONB ENCODE DECODE HEX UNHEX TO_BASE64 CONVERT_TO CONVERT_FROM ' +
    'QUOTE_LITERAL MD5 SHA1 SHA2 SHA224 SHA256 SHA384 SHA512 DIGEST',
);
const JOINS_TEXT = splitWords('|| -> ->> #> #>>');
/** Keywords before a parenthesis that are not function calls. */
const CLAUSES = splitWords('SELECT DISTINCT RETURNING FROM WHERE BY HAVING ON SET VALUES USING AS IN AND OR NOT');

/** The name of the result that reveals the column at `i`. */
function findFollowingName(words: readonly Lexeme[], i: number): string[] {
  let [start, end] = [i, i];
  let made: string[] = [];
  for (let open = findHolder(words, start); open !== -1; open = findHolder(words, start)) {
    if (words[open + 1]?.text === 'SELECT' && !(isSelected(words, start) && isScalar(words[open - 1]))) break;
    if (isTextKept(words, start, end)) return [];
    const called = words[open - 1];
    const isCall = isName(called) && !CLAUSES.has(called.text);
    if (isCall && !KEEPS_TEXT.has(called.text)) return [];
    // An unnamed result is named after its function.
    made = isCall && called.text !== 'CAST' ? [getLexemeName(called)] : made;
    [start, end] = [isCall ? open - 1 : open, findGroupEnd(words, open) - 1];
  }
  if (isTextKept(words, start, end)) return [];
  const at = skipJoined(words, end + 1);
  if (words[at]?.text === 'AS') return findName(words, at + 1);
  if (isListEnd(words[at])) return isSelected(words, start) ? made : [];
  return isListEnd(words[at + 1]) ? findName(words, at) : [];
}

/** After this token a parenthesized query is a value, not a table. */
const isScalar = (before: Lexeme | undefined): boolean =>
  before !== undefined &&
  (before.type === 'comma' || before.type === 'open' || before.text === 'SELECT' || JOINS_TEXT.has(before.text));

/** A comparison or arithmetic does not reveal its operands. */
function isTextKept(words: readonly Lexeme[], start: number, end: number): boolean {
  const behind = words[end + 1]?.type === 'cast' ? words[end + 2] : words[end + 1];
  return [words[start - 1], behind].some((word) => word?.type === 'operator' && !JOINS_TEXT.has(word.text));
}

/** The index after casts and operands of operators such as `||`. */
function skipJoined(words: readonly Lexeme[], from: number): number {
  let at = from;
  while (words[at]?.type === 'cast' || JOINS_TEXT.has(words[at]?.text ?? '')) {
    if (words[at]?.type === 'cast') at++;
    else {
      at += 2;
      while (words[at]?.type === 'dot') at += 2;
      if (words[at]?.type === 'open') at = findGroupEnd(words, at);
    }
  }
  while (['FILTER', 'OVER'].includes(words[at]?.text ?? '') && words[at + 1]?.type === 'open')
    at = findGroupEnd(words, at + 1);
  return at;
}

/** In the list of SELECT or RETURNING, not in ORDER BY. */
function isSelected(words: readonly Lexeme[], i: number): boolean {
  const depth = words[i]?.depth ?? 0;
  for (let at = i - 1; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--) {
    const word = words[at];
    if (word?.type !== 'word' || word.depth !== depth) continue;
    if (word.text === 'SELECT' || word.text === 'RETURNING') return true;
    if (CLAUSES.has(word.text) && !['DISTINCT', 'AS'].includes(word.text)) return false;
  }
  return false;
}

const findName = (words: readonly Lexeme[], i: number): string[] => {
  const word = words[i];
  return isName(word) ? [getLexemeName(word)] : [];
};

/** What follows an expression without an alias in a select list. */
const isListEnd = (word: Lexeme | undefined): boolean =>
  word === undefined || word.type === 'comma' || word.type === 'close' || word.text === 'FROM';
