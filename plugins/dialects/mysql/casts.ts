/** Rewrites postfix casts and JSON steps of PostgreSQL into function calls. Rejects types without a counterpart. */
import { normalType } from '../../../language/strings/sql-types.js';
import { boolean, day, instant } from './bind.js';
import { intervalOf, literalOf } from './literals.js';
import { CAST_NAMES, castOf, type Flavour } from './types.js';
import { isWord, operandEnd, operandStart, quoteText, unsayable, type Lexeme, type Words } from './words.js';

/** Whether this placeholder is the list of ANY or ALL, which has an array cast. */
export const isListAt = (all: readonly Lexeme[], i: number): boolean =>
  all[i - 1]?.text === '(' && isWord(all[i - 2], 'ANY', 'ALL', 'SOME');

export function cast(words: Words, from: number, i: number, type: string, flavour: Flavour): void {
  const { all, out } = words;
  const operand = all[i - 1];
  if (type === 'interval' && operand?.type === 'string') {
    out[i - 1] = `INTERVAL ${intervalOf(literalOf(operand))}`;
    out[i] = '';
    return;
  }
  const known = castOf(type);
  if (known === undefined) throw unsayable(`the cast to ${type}`, `one of ${CAST_NAMES}`);
  if (operand?.type === 'string') literalCast(words, i - 1, known.value);
  const [open, close] = around(known, flavour, operand);
  out[from] = open + (out[from] ?? '');
  out[i] = close;
}

/** Converts a literal at load, by the rules of PostgreSQL. */
function literalCast({ all, out }: Words, i: number, value: string): void {
  const written = literalOf(all[i] as Lexeme);
  try {
    if (value === 'boolean') out[i] = String(boolean(written));
    if (value === 'instant') out[i] = quoteText(instant(written));
    if (value === 'date') out[i] = quoteText(day(written));
  } catch {
    throw unsayable(`'${written}' as ${value}`, 'a value of that type');
  }
}

type Around = readonly [string, string];

function around(known: { value: string; sql: string | null }, flavour: Flavour, operand: Lexeme | undefined): Around {
  if (known.sql !== null) return ['CAST(', ` AS ${known.sql})`];
  if (known.value === 'boolean') return ['(', ' <> 0)'];
  if (flavour === 'mysql') return ['CAST(', ' AS JSON)'];
  // MariaDB stores JSON as text, which is how the value is bound.
  return operand?.type === 'placeholder' || operand?.type === 'string' ? ['', ''] : ['JSON_COMPACT(', ')'];
}

/** `CAST(x AS type)`. */
export function castCall(words: Words, i: number, flavour: Flavour): void {
  const { all, out, scan } = words;
  const depth = all[i + 1]?.depth ?? 0;
  const close = all.findIndex((word, at) => at > i + 1 && word.type === 'close' && word.depth === depth);
  const as = all.findIndex((word, at) => at > i && at < close && word.depth === depth + 1 && isWord(word, 'AS'));
  if (as < 0) return;
  const type = normalType(scan.text.slice(all[as]?.end, all[close]?.start));
  const known = castOf(type);
  // MySQL's own type names pass unchanged.
  if (known === undefined) {
    if (/^(?:signed|unsigned|char|binary|datetime|double|year)\b/.test(type)) return;
    throw unsayable(`the cast to ${type}`, `one of ${CAST_NAMES}`);
  }
  const operand = as === i + 3 ? all[as - 1] : undefined;
  if (operand?.type === 'string') literalCast(words, as - 1, known.value);
  const [open, end] = around(known, flavour, operand);
  for (let at = as; at < close; at++) out[at] = '';
  out[i] = open.slice(0, -1);
  out[i + 1] = open.slice(-1);
  out[close] = end;
}

/** `data->>'key'` and `data->0`. */
export function jsonStep(words: Words, i: number, flavour: Flavour): void {
  const { all, out } = words;
  const step = all[i + 1];
  const from = jsonStart(all, i - 1);
  let path: string;
  if (step?.type === 'string') {
    const key = literalOf(step);
    if (/["\\]/.test(key)) throw unsayable(`the key ${key}`, 'a key without quotes and backslashes');
    path = quoteText(key.startsWith('$') ? key : `$."${key}"`);
  } else if (step?.type === 'number') path = quoteText(`$[${step.text}]`);
  else if (step?.type === 'placeholder' && operandEnd(all, i + 1) === i + 2) path = '?';
  else throw unsayable('a step into JSON that is computed', 'a key in quotes, a number or a parameter without a cast');
  out[from] = `${all[i]?.text === '->>' ? asText(flavour)[0] : 'JSON_EXTRACT('}${out[from] ?? ''}`;
  out[i] = ', ';
  out[i + 1] = `${path}${all[i]?.text === '->>' ? asText(flavour)[1] : ')'}`;
}

/** JSON null becomes SQL NULL, not the text `null`. */
const asText = (flavour: Flavour): Around =>
  flavour === 'mysql'
    ? ['JSON_UNQUOTE(NULLIF(JSON_EXTRACT(', `), CAST('null' AS JSON)))`]
    : ['JSON_UNQUOTE(NULLIF(JSON_EXTRACT(', `), 'null'))`];

function jsonStart(all: readonly Lexeme[], end: number): number {
  let from = operandStart(all, end);
  while (all[from - 1]?.text === '->' || all[from - 1]?.text === '->>') from = operandStart(all, from - 2);
  return from;
}
