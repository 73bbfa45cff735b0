/** Translates PostgreSQL's SQL to MySQL or MariaDB, word by word. Rejects what has no certain counterpart. */
import { normalizeType } from '../../queries/sql/text/types.js';
import { getLexemeName } from '../../queries/sql/text/read.js';
import { rewriteCast, rewriteCastCall, rewriteJsonStep } from './casts.js';
import { toMysqlInterval, parseLiteral } from './literals.js';
import { rewriteFilter, rewriteSearch } from './searches.js';
import { CAST_NAMES, findCastType, type ServerFlavour } from './types.js';
import { isKeyword, findOperandStart, quoteText, createTranslationError, type Lexeme, type Words } from './words.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

const OPERATORS: Readonly<Record<string, string>> = {
  '@>': 'JSON_CONTAINS(a, b)',
  '<@': 'JSON_CONTAINS(b, a)',
  '~': 'REGEXP_LIKE(a, b)',
  '~*': 'REGEXP_LIKE(a, b)',
  '!~': 'NOT REGEXP_LIKE(a, b)',
  '!~*': 'NOT REGEXP_LIKE(a, b)',
  '#>': "JSON_EXTRACT(a, '$.b.c')",
  '#>>': "JSON_UNQUOTE(JSON_EXTRACT(a, '$.b.c'))",
  '^': 'POWER(a, b)',
};

/** Rewrites all words except RETURNING and ON CONFLICT. */
export function translateWords(words: Words, flavour: ServerFlavour): void {
  const { all } = words;
  rejectComments(words);
  all.forEach((word, i) => {
    if (word.type === 'string' || word.type === 'dollar-string') translateText(words, i);
    else if (word.type === 'quoted-identifier') words.out[i] = quoteSqlName(getLexemeName(word));
    else if (word.type === 'placeholder') words.out[i] = '?';
    else if (word.type === 'operator') translateOperator(words, i, flavour);
    else if (word.type === 'open' && word.text === '[')
      throw createTranslationError('an array', 'a list in JSON, or `= ANY($1)`');
    else if (word.type === 'word') translateWord(words, i, flavour);
  });
  all.forEach((word, i) => {
    if (word.text === '@@' || isKeyword(word, 'TS_RANK')) rewriteSearch(words, i);
  });
  // The second of two casts wraps the first.
  all.forEach((word, i) => {
    if (word.type === 'cast' && words.out[i] !== '')
      rewriteCast(words, findOperandStart(all, i - 1), i, normalizeType(word.text.slice(2)), flavour);
    else if (isKeyword(word, 'CAST') && all[i + 1]?.text === '(') rewriteCastCall(words, i, flavour);
    else if (word.text === '->' || word.text === '->>') rewriteJsonStep(words, i, flavour);
  });
  all.forEach((word, i) => {
    if (isKeyword(word, 'FILTER') && all[i + 1]?.text === '(' && all[i - 1]?.text === ')') rewriteFilter(words, i);
  });
}

/** MySQL executes comments of this form. */
function rejectComments({ scan: { text: sql, tokens } }: Words): void {
  for (const { type, start } of tokens) {
    if (type === 'comment' && (sql.startsWith('/*!', start) || sql.startsWith('/*M!', start))) {
      throw createTranslationError('a comment that MySQL runs (`/*!`)', 'a plain comment, or none');
    }
  }
}

function translateText(words: Words, i: number): void {
  const value = parseLiteral(words.all[i] as Lexeme);
  const before = words.all[i - 1];
  if (isKeyword(before, 'INTERVAL')) words.out[i] = toMysqlInterval(value);
  else words.out[i] = quoteText(value);
}

function translateOperator(words: Words, i: number, flavour: ServerFlavour): void {
  const { text: sign } = words.all[i] as Lexeme;
  if (/^(?:->>?|@@|\|\||!=|[-+*/%<>=]{1,3})$/.test(sign)) return;
  if (sign === '~~' || sign === '!~~') words.out[i] = sign === '~~' ? ' LIKE ' : ' NOT LIKE ';
  else if (sign === '~~*' || sign === '!~~*') words.out[i] = formatIlike(sign.startsWith('!'), flavour);
  else {
    throw createTranslationError(`the operator ${sign}`, OPERATORS[sign] ?? 'an operator or a function of MySQL');
  }
}

/** Equality is exact, as on PostgreSQL; only ILIKE ignores case. */
const formatIlike = (not: boolean, flavour: ServerFlavour): string =>
  ` COLLATE ${flavour === 'mysql' ? 'utf8mb4_0900_as_ci' : 'utf8mb4_general_ci'}${not ? ' NOT' : ''} LIKE `;

const REFUSED: Readonly<Record<string, string>> = {
  ARRAY: 'a list in JSON',
  NULLS: 'ORDER BY column IS NULL, column',
  TABLESAMPLE: 'ORDER BY RAND() LIMIT',
  OVERRIDING: 'an INSERT without it',
};

/** Functions with the same arguments and another name. */
const RENAMED: Readonly<Record<string, string>> = {
  GEN_RANDOM_UUID: 'UUID',
  JSONB_BUILD_OBJECT: 'JSON_OBJECT',
  JSON_BUILD_OBJECT: 'JSON_OBJECT',
  JSONB_BUILD_ARRAY: 'JSON_ARRAY',
  JSON_BUILD_ARRAY: 'JSON_ARRAY',
  JSONB_AGG: 'JSON_ARRAYAGG',
  JSON_AGG: 'JSON_ARRAYAGG',
};

