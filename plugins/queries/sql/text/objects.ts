/** Finds the views and functions that scripts create. Reads tokens, so it serves all dialects. */
import type { StatementText, StoredObject } from '../../../../contract/statement-text.js';
import { quoteSqlName } from './quotes.js';
import { findGroupEnd, getLexemeName, isName, toLexemes, type Lexeme } from './read.js';
import { scanSql } from './scan.js';

/** Stands for the definition of an object, which the user of the database may not read. */
export const ASSUMED = '/* assumed */';

/** Between CREATE and the sort of object. */
const MODIFIERS = 24;
const SORTS: Readonly<Record<string, StoredObject['sort']>> = { VIEW: 'view', TABLE: 'view', FUNCTION: 'function' };

export function readSqlObjects(script: string): readonly StoredObject[] {
  if (!/\bcreate\b/i.test(script)) return [];
  const { tokens } = scanSql(script);
  const words = toLexemes(script, tokens);
  const starts = words.flatMap((word, i) => (isWord(word, 'CREATE') && word.depth === 0 ? [i] : []));
  return starts.flatMap((start, n) => readObject(script, words, start, starts[n + 1] ?? words.length));
}

const isWord = (word: Lexeme | undefined, ...texts: readonly string[]): boolean =>
  word?.type === 'word' && texts.includes(word.text);

function readObject(script: string, words: readonly Lexeme[], start: number, limit: number): StoredObject[] {
  const at = words.findIndex(
    (word, i) => i > start && i < start + MODIFIERS && i < limit && isWord(word, ...Object.keys(SORTS)),
  );
  const sort = SORTS[words[at]?.text ?? ''];
  if (at < 0 || sort === undefined) return [];
  let i = at + 1;
  while (isWord(words[i], 'IF', 'NOT', 'EXISTS')) i++;
  while (words[i + 1]?.type === 'dot') i += 2;
  const named = words[i];
  if (!isName(named)) return [];
  const group = words[i + 1]?.text === '(' ? findGroupEnd(words, i + 1) : i + 1;
  const listed = readNames(words, i + 1, group);
  const read = sort === 'view' ? readView : readFunction;
  const given = listOutNames(words, i + 1, group);
  const found = read(script, words, { from: group, limit, listed, given, isTable: isWord(words[at], 'TABLE') });
  if (found === null) return [];
  const inner = toLexemes(found.scan.text, found.scan.tokens);
  const calls = inner.flatMap((word, n) => (isName(word) && inner[n + 1]?.text === '(' ? [getLexemeName(word)] : []));
  const isAssumed = found.scan.text.includes(ASSUMED);
  return [{ name: getLexemeName(named), sort, ...found, calls, isAssumed }];
}

interface ObjectText {
  readonly from: number;
  readonly limit: number;
  readonly listed: readonly string[];
  /** The OUT parameters of a function, which are its columns. */
  readonly given: readonly string[];
  readonly isTable: boolean;
}
type Body = Pick<StoredObject, 'scan' | 'unclear'> | null;

/** The first name of each element of a group, as in `(a text, b integer)`. */
function readNames(words: readonly Lexeme[], open: number, end: number): string[] {
  const depth = (words[open]?.depth ?? 0) + 1;
  return words.slice(open, end).flatMap((_, n) => {
    const [before, word] = [words[open + n - 1], words[open + n]];
    const isFirst = n === 1 || (before?.type === 'comma' && before.depth === depth);
    return isFirst && isName(word) ? [getLexemeName(word)] : [];
  });
}

function listOutNames(words: readonly Lexeme[], open: number, end: number): string[] {
  return words.slice(open, end).flatMap((word, n) => {
    const [before, name] = [words[open + n - 1], words[open + n + 1]];
    return isWord(word, 'OUT', 'INOUT') && isName(name) && (before?.text === '(' || before?.type === 'comma')
      ? [getLexemeName(name)]
      : [];
  });
}

const findEnd = (words: readonly Lexeme[], from: number, limit: number): number => {
  const end = words.findIndex((word, i) => i >= from && i < limit && word.type === 'semicolon' && word.depth === 0);
  return end < 0 ? limit : end;
};

/** With its columns by position, as those of a WITH entry. */
function scanQuery(query: string, columns: readonly string[]): StatementText {
  const list = columns.map(quoteSqlName).join(', ');
  return scanSql(columns.length === 0 ? query : `WITH x (${list}) AS (${query}) SELECT 1`);
}

function readView(script: string, words: readonly Lexeme[], { from, limit, listed, isTable }: ObjectText): Body {
  const end = findEnd(words, from, limit);
  const as = words.findIndex((word, i) => i >= from && i < end && isWord(word, 'AS') && word.depth === 0);
  const first = words[as + 1];
  if (as < 0 || first === undefined || as + 1 >= end) return null;
  // Columns of a table have types; its rows get the names of the query.
  return { scan: scanQuery(script.slice(first.start, words[end - 1]?.end), isTable ? [] : listed), unclear: [] };
}

function readFunction(script: string, words: readonly Lexeme[], { from, limit, given }: ObjectText): Body {
  const returns = words.findIndex(
    (word, i) => i >= from && i < limit && isWord(word, 'TABLE') && words[i + 1]?.text === '(',
  );
  const columns = returns < 0 ? given : readNames(words, returns + 1, findGroupEnd(words, returns + 1));
  const as = words.findIndex((word, i) => i >= from && i < limit && isWord(word, 'AS') && isText(words[i + 1]));
  const quoted = as < 0 ? undefined : words[as + 1];
  const body =
    quoted === undefined ? script.slice(words[from]?.start, words[limit - 1]?.end) : readLiteral(quoted.text);
  const isQuery = words
    .slice(from, limit)
    .some((word, n) => isWord(word, 'LANGUAGE') && isSqlName(words[from + n + 1]));
  const query = body.trim().replace(/;$/, '');
  const { statements, verb } = scanSql(query);
  if (isQuery && statements === 1 && verb === 'SELECT') return { scan: scanQuery(query, columns), unclear: [] };
  return { scan: scanSql(body), unclear: columns };
}

const isSqlName = (word: Lexeme | undefined): boolean => /^'?sql'?$/i.test(word?.text ?? '');
const isText = (word: Lexeme | undefined): boolean => word?.type === 'dollar-string' || word?.type === 'string';

const readLiteral = (text: string): string =>
  text.startsWith('$')
    ? text.replace(/^\$\w*\$/, '').replace(/\$\w*\$$/, '')
    : text.slice(text.indexOf("'") + 1, -1).replaceAll("''", "'");
