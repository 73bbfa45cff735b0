/** Turns postfix casts and JSON steps of PostgreSQL into calls. */
import { normalizeType } from '../../queries/sql/text/types.js';
import { toBit, toDate, toDatetime } from './bind.js';
import { toMysqlInterval, parseLiteral } from './literals.js';
import { CAST_NAMES, findCastType, type ServerFlavour } from './types.js';
import {
  isKeyword,
  findOperandEnd,
  findOperandStart,
  quoteText,
  createTranslationError,
  type Lexeme,
  type Words,
} from './words.js';

/** The list of ANY or ALL, which has an array cast. */
export const isListAt = (all: readonly Lexeme[], i: number): boolean =>
  all[i - 1]?.text === '(' && isKeyword(all[i - 2], 'ANY', 'ALL', 'SOME');

export function rewriteCast(words: Words, from: number, i: number, type: string, flavour: ServerFlavour): void {
  const { all, out } = words;
  const operand = all[i - 1];
  if (type === 'interval' && operand?.type === 'string') {
    out[i - 1] = `INTERVAL ${toMysqlInterval(parseLiteral(operand))}`;
    out[i] = '';
    return;
  }
  const known = findCastType(type);
  if (known === undefined) throw createTranslationError(`the cast to ${type}`, `one of ${CAST_NAMES}`);
  if (operand?.type === 'string') convertLiteral(words, i - 1, known.value);
  const [open, close] = getCastWrapper(known, flavour, operand);
  out[from] = open + (out[from] ?? '');
  out[i] = close;
}

/** Converts a literal at load, by the rules of PostgreSQL. */
function convertLiteral({ all, out }: Words, i: number, value: string): void {
  const written = parseLiteral(all[i] as Lexeme);
  try {
    if (value === 'boolean') out[i] = String(toBit(written));
    if (value === 'instant') out[i] = quoteText(toDatetime(written));
    if (value === 'date') out[i] = quoteText(toDate(written));
  } catch {
    throw createTranslationError(`'${written}' as ${value}`, 'a value of that type');
  }
}

type CastWrapper = readonly [string, string];

function getCastWrapper(
  known: { value: string; sql: string | null },
  flavour: ServerFlavour,
  operand: Lexeme | undefined,
): CastWrapper {
  if (known.sql !== null) return ['CAST(', ` AS ${known.sql})`];
  if (known.value === 'boolean') return ['(', ' <> 0)'];
  if (flavour === 'mysql') return ['CAST(', ' AS JSON)'];
  // MariaDB stores JSON as text.
  return operand?.type === 'placeholder' || operand?.type === 'string' ? ['', ''] : ['JSON_COMPACT(', ')'];
}

/** `CAST(x AS type)`. */
export function rewriteCastCall(words: Words, i: number, flavour: ServerFlavour): void {
  const { all, out, scan } = words;
  const depth = all[i + 1]?.depth ?? 0;
  const close = all.findIndex((word, at) => at > i + 1 && word.type === 'close' && word.depth === depth);
  const as = all.findIndex((word, at) => at > i && at < close && word.depth === depth + 1 && isKeyword(word, 'AS'));
  if (as < 0) return;
  const type = normalizeType(scan.text.slice(all[as]?.end, all[close]?.start));
  const known = findCastType(type);
  // MySQL's own type names pass unchanged.
  if (known === undefined) {
    if (/^(?:signed|unsigned|char|binary|datetime|double|year)\b/.test(type)) return;
    throw createTranslationError(`the cast to ${type}`, `one of ${CAST_NAMES}`);
  }
  const operand = as === i + 3 ? all[as - 1] : undefined;
  if (operand?.type === 'string') convertLiteral(words, as - 1, known.value);
  const [open, end] = getCastWrapper(known, flavour, operand);
  for (let at = as; at < close; at++) out[at] = '';
  out[i] = open.slice(0, -1);
  out[i + 1] = open.slice(-1);
  out[close] = end;
}

/** `data->>'key'` and `data->0`. */
export function rewriteJsonStep(words: Words, i: number, flavour: ServerFlavour): void {
  const { all, out } = words;
  const step = all[i + 1];
  const from = findJsonStart(all, i - 1);
  let path: string;
  if (step?.type === 'string') {
    const key = parseLiteral(step);
    if (/["\\]/.test(key)) throw createTranslationError(`the key ${key}`, 'a key without quotes and backslashes');
    path = quoteText(key.startsWith('$') ? key : `$."${key}"`);
  } else if (step?.type === 'number') path = quoteText(`$[${step.text}]`);
  else if (step?.type === 'placeholder' && findOperandEnd(all, i + 1) === i + 2) path = '?';
  else
    throw createTranslationError(
      'a step into JSON that is computed',
      'a key in quotes, a number or a parameter without a cast',
    );
  out[from] = `${all[i]?.text === '->>' ? getTextWrapper(flavour)[0] : 'JSON_EXTRACT('}${out[from] ?? ''}`;
  out[i] = ', ';
  out[i + 1] = `${path}${all[i]?.text === '->>' ? getTextWrapper(flavour)[1] : ')'}`;
}

/** JSON null becomes SQL NULL, not the text `null`. */
const getTextWrapper = (flavour: ServerFlavour): CastWrapper =>
  flavour === 'mysql'
    ? ['JSON_UNQUOTE(NULLIF(JSON_EXTRACT(', `), CAST('null' AS JSON)))`]
    : ['JSON_UNQUOTE(NULLIF(JSON_EXTRACT(', `), 'null'))`];

function findJsonStart(all: readonly Lexeme[], end: number): number {
  let from = findOperandStart(all, end);
  while (all[from - 1]?.text === '->' || all[from - 1]?.text === '->>') from = findOperandStart(all, from - 2);
  return from;
}