/** Missing functions, with their replacement. */
const FOREIGN: Readonly<Record<string, string>> = {
  ARRAY_AGG: 'JSON_ARRAYAGG(a)',
  DATE_TRUNC: 'DATE_FORMAT(a, format)',
  GENERATE_SERIES: 'WITH RECURSIVE',
  JSONB_ARRAY_ELEMENTS: 'JSON_TABLE(a, path COLUMNS (...))',
  JSONB_ARRAY_ELEMENTS_TEXT: 'JSON_TABLE(a, path COLUMNS (...))',
  JSONB_ARRAY_LENGTH: 'JSON_LENGTH(a)',
  JSONB_EACH: 'JSON_TABLE(a, path COLUMNS (...))',
  JSONB_SET: 'JSON_SET(a, path, value)',
  SPLIT_PART: 'SUBSTRING_INDEX(a, separator, count)',
  STRING_AGG: 'GROUP_CONCAT(a SEPARATOR b)',
  UNNEST: 'JSON_TABLE(a, path COLUMNS (...))',
};

function translateWord(words: Words, i: number, flavour: ServerFlavour): void {
  const { all, out } = words;
  const { text: word } = all[i] as Lexeme;
  const next = all[i + 1];
  if (all[i - 1]?.type === 'dot') return;
  if (word === 'ILIKE') {
    const not = isKeyword(all[i - 1], 'NOT');
    if (not) out[i - 1] = '';
    out[i] = formatIlike(not, flavour);
  } else if (word === 'NOW' && next?.text === '(' && all[i + 2]?.text === ')') out[i + 2] = '6)';
  else if (word === 'CURRENT_TIMESTAMP' && next?.text !== '(') out[i] = 'CURRENT_TIMESTAMP(6)';
  else if (next?.text === '(' && Object.hasOwn(RENAMED, word)) out[i] = RENAMED[word] ?? word;
  else if (next?.text === '(' && Object.hasOwn(FOREIGN, word))
    throw createTranslationError(`the function ${word.toLowerCase()}`, FOREIGN[word] ?? '');
  else if (word === 'NO' && isKeyword(next, 'KEY') && isKeyword(all[i + 2], 'UPDATE')) out[i] = out[i + 1] = '';
  else if (word === 'KEY' && isKeyword(next, 'SHARE')) out[i] = '';
  else if (word === 'FOR' && flavour === 'mariadb' && isShared(all, i)) lockInShareMode(words, i);
  else if (
    word === 'IS' &&
    isKeyword(next, 'NOT') &&
    isKeyword(all[i + 2], 'DISTINCT') &&
    isKeyword(all[i + 3], 'FROM')
  ) {
    out.splice(i, 4, '<=>', '', '', '');
  } else if (word === 'IS' && isKeyword(next, 'DISTINCT'))
    throw createTranslationError('IS DISTINCT FROM', 'NOT (a <=> b)');
  else if (word === 'DISTINCT' && isKeyword(next, 'ON'))
    throw createTranslationError('DISTINCT ON', 'GROUP BY or a window function');
  else if (word === 'ANY' || word === 'ALL' || word === 'SOME') translateAny(words, i, flavour);
  else if (Object.hasOwn(REFUSED, word) && (word !== 'NULLS' || isKeyword(next, 'FIRST', 'LAST'))) {
    throw createTranslationError(word, REFUSED[word] ?? '');
  }
}

const isShared = (all: readonly Lexeme[], i: number): boolean =>
  isKeyword(all[i + 1], 'SHARE') || (isKeyword(all[i + 1], 'KEY') && isKeyword(all[i + 2], 'SHARE'));

function lockInShareMode({ all, out }: Words, i: number): void {
  const share = isKeyword(all[i + 1], 'SHARE') ? i + 1 : i + 2;
  out[i] = 'LOCK IN';
  out[share] = 'SHARE MODE';
}

/** `= ANY($1)`: a list as JSON, which becomes rows. */
function translateAny({ all, out, scan }: Words, i: number, flavour: ServerFlavour): void {
  if (all[i + 1]?.text !== '(' || all[i + 2]?.type !== 'placeholder') return;
  const casted = all[i + 3]?.type === 'cast' ? 1 : 0;
  if (all[i + 3 + casted]?.text !== ')') return;
  const sign = all[i - 1]?.text ?? '';
  const word = all[i]?.text === 'ALL' ? 'NOT IN' : 'IN';
  if (!(word === 'IN' ? sign === '=' : sign === '<>' || sign === '!=')) {
    throw createTranslationError(`${sign} ${all[i]?.text ?? ''} of a list`, '= ANY($1) or <> ALL($1)');
  }
  const named = scan.placeholders.find(({ start }) => start === all[i + 2]?.start)?.cast ?? null;
  const item = named === null ? undefined : findCastType(named.replace(/\[\]$/, ''));
  if (named !== null && item === undefined)
    throw createTranslationError(`the cast to ${named}`, `a list of ${CAST_NAMES}`);
  const collation = flavour === 'mysql' ? 'utf8mb4_0900_bin' : 'utf8mb4_nopad_bin';
  const numeric = item?.sql === 'SIGNED';
  const type = numeric ? 'BIGINT' : `VARCHAR(4096) CHARACTER SET utf8mb4 COLLATE ${collation}`;
  out[i - 1] = '';
  out[i] = word;
  out[i + 1] = '(SELECT lintel_list.v FROM JSON_TABLE(';
  out[i + 3] = '';
  out[i + 3 + casted] = `, '$[*]' COLUMNS (v ${type} PATH '$')) AS lintel_list)`;
}
