/** FILTER and full-text search, which MySQL writes in another order. */
import { findGroupEnd } from '../../queries/sql/text/read.js';
import {
  isKeyword,
  findOperandEnd,
  findOperandStart,
  renderWords,
  createTranslationError,
  type Lexeme,
  type Words,
} from './words.js';

/** `sum(x) FILTER (WHERE c)` as `sum(CASE WHEN c THEN x END)`: parameters keep their order. */
export function rewriteFilter(words: Words, i: number): void {
  const { all, out } = words;
  const start = findOperandStart(all, i - 1);
  const open = all.findIndex((word, at) => at >= start && word.type === 'open');
  const argument = renderWords(words, open + 1, i - 1);
  const close = findGroupEnd(all, i + 1) - 1;
  if (argument.order.length > 0 || isKeyword(all[open + 1], 'DISTINCT'))
    throw createTranslationError('such a FILTER', 'CASE inside of the function');
  for (let at = open + 1; at < i; at++) out[at] = '';
  out[i] = 'CASE WHEN';
  out[i + 1] = out[i + 2] = '';
  out[close] = ` THEN ${argument.text === '*' ? '1' : argument.text} END)`;
}

/** `to_tsvector('english', column) @@ plainto_tsquery('english', $1)`, and `ts_rank` of the two. */
export function rewriteSearch({ all, out }: Words, i: number): void {
  const ranks = all[i]?.text !== '@@';
  const vector = ranks ? i + 2 : findOperandStart(all, i - 1);
  const end = findOperandEnd(all, vector);
  const query = end + 1;
  const queryEnd = findOperandEnd(all, query);
  const searched = findArgument(all, vector, end, 'TO_TSVECTOR');
  const asked = findArgument(
    all,
    query,
    queryEnd,
    'PLAINTO_TSQUERY',
    'WEBSEARCH_TO_TSQUERY',
    'PHRASETO_TSQUERY',
    'TO_TSQUERY',
  );
  const columnEnd = searched === null ? -1 : findOperandEnd(all, searched);
  if (searched === null || asked === null || columnEnd !== end - 1 || all[asked]?.type !== 'placeholder') {
    throw createTranslationError(
      'such a word search',
      "to_tsvector('english', column) @@ plainto_tsquery('english', $1)",
    );
  }
  for (let at = ranks ? i : vector; at < searched; at++) out[at] = '';
  out[searched] = `MATCH (${out[searched] ?? ''}`;
  for (let at = columnEnd; at < asked; at++) out[at] = '';
  out[asked] = ') AGAINST (? IN BOOLEAN MODE)';
  for (let at = asked + 1; at < queryEnd + (ranks ? 1 : 0); at++) out[at] = '';
}

/** Null: another function or other arguments. */
function findArgument(all: readonly Lexeme[], from: number, end: number, ...names: readonly string[]): number | null {
  if (!isKeyword(all[from], ...names) || all[from + 1]?.text !== '(') return null;
  if (all[from + 2]?.type !== 'string') return from + 2;
  return all[from + 3]?.type === 'comma' && from + 4 < end ? from + 4 : null;
}
